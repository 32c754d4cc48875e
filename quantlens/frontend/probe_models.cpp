// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/probe_models.h"

#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/graphdef/probe_models.h"
#include "quantlens/frontend/onnx/probe_models.h"

namespace quantlens::frontend {
namespace {

struct Prober {
  std::string_view format;
  Model (*chain)(std::size_t length, std::int64_t elements);
  Model (*product)(std::int64_t n, bool integer);
};

constexpr Prober kProbers[] = {
    {"graphdef", graphdef::chain_model, graphdef::product_model},
    {"onnx", onnx::chain_model, onnx::product_model},
};

const Prober& prober_of(std::string_view format) {
  const auto* const found = std::ranges::find(kProbers, format, &Prober::format);
  if (found != std::ranges::end(kProbers)) return *found;
  throw Error(Errc::unsupported,
              fmt::format("quantlens makes no models of format '{}', with which a machine is "
                          "measured; convert the model to ONNX",
                          printable(format)));
}

}  // namespace

Model chain_model(std::string_view format, std::size_t length, std::int64_t elements) {
  return prober_of(format).chain(length, elements);
}

Model product_model(std::string_view format, std::int64_t n, bool integer) {
  return prober_of(format).product(n, integer);
}

}  // namespace quantlens::frontend
