// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/doctor.h"

#include "cli/commands/commands.h"
#include "cli/commands/render.h"
#include "quantlens/base/json.h"
#include "quantlens/report/checkup_text.h"

namespace quantlens::cli {
namespace {

void print(const Checkup& checkup, const TableOptions& options) {
  if (options.is_json()) return print_out(json::dump(json::encode(checkup)));
  if (options.is_csv()) return options.print(runtimes_table(checkup));
  print_out(options.is_markdown() ? checkup_markdown(checkup) : checkup_text(checkup));
}

int run(const TableOptions& options) {
  Workers workers(Isolation{.program = kThisProgram, .stop_requested = {}});
  const Checkup checkup = flow::doctor(&workers);
  print(checkup, options);
  return flow::can_run_models(checkup) ? kDone : 1;
}

}  // namespace

void add_doctor(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb =
      program.add_subcommand("doctor", "Show which runtimes are there, and why one is not");
  auto options = std::make_shared<TableOptions>();
  options->add_form_to(*verb);
  verb->footer("Example:\n  quantlens doctor");
  verb->callback([=, &chosen] { chosen = [=] { return run(*options); }; });
}

}  // namespace quantlens::cli
