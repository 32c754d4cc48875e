// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <new>
#include <sstream>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/usage.h"
#include "cli/words.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/version.h"
#include "quantlens/runtime/open.h"
#include "server/jobs/exit_code.h"

namespace quantlens::cli {
namespace {

int usage_code(const CLI::App& program, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    std::ostringstream text, none;
    program.exit(error, text, none);  // the help or the version that was asked for
    print_out(text.str());
    return kDone;
  }
  std::string command = "quantlens";
  for (const CLI::App* verb = &program; !verb->get_subcommands().empty();) {
    verb = verb->get_subcommands().front();
    command += " " + verb->get_name();
  }
  print_err(fmt::format("quantlens: {}; see {} --help\n", sentence_of(program, error), command));
  return exit_code(Errc::usage);
}

/// Throws Errc::usage, naming the nearest, where there is no command or the first argument is none.
void check_command(const CLI::App& program, const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    throw Error(Errc::usage,
                "no command is given; begin with quantlens demo, or see quantlens --help");
  }
  if (arguments[0].starts_with('-')) return;
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  if (std::ranges::find(names, arguments[0]) != names.end()) return;
  const std::string hint = did_you_mean(arguments[0], names);
  throw Error(Errc::usage, fmt::format("there is no command '{}'; {}", shown(arguments[0]),
                                       hint.empty() ? "see quantlens --help" : hint));
}

/// The words of the command line; those of the predecessors' `neural_insights` are those of serve.
std::vector<const char*> words_of(int argc, char** argv) {
  std::vector<const char*> words(argv, argv + argc);
  if (argc > 0 && is_called_to_serve(argv[0])) words.insert(words.begin() + 1, "serve");
  return words;
}

int run(const std::vector<const char*>& argv) {
  CLI::App program{"quantlens quantizes neural networks to int8 and shows why accuracy was lost."};
  program.set_version_flag("--version", std::string("quantlens ") + kVersion);
  program.require_subcommand(1);
  program.footer(
      "Exit codes: 0 done, 1 failed, 2 wrong use, 3 done but a goal was missed, 130 interrupted.\n"
      "Begin with: quantlens demo");
  program.formatter(help_formatter());
  const std::vector<std::string> arguments(argv.begin() + 1, argv.end());
  Runner chosen;
  add_commands(program, arguments, chosen);
  check_command(program, arguments);
  try {
    program.parse(static_cast<int>(argv.size()), argv.data());
  } catch (const CLI::ParseError& error) {
    return usage_code(program, error);
  }
  install_interrupt_handler();
  return chosen();
}

/// The exit code of the program.
int guarded(int argc, char** argv) {
  try {
    return run(words_of(argc, argv));
  } catch (const Error& error) {
    print_err(fmt::format("quantlens: {}\n", shown(error.what())));
    return exit_code(error.code());
  } catch (const std::bad_alloc&) {
    print_err(
        "quantlens: out of memory; use fewer --threads, a smaller --batch-size or a larger "
        "machine\n");
  } catch (const std::exception& error) {
    print_err(fmt::format("quantlens: unexpected: {}; please report this with the command line\n",
                          shown(error.what())));
  }
  return exit_code(Errc::failed);
}

}  // namespace
}  // namespace quantlens::cli

int main(int argc, char** argv) {
  quantlens::cli::guard_process();
  quantlens::decline_telemetry();
  const int code = quantlens::cli::guarded(argc, argv);
  quantlens::server::leave_exit_code(code);
  return code;
}
