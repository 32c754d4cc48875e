// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.h"
#include "cli/shell/scripts.h"

namespace quantlens::cli {

void add_completion(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "completion", "Print what makes a shell complete command lines of quantlens");
  auto shell = std::make_shared<std::string>();
  verb->add_option("SHELL", *shell, "The shell: bash, zsh or fish")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}));
  verb->footer(
      "The script asks the quantlens on PATH and fits every version; cmake --install puts it in "
      "place.\nFor one session of bash, or of zsh after compinit:\n"
      "  source <(quantlens completion bash)\n"
      "  source <(quantlens completion zsh)\n"
      "Example:\n  quantlens completion fish | source");
  verb->callback([=, &chosen] {
    chosen = [=] {
      print_out(completion_script(*shell));
      return kDone;
    };
  });
}

}  // namespace quantlens::cli
