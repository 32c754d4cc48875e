// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/inspection_text.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/text.h"
#include "quantlens/record/op_counts.h"

namespace quantlens {
namespace {

std::string head_text(const Inspection& inspection) {
  std::vector<std::string> opsets;
  for (const auto& [domain, version] : inspection.opsets) {
    opsets.push_back(fmt::format("{} {}", domain.empty() ? "ai.onnx" : printable(domain), version));
  }
  // Sets of operators are ONNX's; of other formats one version says all.
  const bool has_sets = inspection.version.empty() || inspection.version.starts_with("opset");
  return fmt::format(
      "{}: {}, {}, {} parameters ({}), {}\n", inspection.path, inspection.format,
      human_bytes(inspection.file_bytes), inspection.parameters,
      human_bytes(inspection.weight_bytes),
      has_sets ? fmt::format("opset {}", fmt::join(opsets, ", ")) : printable(inspection.version));
}

std::string values_text(const char* what, const std::vector<ValueOutline>& values) {
  std::string text;
  for (const ValueOutline& value : values) {
    text += fmt::format("{} {}: {} {}\n", what, printable(value.name), value.dtype,
                        printable(value.shape));
  }
  return text;
}

std::string counts_text(const Inspection& inspection) {
  const std::uint64_t ops = op_counts(inspection.ops).all();
  std::string text;
  if (inspection.on_codes > 0)
    text = fmt::format("{} of {} ops compute on codes already\n", inspection.on_codes, ops);
  return text + fmt::format("{} of {} ops would be quantized\n", inspection.would_quantize, ops);
}

Plan plan_of(const Inspection& inspection) {
  Plan plan;
  plan.ops = inspection.ops;
  return plan;
}

}  // namespace

std::string inspection_text(const Inspection& inspection, const RunView& view) {
  std::string text = head_text(inspection) + values_text("input ", inspection.inputs) +
                     values_text("output", inspection.outputs);
  const auto format = inspection.metadata.find("quantlens.format");
  if (format != inspection.metadata.end())
    text += fmt::format("quantized by quantlens, format {}\n", printable(format->second));
  for (const std::string& note : inspection.notes) text += note + '\n';
  text = told(text + counts_text(inspection), view) + shown(inspection_table(inspection), view);
  if (op_counts(inspection.ops).in_float > 0)
    text += shown(float_reasons_table(plan_of(inspection)), view);
  return text;
}

Table inspection_table(const Inspection& inspection) {
  return precision_table(plan_of(inspection));
}

}  // namespace quantlens
