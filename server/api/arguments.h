// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/request.h"

namespace quantlens::server {

/// What a request asks for: of its query, and of the JSON object in the body of a POST, where a
/// value is a text, a number, a flag or a list of these. Whoever asks for one gets the first.
class Arguments {
 public:
  Arguments() = default;
  explicit Arguments(Pairs query) : pairs_(std::move(query)) {}
  /// Throws Errc::usage for a body that is no such object.
  explicit Arguments(const Request& request);

  std::optional<std::string_view> text(std::string_view name) const;
  /// Throws Errc::usage with this sentence where it is absent or empty.
  std::string_view needed(std::string_view name, const std::string& sentence) const;
  std::vector<std::string> all(std::string_view name) const;
  /// Throws Errc::usage for what is no whole number from `least` to `most`.
  std::uint64_t number(std::string_view name, std::uint64_t usual, std::uint64_t least,
                       std::uint64_t most) const;
  /// In a fixed order: equal ones have equal texts.
  std::string canonical() const;

 private:
  Pairs pairs_;
};

}  // namespace quantlens::server
