// Statements as tests compare them: by their words and figures, not by sentences.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "quantlens/base/json_line.h"
#include "quantlens/record/statement.h"
#include "quantlens/record/testing/op_refs.h"

namespace quantlens {

/// An op by its name, and by its id where that is another than tests give it.
inline std::string said(const OpRef& op) {
  const std::string name = json::line(json::Value(op.name));
  return op == op_ref(op.name) ? name : fmt::format("{} ({})", name, op.id);
}

/// "0.5", "[1, 2]", "{\"Add\": 2}", "\"text\"" of a figure's value, which is of two levels at most.
inline std::string said(const json::Value& value) {  // NOLINT(misc-no-recursion)
  if (value.is_number()) return fmt::format("{}", value.to_number<double>());
  std::string text;
  if (value.is_array()) {
    for (const json::Value& one : value.get_array()) text += (text.empty() ? "" : ", ") + said(one);
    return '[' + text + ']';
  }
  if (!value.is_object()) return json::line(value);
  if (value.get_object().contains("id")) return said(json::decode<OpRef>(value, "a figure"));
  for (const auto& one : value.get_object()) {
    text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", std::string_view(one.key()),
                        said(one.value()));
  }
  return '{' + text + '}';
}

inline std::string said(std::span<const Statement> statements);
inline std::string said(const Statement& statement) {
  return said(std::span(&statement, 1));
}

/// "weight_scales(channels: 2, weight_sqnr: 45, wrong: 1) and_also(op: \"mm\")"
inline std::string said(std::span<const Statement> statements) {
  std::string text;
  for (const Statement& statement : statements) {
    if (!text.empty()) text += ' ';
    text += statement.says + '(';
    bool is_first = true;
    for (const auto& [name, figure] : statement.figures) {
      if (!is_first) text += ", ";
      text += name + ": " + said(figure.value);
      is_first = false;
    }
    text += ')';
  }
  return text;
}

}  // namespace quantlens
