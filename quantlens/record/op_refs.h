// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/record/op_ref.h"

namespace quantlens {

inline OpRef ref_of(const Node& node) {
  return {.id = op_id(node), .name = op_name(node)};
}

/// Whether both are of one op. Records before layout 7 know some ops by their names alone.
inline bool is_same_op(const OpRef& a, const OpRef& b) {
  return a.id.empty() || b.id.empty() ? a.name == b.name : a.id == b.id;
}

inline std::strong_ordering operator<=>(const OpRef& a, const OpRef& b) {
  const std::strong_ordering by_id = a.id <=> b.id;
  return by_id != 0 ? by_id : a.name <=> b.name;
}

inline std::vector<std::string> ids_of(const std::vector<OpRef>& ops) {
  std::vector<std::string> ids;
  ids.reserve(ops.size());
  for (const OpRef& op : ops) ids.push_back(op.id);
  return ids;
}

inline std::vector<std::string> names_of(const std::vector<OpRef>& ops) {
  std::vector<std::string> names;
  names.reserve(ops.size());
  for (const OpRef& op : ops) names.push_back(op.name);
  return names;
}

}  // namespace quantlens
