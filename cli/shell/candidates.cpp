// SPDX-License-Identifier: Apache-2.0
#include "cli/shell/candidates.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "cli/offered.h"
#include "cli/shell/phrase.h"
#include "quantlens/base/text.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens::cli {
namespace {

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

bool may_stand_alone(const CLI::Option& option) {
  return option.get_expected_min() == 0;
}

bool is_option_word(std::string_view word) {
  return word.size() > 1 && word.starts_with('-');
}

std::vector<CLI::App*> verbs_of(CLI::App& outer) {
  return outer.get_subcommands([](const CLI::App*) { return true; });
}

CLI::App* verb_called(CLI::App& outer, const std::string& name) {
  const std::vector<CLI::App*> verbs = verbs_of(outer);
  const auto verb = std::ranges::find(verbs, name, [](auto* each) { return each->get_name(); });
  return verb != verbs.end() ? *verb : nullptr;
}

/// The verb's own, and those of the verb around it where they may follow.
std::vector<CLI::Option*> options_of(CLI::App* verb) {
  std::vector<CLI::Option*> options = verb->get_options();
  CLI::App* outer = verb->get_parent();
  if (outer != nullptr && outer->get_parent() != nullptr && verb->get_fallthrough()) {
    std::ranges::copy_if(
        outer->get_options(), std::back_inserter(options),
        [&](const CLI::Option* option) { return option != outer->get_help_ptr(); });
  }
  return options;
}

/// What has been typed before the last word.
class TypedWords {
 public:
  explicit TypedWords(CLI::App& program) : verb_(&program) {}
  void pass(const std::string& word);
  CLI::App& verb() const { return *verb_; }
  /// Whose value the next word is; nothing where it is none.
  CLI::Option* waiting() const { return waiting_; }
  /// The argument without an option that comes next.
  CLI::Option* positional() const;
  CLI::Option* long_option(std::string_view name) const;
  bool takes_options() const { return !only_positionals_; }
  bool takes_verbs() const { return takes_options() && positionals_ == 0; }
  const std::string& workspace() const { return workspace_; }

 private:
  void pass_long(std::string_view word);
  void pass_short(std::string_view word);
  CLI::Option* short_option(char letter) const;
  void keep(const CLI::Option& option, std::string_view value);

  CLI::App* verb_;
  CLI::Option* waiting_ = nullptr;
  int positionals_ = 0;
  bool only_positionals_ = false;
  std::string workspace_;
};

CLI::Option* TypedWords::long_option(std::string_view name) const {
  for (CLI::Option* option : options_of(verb_)) {
    if (std::ranges::find(option->get_lnames(), name) != option->get_lnames().end()) return option;
  }
  return nullptr;
}

CLI::Option* TypedWords::short_option(char letter) const {
  const std::string name(1, letter);
  for (CLI::Option* option : options_of(verb_)) {
    if (std::ranges::find(option->get_snames(), name) != option->get_snames().end()) return option;
  }
  return nullptr;
}

CLI::Option* TypedWords::positional() const {
  int left = positionals_;
  for (CLI::Option* option : options_of(verb_)) {
    if (!option->get_positional()) continue;
    if (left < option->get_items_expected_max()) return option;
    left -= option->get_items_expected_max();
  }
  return nullptr;
}

void TypedWords::keep(const CLI::Option& option, std::string_view value) {
  const std::vector<std::string>& names = option.get_lnames();
  if (std::ranges::find(names, "workspace") != names.end()) workspace_ = value;
}

void TypedWords::pass_long(std::string_view word) {
  const std::size_t equals = word.find('=');
  CLI::Option* option = long_option(word.substr(2, equals - 2));
  if (option == nullptr || !takes_value(*option)) return;
  if (equals == std::string_view::npos) {
    waiting_ = option;
  } else {
    keep(*option, word.substr(equals + 1));
  }
}

/// "-v", "-p5000", or several flags in one word.
void TypedWords::pass_short(std::string_view word) {
  for (std::size_t i = 1; i < word.size(); ++i) {
    CLI::Option* option = short_option(word[i]);
    if (option == nullptr) return;
    if (!takes_value(*option)) continue;
    if (i + 1 == word.size()) waiting_ = option;
    return;
  }
}

void TypedWords::pass(const std::string& word) {
  if (CLI::Option* option = std::exchange(waiting_, nullptr); option != nullptr) {
    if (!is_option_word(word) || !may_stand_alone(*option)) return keep(*option, word);
  }
  if (takes_options()) {
    if (word == "--") {
      only_positionals_ = true;
      return;
    }
    if (word.starts_with("--")) return pass_long(word);
    if (is_option_word(word)) return pass_short(word);
  }
  CLI::App* verb = takes_verbs() ? verb_called(*verb_, word) : nullptr;
  if (verb != nullptr) {
    verb_ = verb;
  } else {
    ++positionals_;
  }
}

/// The shell has not expanded it yet.
std::string with_home(const std::string& path) {
  const char* home = std::getenv("HOME");
  const bool is_in_home = path == "~" || path.starts_with("~/");
  return is_in_home && home != nullptr ? home + path.substr(1) : path;
}

/// Newest first; made by hand, a folder may be called anything.
std::vector<Candidate> stored_runs(const std::string& workspace) {
  const fs::path root = workspace.empty() ? default_workspace() : fs::path(with_home(workspace));
  const fs::path folder = root / "workloads";
  std::vector<std::string> ids = DiskStore().list(folder);
  std::ranges::reverse(ids);
  std::vector<Candidate> runs;
  for (std::string& id : ids) {
    std::error_code ignored;
    const bool is_offered = !id.starts_with('.') && printable(id) == id;
    if (is_offered && fs::is_directory(folder / id, ignored))
      runs.push_back({.text = std::move(id), .about = {}});
  }
  if (!runs.empty()) runs.insert(runs.begin(), {.text = "last", .about = "The newest run"});
  return runs;
}

Completion values(CLI::Option& option, const TypedWords& typed) {
  const Offered offer = offer_of(option);
  Completion completion{.before = {},
                        .candidates = {},
                        .files = offer.files,
                        .folders = offer.folders && !offer.files};
  for (const std::string& word : offer.words)
    completion.candidates.push_back({.text = word, .about = {}});
  if (!offer.runs) return completion;
  std::ranges::move(stored_runs(typed.workspace()), std::back_inserter(completion.candidates));
  return completion;
}

std::vector<Candidate> option_names(CLI::App& verb) {
  std::vector<Candidate> names;
  for (const CLI::Option* option : options_of(&verb)) {
    if (option->get_group().empty()) continue;
    const std::string about = phrase(option->get_description());
    for (const std::string& name : option->get_lnames())
      names.push_back({.text = "--" + name, .about = about});
    for (const std::string& name : option->get_snames())
      names.push_back({.text = "-" + name, .about = about});
  }
  return names;
}

std::vector<Candidate> verb_names(CLI::App& outer) {
  std::vector<Candidate> names;
  for (const CLI::App* verb : verbs_of(outer)) {
    if (verb->get_group().empty()) continue;
    names.push_back({.text = verb->get_name(), .about = phrase(verb->get_description())});
  }
  return names;
}

/// Of "--output=js".
Completion value_behind_equals(const TypedWords& typed, const std::string& last) {
  const std::size_t equals = last.find('=');
  CLI::Option* option = typed.long_option(std::string_view(last).substr(2, equals - 2));
  if (option == nullptr || !takes_value(*option)) return {};
  Completion completion = values(*option, typed);
  completion.before = last.substr(0, equals + 1);
  return completion;
}

}  // namespace

Completion completion_of(CLI::App& program, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  TypedWords typed(program);
  std::for_each(words.begin(), words.end() - 1, [&](const auto& word) { typed.pass(word); });
  const std::string& last = words.back();
  const bool begins_option = typed.takes_options() && last.starts_with('-');
  if (CLI::Option* option = typed.waiting();
      option != nullptr && !(begins_option && may_stand_alone(*option)))
    return values(*option, typed);
  if (begins_option && last.starts_with("--") && last.find('=') != std::string::npos)
    return value_behind_equals(typed, last);
  Completion completion;
  if (begins_option) {
    completion.candidates = option_names(typed.verb());
    return completion;
  }
  CLI::Option* positional = typed.positional();
  if (positional != nullptr) completion = values(*positional, typed);
  if (typed.takes_verbs())
    std::ranges::move(verb_names(typed.verb()), std::back_inserter(completion.candidates));
  if (positional == nullptr && completion.candidates.empty() && typed.takes_options())
    completion.candidates = option_names(typed.verb());
  return completion;
}

}  // namespace quantlens::cli
