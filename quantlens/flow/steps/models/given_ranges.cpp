// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/models/given_ranges.h"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/record/files.h"

namespace quantlens::flow {
namespace {

[[noreturn]] void refuse_ranges(const fs::path& path, const std::string& why) {
  throw Error(Errc::bad_input, fmt::format("{}: {}", printable(path.string()), why));
}

bool is_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

void check_ranges(const std::vector<ValueRange>& ranges, const fs::path& path) {
  std::set<std::string> seen;
  for (const ValueRange& range : ranges) {
    const bool finite = std::isfinite(range.min) && std::isfinite(range.max);
    if (!finite || range.min > range.max) {
      refuse_ranges(path, fmt::format("the range of '{}' is {} to {}; give two finite numbers, the "
                                      "smaller one first",
                                      printable(range.value), range.min, range.max));
    }
    if (!seen.insert(range.value).second) {
      refuse_ranges(path,
                    fmt::format("'{}' has two ranges; leave one out", printable(range.value)));
    }
  }
}

void check_model(const std::string& theirs, const std::string& ours, const fs::path& path) {
  if (theirs.empty() || theirs == ours) return;
  constexpr std::size_t kShown = 12;
  refuse_ranges(
      path, fmt::format("is of another model (SHA-256 {}..., this one is {}...); calibrate this "
                        "one, or take 'model' out of a ranges.json to use it all the same",
                        printable(theirs.substr(0, kShown)), ours.substr(0, kShown)));
}

std::set<std::string> names_in(const GivenRanges& given) {
  std::set<std::string> names;
  if (given.statistics) {
    for (const ValueStats& stats : given.statistics->values) names.insert(stats.value);
    return names;
  }
  for (const ValueRange& range : given.ranges.values) names.insert(range.value);
  names.insert(given.ranges.empty.begin(), given.ranges.empty.end());
  return names;
}

}  // namespace

GivenRanges read_ranges(const Store& store, const fs::path& path, const std::string& model) {
  const MappedFile file = store.read(path);
  const std::string where = printable(path.string());
  GivenRanges given;
  if (is_tap_state(file.text())) {
    given.statistics = tap_state_from_bytes(file.text(), where);
    check_model(given.statistics->model, model, path);
    return given;
  }
  if (!is_json(file.text())) {
    refuse_ranges(path, "is neither statistics of 'quantlens calibrate' nor a ranges.json");
  }
  given.ranges = from_file<Ranges>(file.text(), where);
  check_ranges(given.ranges.values, path);
  check_ranges(given.ranges.wide, path);
  check_model(given.ranges.model, model, path);
  return given;
}

void check_values(const GivenRanges& given, const fs::path& path,
                  const std::vector<std::string>& values, Progress& progress) {
  const std::set<std::string> known = names_in(given);
  std::vector<std::string> missing;
  for (const std::string& value : values) {
    if (!known.contains(value)) missing.push_back(value);
  }
  if (missing.empty()) return;
  const std::string first = printable(missing.front());
  if (missing.size() == values.size()) {
    refuse_ranges(path,
                  fmt::format("has none of the {} values of this model that need a range, e.g. "
                              "'{}'; calibrate this model with this recipe",
                              values.size(), first));
  }
  progress.note(
      fmt::format("{}: has no range for {} of {} values, e.g. '{}': what needs them stays "
                  "float",
                  printable(path.string()), missing.size(), values.size(), first));
}

}  // namespace quantlens::flow
