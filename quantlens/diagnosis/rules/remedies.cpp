// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/quantizer/recipe/recipe_fragment.h"

namespace quantlens {
namespace {

boost::json::object by_name(const std::vector<OpRef>& ops, const boost::json::value& wanted) {
  boost::json::object entries;
  for (const OpRef& op : ops) entries[pattern_of(op.name)] = wanted;
  return {{"op_name_dict", std::move(entries)}};
}

}  // namespace

boost::json::object in_float(const std::vector<OpRef>& ops) {
  if (ops.empty()) return {};
  return by_name(ops, "fp32");
}

boost::json::object for_ops(const std::vector<OpRef>& ops, const boost::json::object& options) {
  return by_name(ops, options);
}

boost::json::object with_minmax(const Evidence& evidence, const ActivationRow& row) {
  if (evidence.is_input(row)) return {};
  return for_ops({row.op}, {{"activation", {{"algorithm", "minmax"}}}});
}

double part(const std::optional<double>& of, const ActivationRow& row) {
  const double begun = row.local_mse.value_or(0) - row.input_mse.value_or(0);
  return begun > 0 ? of.value_or(0) / begun : 0;
}

}  // namespace quantlens
