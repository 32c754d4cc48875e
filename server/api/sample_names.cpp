// SPDX-License-Identifier: Apache-2.0
#include "server/api/sample_names.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <boost/describe.hpp>
#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/record/files.h"
#include "server/api/answer.h"
#include "server/api/row_index.h"

namespace quantlens::server {
namespace {

constexpr std::string_view kAccuracy = FileOf<AccuracyRecord>::kName;
constexpr std::string_view kFlips = "flips";
constexpr std::string_view kDiagnosis = FileOf<Diagnosis>::kName;
constexpr std::string_view kActivations = "activations";
constexpr std::string_view kWorst = "worst_samples";

/// A sample as flips and worst samples have it, among other things.
struct NamedSample {
  std::uint64_t sample = 0;
  std::string name;
};
BOOST_DESCRIBE_STRUCT(NamedSample, (), (sample, name))

std::optional<TableReader> table_if_there(const Store& store, const fs::path& record,
                                          std::string_view list) {
  try {
    return TableReader::open(store, record, list);
  } catch (const Error& error) {
    if (error.code() != Errc::not_found) throw;
    return std::nullopt;
  }
}

/// The samples of a list; the first name of one is its name.
template <class Names>
void add(const json::Value& samples, std::string_view where, Names& names) {
  const auto* list = samples.if_array();
  if (list == nullptr) {
    throw Error(Errc::bad_input, fmt::format("{}: expected a list of samples; it is damaged, so "
                                             "run the command again",
                                             where));
  }
  for (const json::Value& one : *list) {
    const auto* object = one.if_object();
    const auto* sample = object != nullptr ? object->if_contains("sample") : nullptr;
    const auto* number = sample != nullptr ? sample->if_int64() : nullptr;
    // Ops mostly have the same worst samples.
    if (number != nullptr && names.contains(static_cast<std::uint64_t>(*number))) continue;
    auto named = json::decode<NamedSample>(one, where);
    names.try_emplace(named.sample, std::move(named.name));
  }
}

}  // namespace

SampleNames::Names SampleNames::read(const fs::path& folder) const {
  Names names;
  if (const auto flips = table_if_there(store_, folder / kAccuracy, kFlips))
    add(flips->rows(0, flips->size()), kAccuracy, names);
  const auto rows = table_if_there(store_, folder / kDiagnosis, kActivations);
  if (!rows || !rows->has(kWorst)) return names;
  constexpr std::uint64_t kAtOnce = 1024;
  for (std::uint64_t first = 0; first < rows->size(); first += kAtOnce) {
    const std::uint64_t count = std::min(kAtOnce, rows->size() - first);
    for (const json::Value& worst : rows->column(kWorst, first, count))
      add(worst, kDiagnosis, names);
  }
  return names;
}

std::optional<std::string> SampleNames::find(const fs::path& folder, std::uint64_t sample) {
  const std::string key = folder.string() + "/" +
                          state_of(TableReader::files(folder / kAccuracy, kFlips)) +
                          state_of(TableReader::files(folder / kDiagnosis, kActivations));
  const auto names = kept_.get(key, [&] { return read(folder); });
  const auto found = names->find(sample);
  return found == names->end() ? std::nullopt : std::optional(found->second);
}

}  // namespace quantlens::server
