// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/json.h"
#include "quantlens/base/words.h"

namespace quantlens {

/// One mapping of a recipe, and where it stands. All throw Errc::usage for a value of the wrong
/// kind, naming it. Of a list the first counts; an empty one, or null, is absent.
class Section {
 public:
  /// Throws for a key that is not among `keys`, naming the nearest. REQUIRES: `value` outlives it.
  Section(const json::Value& value, std::string where, const std::vector<std::string>& keys);

  const json::Value* find(std::string_view key) const;  ///< null: absent
  std::string where(std::string_view key) const;

  std::optional<std::string> text(std::string_view key) const;  ///< a bool as "true" or "false"
  std::optional<bool> flag(std::string_view key) const;
  std::optional<std::uint64_t> count(std::string_view key) const;  ///< at least 1
  std::optional<double> number(std::string_view key) const;
  std::vector<std::string> words(std::string_view key) const;  ///< all of a list

 private:
  std::string where_;
  const boost::json::object* object_ = nullptr;
};

/// What stands for itself, or for the list that it begins; null: absent.
const json::Value* first_of(const json::Value* value);

/// Errc::usage: `where` cannot be `text`; names the nearest word of those that it may be, and all.
[[noreturn]] void fail_word(const std::string& where, const std::string& text,
                            const std::vector<std::string_view>& may_be);

/// Those of `may_be`; of none given, all.
template <WordEnum E>
std::vector<std::string_view> words_of(std::span<const E> may_be) {
  if (may_be.empty()) return words<E>();
  std::vector<std::string_view> known;
  for (const E one : may_be) known.push_back(word(one));
  return known;
}

/// Throws as fail_word for a value that is none of `may_be`; of none given, any may be.
template <WordEnum E>
void check_word(const std::string& where, const std::optional<E>& value,
                std::span<const E> may_be) {
  if (!value || may_be.empty() || std::ranges::find(may_be, *value) != may_be.end()) return;
  fail_word(where, std::string(word(*value)), words_of(may_be));
}

/// What the text means; nothing: it is absent. Throws as fail_word where it is the word of none of
/// `may_be`, or, without these, of no enumerator.
template <WordEnum E>
std::optional<E> choice(const std::optional<std::string>& text, const std::string& where,
                        std::span<const E> may_be = {}) {
  if (!text) return std::nullopt;
  const std::optional<E> found = from_word<E>(*text);
  if (!found) fail_word(where, *text, words_of(may_be));
  check_word(where, found, may_be);
  return found;
}

}  // namespace quantlens
