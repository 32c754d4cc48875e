// Ops as tests name them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/record/op_ref.h"

namespace quantlens {

/// "y" of "node_y", as SmallGraph names what makes y; of other names both are the name.
inline OpRef op_ref(const std::string& name) {
  constexpr std::string_view kNode = "node_";
  return {.id = name.starts_with(kNode) ? name.substr(kNode.size()) : name, .name = name};
}

inline std::vector<OpRef> op_refs(std::initializer_list<const char*> names) {
  std::vector<OpRef> ops;
  for (const char* name : names) ops.push_back(op_ref(name));
  return ops;
}

inline std::ostream& operator<<(std::ostream& out, const OpRef& op) {
  return out << op.name << " (" << op.id << ")";  // in the messages of failed tests
}

}  // namespace quantlens
