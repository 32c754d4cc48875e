// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <sstream>
#include <string>

namespace quantlens::cli {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kLeft = 34;

/// The right column; CLI11 indents what follows a newline.
std::string in_lines(const std::string& text) {
  std::istringstream words(text);
  std::string lines;
  std::string word;
  std::size_t column = 0;
  while (words >> word) {
    if (column > 0 && column + 1 + word.size() > kWidth - kLeft) {
      lines += '\n';
      column = 0;
    }
    if (column > 0) lines += ' ';
    column += word.size() + (column > 0 ? 1 : 0);
    lines += word;
  }
  return lines;
}

class Help final : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    return in_lines(CLI::Formatter::make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* verb) const override {
    std::ostringstream text;
    CLI::detail::format_help(text, verb->get_name(), in_lines(verb->get_description()), kLeft);
    return text.str();
  }
};

}  // namespace

std::shared_ptr<CLI::Formatter> help_formatter() {
  auto help = std::make_shared<Help>();
  help->column_width(kLeft);
  return help;
}

}  // namespace quantlens::cli
