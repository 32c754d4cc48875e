// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/words.h"
#include "quantlens/record/op_counts.h"
#include "quantlens/report/tables.h"

namespace quantlens {
namespace {

/// Of an op that has codes, what stands behind its count.
std::string in_words(std::string_view precision) {
  if (precision == word(Precision::fp16)) return "in fp16";
  if (precision == word(Precision::fp32)) return "in float with values stored in codes";
  if (precision.starts_with('w'))
    return fmt::format("in float with weights of {} bits", precision.substr(1));
  return fmt::format("in {}", precision);
}

}  // namespace

std::string op_counts_text(const Plan& plan) {
  constexpr std::string_view kInt8 = word(Precision::int8);
  std::map<std::string_view, std::size_t> by_precision;
  for (const OpPlan& op : plan.ops) {
    if (is_counted(op.kind) && op.quantized) ++by_precision[word(op.precision)];
  }
  std::string text = counted(by_precision[kInt8], "op") + " in int8";
  for (const auto& [precision, count] : by_precision) {
    if (precision != kInt8) text += fmt::format(", {} {}", count, in_words(precision));
  }
  return text + fmt::format(", {} in float\n", op_counts(plan.ops).in_float);
}

}  // namespace quantlens
