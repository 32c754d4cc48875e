// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/oracle/call.h"

#include <fmt/format.h>

#include "quantlens/base/error.h"

namespace quantlens::oracle {

void refuse(std::string_view problem) {
  throw Error(Errc::bad_input, std::string(problem));
}

void refuse_unknown(std::string_view problem) {
  throw Error(Errc::unsupported, std::string(problem));
}

const Tensor& Call::input(std::size_t i) const {
  if (!has(i)) refuse(fmt::format("its input number {} is missing", i));
  return *inputs[i];
}

std::optional<std::vector<std::int64_t>> ints(const Node& node, const std::string& key) {
  if (!node.attributes.contains(key)) return std::nullopt;
  return attribute_ints(node, key);
}

std::optional<std::vector<std::int64_t>> ints(const Call& call, const std::string& key,
                                              std::size_t input) {
  if (call.has(input)) return to_int64(call.input(input));
  return ints(call.node, key);
}

}  // namespace quantlens::oracle
