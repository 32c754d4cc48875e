// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/json.h"

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

}  // namespace quantlens
