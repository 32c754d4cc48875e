// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/base/json.h"
#include "quantlens/record/op_ref.h"

namespace quantlens {

/// What a figure is. number: in the model's own units, or how many times; share: of 1, where less
/// than 0 is a loss; decibels: an SQNR; microseconds: of one run; op: an OpRef; value: its name;
/// text: a word that is one of a few, or what others say.
BOOST_DEFINE_ENUM_CLASS(FigureKind, number, count, share, decibels, microseconds, op, value, text)

/// One figure in full precision: a number, a text or an op, a list of these (two ends of a range or
/// of an interval; several ops), or an object of numbers (how many of each type).
struct Figure {
  FigureKind is = FigureKind::number;
  json::Value value;
  bool operator==(const Figure&) const = default;
};
BOOST_DESCRIBE_STRUCT(Figure, (), (is, value))

/// What is said, without the words: report/ makes the sentence (report/statement_text.h).
struct Statement {
  std::string says;                       ///< which statement, a word of docs/statements.md
  std::map<std::string, Figure> figures;  ///< by name; what is not the case is left out
  bool operator==(const Statement&) const = default;
};
BOOST_DESCRIBE_STRUCT(Statement, (), (says, figures))

/// Said one after the other, as one text: some begin what those behind them end.
using Statements = std::vector<Statement>;

/// A text that has no figures apart: what others say, and what layouts before 6 have.
Statement said_in_words(std::string_view words);

/// Figures of each kind.
namespace figure {

Figure number(double value);
Figure numbers(const std::array<double, 2>& ends);
Figure whole(std::int64_t value);
Figure wholes(const std::vector<std::int64_t>& values);
Figure count(std::uint64_t value);
Figure counts(const std::vector<std::pair<std::string, std::uint64_t>>& of_each);
Figure share(double value);
Figure shares(const std::array<double, 2>& ends);
Figure decibels(double value);
Figure microseconds(double value);
Figure op(const OpRef& op);
Figure ops(const std::vector<OpRef>& ops);
Figure value(std::string_view name);
Figure values(const std::vector<std::string>& names);
Figure text(std::string_view words);
Figure texts(const std::vector<std::string>& words);

}  // namespace figure
}  // namespace quantlens
