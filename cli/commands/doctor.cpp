// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/doctor.h"

#include "cli/commands/commands.h"
#include "cli/commands/render.h"
#include "quantlens/base/json.h"
#include "quantlens/report/checkup_text.h"

namespace quantlens::cli {
namespace {

int run(bool as_json) {
  const Checkup checkup = flow::doctor();
  print_out(as_json ? json::dump(json::encode(checkup)) : checkup_text(checkup));
  return flow::can_run_models(checkup) ? kDone : 1;
}

}  // namespace

void add_doctor(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb =
      program.add_subcommand("doctor", "Show which runtimes are there, and why one is not");
  auto format = std::make_shared<std::string>("table");
  verb->add_option("--output", *format,
                   "Print this form on standard output: table or json (default: table)")
      ->check(one_of({"table", "json"}));
  verb->footer("Example:\n  quantlens doctor");
  verb->callback([=, &chosen] { chosen = [=] { return run(*format == "json"); }; });
}

}  // namespace quantlens::cli
