// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/demo.h"

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/demo_folder.h"
#include "cli/commands/render.h"
#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/base/shell_word.h"
#include "quantlens/report/demo_text.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  LongOptions common;
  TableOptions table;
};

fs::path demo_folder() {
  if (std::optional<fs::path> folder = find_demo_folder()) return *std::move(folder);
  throw Error(Errc::not_found,
              "the demo's model and data are not beside the program; install quantlens with "
              "cmake --install, or run it from its build folder");
}

/// The command that shows the session's runs.
std::string serve_command(const flow::Session& session) {
  const std::string given = session.workspace.string();
  return "quantlens serve --open" + (given.empty() ? "" : " --workspace " + shell_word(given));
}

int run(const Arguments& arguments, const std::vector<std::string>& command_line) {
  DiskStore store;
  TerminalProgress progress = arguments.common.make_progress();
  const flow::Session session = arguments.common.session(store, progress, command_line);
  const flow::DemoResult result = flow::demo(demo_folder(), session);
  const auto& [broken, mended] = result;
  if (arguments.table.is_json()) {
    print_out(json::dump(json::encode(demo_summary(broken, mended))));
    return kDone;
  }
  if (arguments.table.is_csv()) {
    if (const std::optional<Table> table = run_table(broken, arguments.table.view()))
      arguments.table.print(*table);
    return kDone;
  }
  print_out(demo_text(broken, mended, arguments.table.view()));
  arguments.table.tell(
      fmt::format("\nThe same on your own model:\n  quantlens quantize MODEL.onnx --data DATA "
                  "--diagnose --metric top1\nAll of this run: {}\nIn the browser:\n  {}\n",
                  shell_word(broken.folder.string()), serve_command(session)));
  return kDone;
}

}  // namespace

void add_demo(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "demo", "Run the main example on a model and data that come with quantlens");
  auto arguments = std::make_shared<Arguments>();
  arguments->common.add_to(*verb, DataOption::none);
  arguments->table.add_to(*verb);
  verb->footer("Example:\n  quantlens demo");
  verb->callback([=, &chosen] { chosen = [=] { return run(*arguments, command_line); }; });
}

}  // namespace quantlens::cli
