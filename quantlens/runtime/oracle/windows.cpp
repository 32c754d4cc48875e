// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/oracle/windows.h"

#include <algorithm>

#include <fmt/format.h>

namespace quantlens::oracle {
namespace {

constexpr std::int64_t kMost = std::int64_t{1}
                               << 31;  // of an extent or a setting, against overflow

std::vector<std::int64_t> setting(const Node& node, const std::string& key, std::size_t count,
                                  std::int64_t otherwise) {
  std::vector<std::int64_t> given = attribute_ints(node, key);
  if (given.empty()) return std::vector<std::int64_t>(count, otherwise);
  if (given.size() != count) {
    refuse(fmt::format("its attribute {} has {} entries instead of {}", key, given.size(), count));
  }
  for (const std::int64_t value : given) {
    if (value < otherwise || value > kMost) {  // pads from 0, strides and dilations from 1
      refuse(fmt::format("its attribute {} holds {}", key, value));
    }
  }
  return given;
}

/// Sets output extent and, for auto_pad, the padding. REQUIRES: all else is set.
void fit(Window& window, const std::string& auto_pad, bool ceil_mode) {
  const std::int64_t reach = (window.kernel - 1) * window.dilation + 1;
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    window.out = (window.in + window.stride - 1) / window.stride;
    const std::int64_t total =
        std::max<std::int64_t>(0, (window.out - 1) * window.stride + reach - window.in);
    window.pad_begin = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
    window.pad_end = total - window.pad_begin;
    return;
  }
  if (auto_pad == "VALID") window.pad_begin = window.pad_end = 0;
  const std::int64_t room = window.in + window.pad_begin + window.pad_end - reach;
  if (room < 0) {
    refuse(fmt::format("its kernel spans {} elements of an axis of {}", reach, window.in));
  }
  window.out = room / window.stride + 1;
  if (ceil_mode && room % window.stride != 0) {
    // One more, unless it would begin in the padding at the end.
    if (window.out * window.stride < window.in + window.pad_begin) ++window.out;
  }
}

}  // namespace

std::vector<Window> windows(const Call& call, std::span<const std::int64_t> spatial,
                            std::span<const std::int64_t> kernel) {
  const std::size_t rank = spatial.size();
  if (kernel.size() != rank) {
    refuse(fmt::format("its kernel has {} axes, its input {}", kernel.size(), rank));
  }
  const std::vector<std::int64_t> step = setting(call.node, "strides", rank, 1);
  const std::vector<std::int64_t> dilation = setting(call.node, "dilations", rank, 1);
  const std::vector<std::int64_t> pads = setting(call.node, "pads", 2 * rank, 0);
  const std::string auto_pad = attribute_string(call.node, "auto_pad", "NOTSET");
  const bool ceil_mode = attribute_int(call.node, "ceil_mode", 0) != 0;
  std::vector<Window> result(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    if (kernel[i] < 1 || kernel[i] > kMost || spatial[i] > kMost) {
      refuse(fmt::format("a kernel of {} slides over {}", kernel[i], spatial[i]));
    }
    result[i].in = spatial[i];
    result[i].kernel = kernel[i];
    result[i].stride = step[i];
    result[i].dilation = dilation[i];
    result[i].pad_begin = pads[i];
    result[i].pad_end = pads[i + rank];
    fit(result[i], auto_pad, ceil_mode);
  }
  return result;
}

std::array<Window, 3> three(const std::vector<Window>& windows) {
  if (windows.size() > 3) refuse_unknown("the oracle knows at most three spatial axes");
  std::array<Window, 3> result;
  std::ranges::copy(windows, result.begin() + static_cast<std::ptrdiff_t>(3 - windows.size()));
  return result;
}

}  // namespace quantlens::oracle
