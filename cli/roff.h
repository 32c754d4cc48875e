// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quantlens::cli {

/// A page for man(1), made from above to below. All text may hold anything; none of it is read as
/// a request of roff.
class RoffPage {
 public:
  RoffPage(std::string_view name, std::string_view version);

  void section(std::string_view title);
  void part(std::string_view title);     ///< of a section
  void heading(std::string_view title);  ///< of a part
  void plain(std::string_view text);     ///< right below a title
  void paragraph(std::string_view text);
  /// A name in bold, what belongs to it, and what it means.
  void item(std::string_view name, std::string_view values, std::string_view meaning);
  void example(const std::vector<std::string>& lines);
  /// In bold, then as it stands; each is a line of its own.
  void synopsis(std::string_view name, std::string_view rest);

  const std::string& text() const { return text_; }

 private:
  void line(std::string_view text);
  std::string text_;
};

}  // namespace quantlens::cli
