// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/shell/bash_line.h"
#include "cli/shell/candidates.h"
#include "cli/words.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  std::string shell;
  std::vector<std::string> words;  ///< CLI11 reads brackets in values; nothing is made of these
};

/// The answer's first line: what the shell is to add by itself.
std::string kinds_of(const Completion& completion) {
  std::string kinds = completion.before.empty() ? "word" : "value";
  if (completion.files) kinds += " files";
  if (completion.folders) kinds += " folders";
  return kinds;
}

bool is_one_line(const std::string& text) {
  return std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

/// Bash inserts what begins as the word does; as it stands, or, beside files, quoted by itself.
std::string for_bash(CLI::App& program, const std::vector<std::string>& given) {
  if (given.size() < 2) return {};
  const BashLine line = read_bash_line(given.front(), {given.begin() + 1, given.end()});
  const Completion completion = completion_of(program, verb_words(line.words));
  const std::string& typed = line.words.back();
  std::vector<std::string> fitting;
  for (const Candidate& candidate : completion.candidates) {
    const std::string whole = completion.before + candidate.text;
    if (whole.starts_with(typed)) fitting.push_back(whole.substr(line.kept.size()));
  }
  const bool is_beside_files = completion.files || completion.folders;
  const std::string rest = typed.substr(std::min(line.kept.size(), typed.size()));
  std::string answer = fmt::format("{}\n{}\n", kinds_of(completion), is_one_line(rest) ? rest : "");
  for (const std::string& text : fitting) {
    const std::string inserted = is_beside_files ? text : quoted_for_bash(text, line.quote);
    if (!inserted.empty()) answer += inserted + '\n';
  }
  return answer;
}

/// "CANDIDATE:HELP", as _describe reads it.
std::string for_zsh(CLI::App& program, const std::vector<std::string>& words) {
  const Completion completion = completion_of(program, verb_words(words));
  std::string answer = kinds_of(completion) + '\n';
  for (const auto& [text, about] : completion.candidates) {
    for (const char letter : text) {
      if (letter == ':' || letter == '\\') answer += '\\';
      answer += letter;
    }
    answer += about.empty() ? "\n" : fmt::format(":{}\n", about);
  }
  return answer;
}

/// "CANDIDATE<tab>HELP"; a candidate is the whole word.
std::string for_fish(CLI::App& program, const std::vector<std::string>& words) {
  std::vector<std::string> plain = words;
  if (!plain.empty()) plain.back() = read_bash_line({}, {plain.back()}).words.front();
  const Completion completion = completion_of(program, verb_words(plain));
  std::string answer = kinds_of(completion) + '\n';
  for (const auto& [text, about] : completion.candidates)
    answer += fmt::format("{}{}\t{}\n", completion.before, text, about);
  return answer;
}

std::vector<std::string> behind_mark(const std::vector<std::string>& command_line) {
  const auto mark = std::ranges::find(command_line, "--");
  if (mark == command_line.end()) return {};
  return {mark + 1, command_line.end()};
}

int run(CLI::App& program, const std::string& shell, const std::vector<std::string>& words) {
  try {
    if (shell == "bash") print_out(for_bash(program, words));
    if (shell == "zsh") print_out(for_zsh(program, words));
    if (shell == "fish") print_out(for_fish(program, words));
  } catch (const std::exception&) {
    return kDone;  // a line that is being typed is no place for errors
  }
  return kDone;
}

}  // namespace

void add_complete(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "complete",
      "Tell a shell how a command line may go on; 'quantlens completion' prints what "
      "asks for it");
  verb->group("");  // people have no use for it
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("SHELL", arguments->shell, "The shell that asks: bash, zsh or fish")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}));
  verb->add_option("WORD", arguments->words,
                   "The words, the program's name first; of bash the line before them. They stand "
                   "behind --");
  verb->footer("Example:\n  quantlens complete fish -- quantlens quantize --ap");
  verb->callback([=, &program, &chosen] {
    chosen = [=, &program] { return run(program, arguments->shell, behind_mark(command_line)); };
  });
}

}  // namespace quantlens::cli
