// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "quantlens/frontend/onnx/source.h"

namespace quantlens::onnx {
namespace {

constexpr std::int64_t kCodes = 10;          // QuantizeLinear
constexpr std::int64_t kDynamicCodes = 11;   // DynamicQuantizeLinear
constexpr std::int64_t kChannelScales = 13;  // QuantizeLinear along an axis
constexpr std::int64_t kHalf = 13;           // from here on all ops of half_inputs.h take half
constexpr std::int64_t kWhole = 13;

}  // namespace

Vocabulary vocabulary_of(std::int64_t opset) {
  return {.codes = opset >= kCodes,
          .channel_scales = opset >= kChannelScales,
          .dynamic_codes = opset >= kDynamicCodes,
          .half = opset >= kHalf,
          .version = fmt::format("opset {}", opset),
          .whole = fmt::format("opset {}", kWhole)};
}

}  // namespace quantlens::onnx
