// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/inspect.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands/commands.h"
#include "cli/commands/render.h"
#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/report/tables.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  fs::path model;
  TableOptions table;
};

void print_head(const flow::Inspection& inspection) {
  std::vector<std::string> opsets;
  for (const auto& [domain, version] : inspection.opsets) {
    opsets.push_back(fmt::format("{} {}", domain.empty() ? "ai.onnx" : printable(domain), version));
  }
  print_out(fmt::format("{}: {}, {}, {} parameters ({}), opset {}\n", inspection.path,
                        inspection.format, human_bytes(inspection.file_bytes),
                        inspection.parameters, human_bytes(inspection.weight_bytes),
                        fmt::join(opsets, ", ")));
  const auto print_values = [](const char* what, const std::vector<ValueOutline>& values) {
    for (const ValueOutline& value : values) {
      print_out(fmt::format("{} {}: {} {}\n", what, printable(value.name), value.dtype,
                            printable(value.shape)));
    }
  };
  print_values("input ", inspection.inputs);
  print_values("output", inspection.outputs);
  if (const auto format = inspection.metadata.find("quantlens.format");
      format != inspection.metadata.end()) {
    print_out(fmt::format("quantized by quantlens, format {}\n", printable(format->second)));
  }
  const auto ops = std::ranges::count_if(
      inspection.ops, [](const OpPlan& op) { return op.kind != Kind::constant; });
  if (inspection.on_codes > 0)
    print_out(fmt::format("{} of {} ops compute on codes already\n", inspection.on_codes, ops));
  print_out(fmt::format("{} of {} ops would be quantized\n", inspection.would_quantize, ops));
}

int run(const Arguments& arguments) {
  Workers workers(Isolation{.program = kThisProgram, .stop_requested = {}});  // started when asked
  const flow::Inspection inspection = flow::inspect(arguments.model, Formats(&workers));
  if (arguments.table.is_json()) {
    print_out(json::dump(json::encode(inspection)));
    return kDone;
  }
  Plan plan;
  plan.ops = inspection.ops;
  if (!arguments.table.is_csv()) print_head(inspection);
  arguments.table.print(precision_table(plan));
  if (arguments.table.is_csv()) return kDone;
  if (inspection.on_codes + inspection.would_quantize < inspection.ops.size())
    arguments.table.print(float_reasons_table(plan));
  return kDone;
}

}  // namespace

void add_inspect(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "inspect", "Show what is in a model, what would be quantized, and why the rest would not");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("MODEL", arguments->model, "The model")->required();
  arguments->table.add_to(*verb);
  verb->footer("Example:\n  quantlens inspect mobilenet.onnx");
  verb->callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

}  // namespace quantlens::cli
