// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/compare_nodes.h"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <variant>

namespace quantlens {
namespace {

constexpr std::string_view kPaddingByName = "auto_pad";

struct SameNumbers {
  bool operator()(std::int64_t a, std::int64_t b) const { return a == b || a < 0 || b < 0; }
  bool operator()(const Tensor&, const Tensor&) const { return true; }
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a == b;
  }
  template <class A, class B>
  bool operator()(const A&, const B&) const {
    return true;  // an integer for a float and the like: no evidence
  }
};

bool is_equal(const Attribute& a, const Attribute& b) {
  return a.index() == b.index() && std::visit(
                                       [&](const auto& value) {
                                         using T = std::decay_t<decltype(value)>;
                                         if constexpr (std::is_same_v<T, Tensor>) {
                                           return false;
                                         } else {
                                           return value == std::get<T>(b);
                                         }
                                       },
                                       a);
}

}  // namespace

bool have_same_type(const Node& a, const Node& b) {
  return a.type == b.type;
}

bool is_of_own_set(const Node& node) {
  return node.domain.empty();
}

bool are_of_one_set(const Node& a, const Node& b) {
  return a.domain == b.domain;
}

bool is_same_operator(const Node& a, const Node& b) {
  return have_same_type(a, b) && are_of_one_set(a, b);
}

const Attribute* said(const Node& node, const std::string& key) {
  const auto found = node.attributes.find(key);
  return found == node.attributes.end() ? nullptr : &found->second;
}

bool have_same_attributes(const Node& a, const Node& b) {
  return std::ranges::equal(a.attributes, b.attributes, [](const auto& x, const auto& y) {
    return x.first == y.first && is_equal(x.second, y.second);
  });
}

std::size_t count_different_attributes(const Node& a, const Node& b) {
  std::size_t different = 0;
  for (const auto& [key, value] : a.attributes) {
    const auto found = b.attributes.find(key);
    if (found == b.attributes.end() || key == kPaddingByName) continue;
    if (!std::visit(SameNumbers(), value, found->second)) ++different;
  }
  return different;
}

}  // namespace quantlens
