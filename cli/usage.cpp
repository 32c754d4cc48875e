// SPDX-License-Identifier: Apache-2.0
#include "cli/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/commands/commands.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens::cli {

std::string shown(std::string_view sentence) {
  constexpr std::size_t kBeginning = 600;
  constexpr std::size_t kEnd = 300;
  if (sentence.size() <= kBeginning + kEnd) return printable(sentence);
  return printable(fmt::format("{} ... {}", sentence.substr(0, kBeginning),
                               sentence.substr(sentence.size() - kEnd)));
}

std::string sentence_of(const CLI::App& program, const CLI::ParseError& error) {
  std::string sentence = error.what();
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    sentence = fmt::format("'{}' means nothing here", fmt::join(program.remaining(true), " "));
  }
  if (const std::size_t at = sentence.find(": At Most 1 required"); at != std::string::npos)
    sentence = sentence.substr(0, at) + " is given more than once; give it once";
  return shown(sentence);
}

void check_usage(const std::vector<std::string>& arguments) {
  CLI::App program;
  program.require_subcommand(1);
  Runner none;
  add_commands(program, arguments, none);
  std::vector<const char*> words{"quantlens"};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  try {
    program.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    throw Error(Errc::usage, sentence_of(program, error));
  }
}

}  // namespace quantlens::cli
