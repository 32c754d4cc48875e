// Statements as tests compare them: by their words and figures, not by sentences.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "quantlens/base/json_line.h"
#include "quantlens/record/statement.h"

namespace quantlens {

/// "weight_scales(channels: 2, weight_sqnr: 45, wrong: 1) and_also(op: \"mm\")"
inline std::string said(std::span<const Statement> statements) {
  std::string text;
  for (const Statement& statement : statements) {
    if (!text.empty()) text += ' ';
    text += statement.says + '(';
    bool is_first = true;
    for (const auto& [name, figure] : statement.figures) {
      if (!is_first) text += ", ";
      text += name + ": " + json::line(figure.value);
      is_first = false;
    }
    text += ')';
  }
  return text;
}

}  // namespace quantlens
