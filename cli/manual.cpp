// SPDX-License-Identifier: Apache-2.0
#include "cli/manual.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/roff.h"
#include "quantlens/flow/version.h"

namespace quantlens::cli {
namespace {

using Entry = std::pair<std::string_view, std::string_view>;

constexpr std::array kExitCodes = {
    Entry("0", "It is done."),
    Entry("1",
          "It failed: a file, a model, the machine or a runtime was not as it must be. "
          "Standard error says what, where, and what to do next."),
    Entry("2",
          "Wrong use: the command line or the recipe asks for what is impossible. Nothing was "
          "run."),
    Entry("3",
          "It is done, but a goal was missed, of tune, --fail-below, --max-loss or --fail-on."),
    Entry("130", "It was interrupted: by Ctrl-C, SIGTERM or a terminal that was closed."),
};

constexpr std::array kFiles = {
    Entry("~/.local/share/quantlens/",
          "The workspace where nothing else is said: all runs that are kept. Each has a folder of "
          "its own, workloads/ID."),
    Entry("certificate.pem, in the workspace",
          "The certificate and the private key that the first start of quantlens serve makes."),
    Entry("PREFIX/lib/quantlens/libonnxruntime.so.1",
          "The runtime that was installed with the program."),
    Entry("PREFIX/share/quantlens/demo/", "Model and data of quantlens demo."),
};

constexpr std::array kVariables = {
    Entry("QUANTLENS_WORKSPACE", "The workspace, where --workspace does not name one."),
    Entry("XDG_DATA_HOME",
          "Without it, the workspace is the folder quantlens in here (default: "
          "~/.local/share). Paths that are not absolute are passed over."),
    Entry("QUANTLENS_ONNXRUNTIME",
          "The library of ONNX Runtime to load, or the folder that it is in. Without it: the one "
          "that was installed with the program, else the system's. quantlens doctor says which "
          "one is used."),
    Entry("COLUMNS", "How wide tables are where standard output is no terminal."),
};

std::vector<const CLI::App*> shown_verbs(const CLI::App& outer) {
  return outer.get_subcommands([](const CLI::App* verb) { return !verb->get_group().empty(); });
}

std::vector<const CLI::Option*> shown_options(const CLI::App& verb, bool positional) {
  return verb.get_options([=, &verb](const CLI::Option* option) {
    return !option->get_group().empty() && option != verb.get_help_ptr() &&
           option->get_positional() == positional;
  });
}

bool may_repeat(const CLI::Option& option) {
  return option.get_expected_max() >= CLI::detail::expected_max_vector_size;
}

/// "[OPTIONS] MODEL [OTHER]".
std::string arguments_of(const CLI::App& verb) {
  std::string text = "[OPTIONS]";
  for (const CLI::Option* option : shown_options(verb, true)) {
    const std::string name = option->get_name(true) + (may_repeat(*option) ? "..." : "");
    text += option->get_required() ? " " + name : fmt::format(" [{}]", name);
  }
  if (!shown_verbs(verb).empty()) text += " [VERB]";
  return text;
}

std::string names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string values_of(const CLI::Option& option) {
  std::string text = option.get_items_expected_max() == 0 ? "" : option.get_type_name();
  if (option.get_required()) text += " (required)";
  for (const CLI::Option* other : option.get_needs())
    text += fmt::format(" (needs {})", other->get_name());
  return text;
}

void add_options(RoffPage& page, const CLI::App& verb) {
  for (const CLI::Option* option : shown_options(verb, true))
    page.item(option->get_name(true), "", option->get_description());
  const std::vector<const CLI::Option*> options = shown_options(verb, false);
  for (const std::string& group : verb.get_groups()) {
    bool is_first = true;
    for (const CLI::Option* option : options) {
      if (option->get_group() != group) continue;
      if (std::exchange(is_first, false)) page.heading(group + ":");
      page.item(names_of(*option), values_of(*option), option->get_description());
    }
  }
}

/// What follows the options in the help: sentences, and commands that are indented.
void add_footer(RoffPage& page, const std::string& footer) {
  std::istringstream lines(footer);
  std::vector<std::string> commands;
  const auto end_commands = [&] {
    if (!commands.empty()) page.example(commands);
    commands.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ")) {
      commands.push_back(line.substr(2));
    } else {
      end_commands();
      page.paragraph(line);
    }
  }
  end_commands();
}

/// `name`: with that of the verb around it.
void add_verb(RoffPage& page, const CLI::App& verb, const std::string& name) {
  page.part(name);
  page.synopsis("quantlens " + name, arguments_of(verb));
  page.paragraph(verb.get_description() + ".");
  add_options(page, verb);
  add_footer(page, verb.get_footer());
  for (const CLI::App* inner : shown_verbs(verb))
    add_verb(page, *inner, name + " " + inner->get_name());
}

template <std::size_t N>
void add_section(RoffPage& page, std::string_view title, const std::array<Entry, N>& entries) {
  page.section(title);
  for (const auto& [name, meaning] : entries) page.item(name, "", meaning);
}

void add_beginning(RoffPage& page, const std::string& name, const std::string& description) {
  std::string_view what = description;
  if (what.starts_with(name + " ")) what.remove_prefix(name.size() + 1);
  if (what.ends_with('.')) what.remove_suffix(1);
  page.section("NAME");
  page.plain(fmt::format("{} - {}", name, what));
  page.section("SYNOPSIS");
  page.synopsis(name, "VERB [OPTIONS] [ARGUMENTS]");
  page.synopsis(name + " VERB --help", "");
  page.synopsis("neural_insights", "[OPTIONS]");
  page.section("DESCRIPTION");
  page.paragraph(
      description +
      " It runs the float model and the int8 model in lockstep over samples, measures every tensor "
      "of every op, ranks the ops, shows where the error begins, and says what to change.");
  page.paragraph("Begin with quantlens demo. Called as neural_insights, it is quantlens serve.");
}

}  // namespace

std::string manual(const CLI::App& program) {
  const std::string name = "quantlens";
  RoffPage page(name, kVersion);
  add_beginning(page, name, program.get_description());
  page.section("OPTIONS");
  page.item("-h, --help", "", "Print help and exit; behind a verb, that of the verb.");
  page.item("--version", "", "Print the version and exit.");
  page.section("VERBS");
  for (const CLI::App* verb : shown_verbs(program)) add_verb(page, *verb, verb->get_name());
  add_section(page, "EXIT STATUS", kExitCodes);
  add_section(page, "FILES", kFiles);
  add_section(page, "ENVIRONMENT", kVariables);
  page.section("SEE ALSO");
  page.paragraph(
      "docs/tour.md of the sources shows all verbs in ten minutes; README.md there lists the other "
      "documents.");
  return page.text();
}

}  // namespace quantlens::cli
