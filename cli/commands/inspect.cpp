// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/inspect.h"

#include "cli/commands/commands.h"
#include "cli/commands/render.h"
#include "quantlens/base/json.h"
#include "quantlens/report/inspection_text.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  fs::path model;
  EndsOptions ends;
  TableOptions table;
};

int run(const Arguments& arguments) {
  Workers workers(Isolation{.program = kThisProgram, .stop_requested = {}});  // started when asked
  const Inspection inspection =
      flow::inspect(arguments.model, arguments.ends.ends(), Formats(&workers));
  if (arguments.table.is_json()) {
    print_out(json::dump(json::encode(inspection)));
  } else if (arguments.table.is_csv()) {
    arguments.table.print(inspection_table(inspection));
  } else {
    print_out(inspection_text(inspection, arguments.table.view()));
  }
  return kDone;
}

}  // namespace

void add_inspect(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "inspect", "Show what is in a model, what would be quantized, and why the rest would not");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("MODEL", arguments->model, "The model")->check(offers_files())->required();
  arguments->ends.add_to(*verb);
  arguments->table.add_to(*verb);
  verb->footer(
      "Example:\n  quantlens inspect mobilenet.onnx\n"
      "  quantlens inspect ds_cnn.pb --inputs Mfcc --outputs labels_softmax");
  verb->callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

}  // namespace quantlens::cli
