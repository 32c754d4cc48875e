// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quantlens::server {

enum class FieldKind {
  input,     ///< a path below the roots, or one of `words`
  model,     ///< likewise of a model's file, with all that it names itself
  data,      ///< likewise, with all that a data document names
  output,    ///< a path below the roots where nothing is, with one of the endings in `words`
  folder,    ///< likewise of a folder, made by the job: nothing is there
  recipe,    ///< an object, a path, the id of a workload, or a list of these
  workload,  ///< an id, or last
  metric,    ///< a name of a metric, with options
  text,      ///< a line of text, of at most `most` bytes
  word,      ///< one of `words`
  flag,      ///< true or false
  count,     ///< a whole number from `least` to `most`
  counts,    ///< such a number, or a list of them
  real,      ///< a number
  part,      ///< two numbers with one of `words` between them
};

/// What may be asked of a verb, and how its command line says it: nothing else gets there.
struct Field {
  std::string_view name;
  FieldKind kind;
  std::string_view option;  ///< "--limit"; empty: an argument without one
  std::string_view verbs;   ///< that take it, with spaces between
  std::string_view needed_by;
  std::string_view words;
  std::uint64_t least;
  std::uint64_t most;
  std::string_view meaning;
  std::string_view needs = {};  ///< a field without which this one means nothing
};

/// Arguments without an option come first, in their order on the command line.
std::span<const Field> job_fields();
std::span<const std::string_view> job_verbs();

bool is_taken_by(const Field& field, std::string_view verb);
bool is_needed_by(const Field& field, std::string_view verb);

/// What the command line says of an option, for who asked by fields: the field that it is about
/// first, as "verify: --verify requires --diagnose".
std::string in_words_of_fields(std::string_view sentence, std::string_view verb);

/// The words of a text that has spaces between them.
std::vector<std::string_view> words_in(std::string_view text);
bool has_word(std::string_view text, std::string_view word);

}  // namespace quantlens::server
