// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/report/tables.h"

namespace quantlens {

std::string op_counts_text(const Plan& plan) {
  std::map<std::string_view, std::size_t> by_precision;
  std::size_t integer = 0;
  std::size_t in_float = 0;
  for (const OpPlan& op : plan.ops) {
    const bool is_float = op.precision == "w4" || op.precision == "w8" || op.precision == "fp16";
    if (!op.quantized) {
      ++in_float;
    } else if (is_float) {
      ++by_precision[op.precision];
    } else {
      ++integer;
    }
  }
  std::string text = counted(integer, "op") + " in int8";
  for (const auto& [precision, count] : by_precision) {
    text += precision == "fp16"
                ? fmt::format(", {} in fp16", count)
                : fmt::format(", {} in float with weights of {} bits", count, precision.substr(1));
  }
  return text + fmt::format(", {} in float\n", in_float);
}

}  // namespace quantlens
