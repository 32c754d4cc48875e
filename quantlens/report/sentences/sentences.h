// The sentences of statements: one table for each group of rules. A sentence is made of figures
// alone; how many digits of one are shown is said here and nowhere else.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantlens/record/statement.h"

namespace quantlens {

/// The figures of one statement by name. Records come from files: what is missing or of another
/// kind is "?", NaN, 0 or empty.
class Figures {
 public:
  explicit Figures(const Statement& statement) : statement_(statement) {}

  bool has(const std::string& name) const { return statement_.figures.contains(name); }
  double number(const std::string& name) const;
  double percent(const std::string& name) const { return 100 * number(name); }
  std::array<double, 2> ends(const std::string& name) const;
  std::uint64_t count(const std::string& name) const;
  std::vector<std::pair<std::string, std::uint64_t>> counts(const std::string& name) const;
  std::int64_t whole(const std::string& name) const;
  std::vector<std::int64_t> wholes(const std::string& name) const;
  bool is_list(const std::string& name) const;
  bool is_text(const std::string& name) const;
  /// A text; of an op its name.
  std::string text(const std::string& name) const;
  /// A name from a model, safe to print.
  std::string shown(const std::string& name) const;
  std::vector<std::string> texts(const std::string& name) const;

 private:
  const json::Value* find(const std::string& name) const;

  const Statement& statement_;
};

/// "a, b, c" of many more: how many that are is for the sentence to say.
struct FirstNames {
  std::string text;
  std::size_t left_out = 0;
};
FirstNames first_names(const std::vector<std::string>& names);

/// A statement's word and what makes its sentence.
struct Sentence {
  std::string_view says;
  std::string (*sentence)(const Figures& figures);
};

// Of the rules that look at one value, of those that look at the whole, of what the two files do
// otherwise, of what causes have in common, of how models were looked at, of the verdict, of times,
// and of two runs beside each other.
std::span<const Sentence> value_sentences();
std::span<const Sentence> model_sentences();
std::span<const Sentence> change_sentences();
std::span<const Sentence> cause_sentences();
std::span<const Sentence> observation_sentences();
std::span<const Sentence> verdict_sentences();
std::span<const Sentence> speed_sentences();
std::span<const Sentence> comparison_sentences();

}  // namespace quantlens
