// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/judge.h"

#include "cli/commands/commands.h"
#include "cli/commands/fail_below.h"
#include "cli/commands/render.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  flow::JudgeOptions options;
  FailBelow fail_below;
  LongOptions common;
  TableOptions table;
};

int run(const Arguments& arguments, const std::vector<std::string>& command_line) {
  DiskStore store;
  TerminalProgress progress = arguments.common.make_progress();
  const flow::JudgeResult result =
      flow::judge(arguments.options, arguments.common.session(store, progress, command_line));
  print_run(result, arguments.table, workload_line(result, result.folder));
  return arguments.fail_below.code(result);
}

}  // namespace

void add_judge(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "judge",
      "Judge what earlier runs gathered by the rules of this version; several are parts of one");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option(
          "RUN", arguments->options.runs,
          "The run that diagnosed or evaluated: its id, the beginning of it, its name, the word "
          "last, or its folder; of a run in parts (--shard, --samples) all of them. No "
          "model is run; the models' files must be as they were")
      ->check(offered({.folders = true, .runs = true}))
      ->required();
  arguments->fail_below.add_to(*verb);
  arguments->common.add_to(*verb, DataOption::none);
  arguments->table.add_to(*verb);
  arguments->table.add_sort_to(*verb);
  verb->footer(
      "Example:\n  quantlens judge last\n"
      "Or of parts, from two machines:\n"
      "  quantlens judge one/workloads/ID two/workloads/ID");
  verb->callback([=, &chosen] { chosen = [=] { return run(*arguments, command_line); }; });
}

}  // namespace quantlens::cli
