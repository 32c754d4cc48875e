// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/terminal.h"
#include "quantlens/runtime/remote/serve.h"

namespace quantlens::cli {
namespace {

int run(const std::string& runtime) {
  // The program that started it decides when it ends: nobody here asks whether to stop.
  uninstall_interrupt_handler();
  remote::serve(runtime, STDIN_FILENO);
  return kDone;
}

}  // namespace

void add_worker(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "worker",
      "Run, time and read models for another quantlens, which starts this program by itself "
      "(--isolate)");
  verb->group("");  // people have no use for it
  auto runtime = std::make_shared<std::string>();
  verb->add_option(
          "RUNTIME", *runtime,
          "The runtime to use: onnxruntime, tensorflow, or oracle (small and slow, for tests)")
      ->required()
      ->check(one_of({"onnxruntime", "oracle", "tensorflow"}));
  verb->footer(
      "It speaks frames over the socket that is its standard input (docs/workers.md).\n"
      "Example:\n  quantlens quantize mobilenet.onnx --data imagenet.yaml --isolate");
  verb->callback([=, &chosen] { chosen = [=] { return run(*runtime); }; });
}

}  // namespace quantlens::cli
