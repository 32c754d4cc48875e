// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <new>

#include <fmt/format.h>

#include "cli/command.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/version.h"

namespace quantlens::cli {
namespace {

int usage_code(const CLI::App& program, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
    return program.exit(error);
  const CLI::App* verb = &program;
  while (!verb->get_subcommands().empty()) verb = verb->get_subcommands().front();
  fmt::print(stderr, "quantlens: {}; see {} --help\n", printable(error.what()),
             verb == &program ? "quantlens" : "quantlens " + verb->get_name());
  return exit_code(Errc::usage);
}

int run(int argc, char** argv) {
  CLI::App program{"quantlens quantizes neural networks to int8 and shows why accuracy was lost."};
  program.set_version_flag("--version", std::string("quantlens ") + kVersion);
  program.require_subcommand(1);
  program.footer("Begin with: quantlens demo");
  program.get_formatter()->column_width(34);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  Runner chosen;
  add_commands(program, arguments, chosen);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return usage_code(program, error);
  }
  install_interrupt_handler();
  return chosen();
}

}  // namespace
}  // namespace quantlens::cli

int main(int argc, char** argv) {
  using quantlens::Errc;
  try {
    return quantlens::cli::run(argc, argv);
  } catch (const quantlens::Error& error) {
    fmt::print(stderr, "quantlens: {}\n", quantlens::printable(error.what()));
    return quantlens::exit_code(error.code());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr,
               "quantlens: out of memory; use fewer --threads, a smaller --batch-size or a larger "
               "machine\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "quantlens: unexpected: {}; please report this with the command line\n",
               quantlens::printable(error.what()));
  }
  return quantlens::exit_code(Errc::failed);
}
