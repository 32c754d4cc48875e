// SPDX-License-Identifier: Apache-2.0
#include "cli/manual.h"

#include "cli/commands/commands.h"

namespace quantlens::cli {

void add_manual(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb =
      program.add_subcommand("manual", "Print the page for man: all verbs with all options");
  verb->footer(
      "cmake --install puts it in place; then it is shown by: man quantlens\n"
      "Example:\n  quantlens manual | man -l -");
  verb->callback([&program, &chosen] {
    chosen = [&program] {
      print_out(manual(program));
      return kDone;
    };
  });
}

}  // namespace quantlens::cli
