// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/histograms.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/stats/bytes.h"

// The bytes of histograms.bin, all integers little-endian:
//   TapState
//   weights   pairs as those of the TapState
//   index     u64 how many pairs, then each, ascending by names:
//             both names (u32 length, bytes), u64 where it begins, u64 how many bytes it has
//   trailer   u64 where the weights begin, u64 where the index begins, 8 bytes kTrailer
// Layouts 3 and 4 have no weights, and a trailer without the first number, kOldTrailer.

namespace quantlens {
namespace {

constexpr std::string_view kTrailer("QLINDX2\n", 8);
constexpr std::string_view kOldTrailer("QLINDEX\n", 8);
constexpr std::size_t kTrailerBytes = 24;
constexpr std::size_t kOldTrailerBytes = 16;

/// A TapState ends in counts, and may end in these bytes only where someone meant it to.
bool has_index(std::string_view bytes) {
  return (bytes.size() >= kTrailerBytes && bytes.ends_with(kTrailer)) ||
         (bytes.size() >= kOldTrailerBytes && bytes.ends_with(kOldTrailer));
}

struct Parts {
  std::string_view state;
  std::string_view pairs;  ///< the state and the weights, which the index points into
  std::string_view index;
};

/// REQUIRES: has_index.
Parts parts_of(std::string_view bytes) {
  const bool is_old = bytes.ends_with(kOldTrailer);
  const std::size_t end = bytes.size() - (is_old ? kOldTrailerBytes : kTrailerBytes);
  std::string_view trailer = bytes.substr(end);
  const std::uint64_t first = take_u64(trailer);
  const std::uint64_t begin = is_old ? first : take_u64(trailer);
  if (begin > end || first > begin) refuse_bytes("its index begins behind its end");
  return {bytes.substr(0, first), bytes.substr(0, begin), bytes.substr(begin, end - begin)};
}

std::tuple<std::string_view, std::string_view> key(const PairEntry& entry) {
  return {entry.reference, entry.quantized};
}

std::string index_of(const std::vector<PairEntry>& entries) {
  std::string out;
  append_u64(out, entries.size());
  for (const PairEntry& entry : entries) {
    append_name(out, entry.reference);
    append_name(out, entry.quantized);
    append_u64(out, entry.offset);
    append_u64(out, entry.size);
  }
  return out;
}

/// Every entry takes some bytes, so a wrong count ends at the end of the index.
std::vector<PairEntry> take_index(std::string_view in, std::size_t bytes_before) {
  const std::uint64_t count = take_u64(in);
  std::vector<PairEntry> entries;
  for (std::uint64_t i = 0; i < count; ++i) {
    PairEntry entry;
    entry.reference = take_name(in);
    entry.quantized = take_name(in);
    entry.offset = take_u64(in);
    entry.size = take_u64(in);
    if (entry.offset > bytes_before || entry.size > bytes_before - entry.offset) {
      refuse_bytes("its index points behind its end");
    }
    if (!entries.empty() && key(entries.back()) >= key(entry)) {
      refuse_bytes("its index is not sorted");
    }
    entries.push_back(std::move(entry));
  }
  if (!in.empty()) refuse_bytes("bytes follow its index");
  return entries;
}

PairedStats pair_at(std::string_view bytes, const PairEntry& entry) {
  if (entry.offset > bytes.size()) refuse_bytes("its index points behind its end");
  PairedStats pair = pair_from_bytes(bytes.substr(entry.offset, entry.size));
  if (pair.reference != entry.reference || pair.quantized != entry.quantized) {
    refuse_bytes("its index names another pair");
  }
  return pair;
}

}  // namespace

std::string histograms_to_bytes(const TapState& state, const EachWeight& each_weight) {
  std::vector<PairEntry> entries;
  std::string out = to_bytes(state, entries);
  const std::uint64_t weights = out.size();
  if (each_weight) {
    std::set<std::tuple<std::string, std::string>> told;
    for (const PairEntry& entry : entries) told.emplace(entry.reference, entry.quantized);
    each_weight([&](const PairedStats& weight) {
      if (!told.emplace(weight.reference, weight.quantized).second) return;
      const std::string bytes = to_bytes(weight);
      entries.push_back({weight.reference, weight.quantized, out.size(), bytes.size()});
      out += bytes;
    });
  }
  std::ranges::sort(entries, {}, key);
  const std::uint64_t begin = out.size();
  out += index_of(entries);
  append_u64(out, weights);
  append_u64(out, begin);
  out += kTrailer;
  return out;
}

Histograms histograms_from_bytes(std::string_view bytes, std::string_view where) {
  if (!has_index(bytes)) return {.state = tap_state_from_bytes(bytes, where), .weights = {}};
  const Parts parts = naming(where, [&] { return parts_of(bytes); });
  Histograms histograms{.state = tap_state_from_bytes(parts.state, where), .weights = {}};
  std::vector<PairEntry> expected;
  to_bytes(histograms.state, expected);
  naming(where, [&] {
    std::vector<PairEntry> of_state;
    std::vector<PairEntry> of_weights;
    for (const PairEntry& entry : take_index(parts.index, parts.pairs.size())) {
      if (entry.offset < parts.state.size()) {
        of_state.push_back(entry);
      } else {
        of_weights.push_back(entry);
      }
    }
    std::ranges::sort(of_weights, {}, &PairEntry::offset);  // as they were told
    for (const PairEntry& entry : of_weights) {
      histograms.weights.push_back(pair_at(parts.pairs, entry));
    }
    if (index_of(of_state) != index_of(expected)) refuse_bytes("its index is another one's");
  });
  return histograms;
}

HistogramsReader::HistogramsReader(std::string_view bytes, std::string_view where)
    : bytes_(bytes), where_(where) {
  if (!has_index(bytes)) {
    throw Error(
        Errc::unsupported,
        fmt::format("{}: has no index of its tensors, or is cut off; run diagnose again", where));
  }
  naming(where_, [&] {
    const Parts parts = parts_of(bytes);
    entries_ = std::make_shared<const Index>(take_index(parts.index, parts.pairs.size()));
  });
}

std::optional<PairedStats> HistogramsReader::find(std::string_view reference,
                                                  std::string_view quantized) const {
  const std::tuple wanted{reference, quantized};
  const auto entry = std::ranges::lower_bound(*entries_, wanted, {}, key);
  if (entry == entries_->end() || key(*entry) != wanted) return std::nullopt;
  return naming(where_, [&] { return std::optional(pair_at(bytes_, *entry)); });
}

}  // namespace quantlens
