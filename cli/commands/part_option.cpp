// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/part_option.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"

namespace quantlens::cli {
namespace {

/// "2/4" or "0:50" taken apart; nothing where it is no such thing.
std::optional<std::pair<std::uint64_t, std::uint64_t>> two_counts(std::string_view text,
                                                                  char between) {
  const std::size_t at = text.find(between);
  if (at == std::string_view::npos) return {};
  const auto whole = [](std::string_view digits) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
    if (error != std::errc() || end != digits.data() + digits.size() || value > kMost) return {};
    return value;
  };
  const auto first = whole(text.substr(0, at));
  const auto second = whole(text.substr(at + 1));
  if (!first || !second) return {};
  return std::pair(*first, *second);
}

flow::Shard shard_of(const std::string& text) {
  const auto counts = two_counts(text, '/');
  if (!counts || counts->first < 1 || counts->first > counts->second) {
    throw Error(Errc::usage, fmt::format("--shard: '{}' is no part such as 2/4, the second of four",
                                         shortened(text)));
  }
  return {.index = counts->first, .count = counts->second};
}

Samples range_of(const std::string& text) {
  const auto counts = two_counts(text, ':');
  if (!counts || counts->first >= counts->second) {
    throw Error(
        Errc::usage,
        fmt::format("--samples: '{}' is no range such as 0:50, the first fifty", shortened(text)));
  }
  return {.first = counts->first, .count = counts->second - counts->first};
}

}  // namespace

void PartOption::add_to(CLI::App& verb, const Words& words) {
  CLI::Option* shard = verb.add_option("--shard", shard_, words.shard)
                           ->type_name("I/N")
                           ->check(not_empty())
                           ->group("Data");
  verb.add_option("--samples", samples_, words.samples)
      ->type_name("FROM:TO")
      ->check(not_empty())
      ->excludes(shard)
      ->group("Data");
}

PartOption::Words parts_to_be_judged() {
  return {.shard =
              "Look at part I of N of the samples alone; judge puts the parts' runs together "
              "later (default: all of them)",
          .samples =
              "Look at samples FROM to TO alone, counted from 0, TO left out (default: all "
              "of them)"};
}

flow::Part PartOption::part() const {
  if (!shard_.empty()) return shard_of(shard_);
  if (!samples_.empty()) return range_of(samples_);
  return {};
}

}  // namespace quantlens::cli
