// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/histograms.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/stats/bytes.h"

// The bytes of histograms.bin, all integers little-endian:
//   TapState
//   index     u64 how many pairs, then each, in the order of the TapState:
//             both names (u32 length, bytes), u64 where it begins, u64 how many bytes it has
//   trailer   u64 where the index begins, 8 bytes kTrailer

namespace quantlens {
namespace {

constexpr std::string_view kTrailer("QLINDEX\n", 8);
constexpr std::size_t kTrailerBytes = 16;

/// A TapState ends in counts, and may end in these bytes only where someone meant it to.
bool has_index(std::string_view bytes) {
  return bytes.size() >= kTrailerBytes && bytes.ends_with(kTrailer);
}

struct Parts {
  std::string_view state;
  std::string_view index;
};

/// REQUIRES: has_index.
Parts parts_of(std::string_view bytes) {
  const std::size_t end = bytes.size() - kTrailerBytes;
  std::string_view trailer = bytes.substr(end);
  const std::uint64_t begin = take_u64(trailer);
  if (begin > end) refuse_bytes("its index begins behind its end");
  return {bytes.substr(0, begin), bytes.substr(begin, end - begin)};
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

}  // namespace

std::string histograms_to_bytes(const TapState& state) {
  std::vector<PairEntry> entries;
  std::string out = to_bytes(state, entries);
  const std::uint64_t begin = out.size();
  out += index_of(entries);
  append_u64(out, begin);
  out += kTrailer;
  return out;
}

Histograms histograms_from_bytes(std::string_view bytes, std::string_view where) {
  if (!has_index(bytes)) return {tap_state_from_bytes(bytes, where)};
  const Parts parts = naming(where, [&] { return parts_of(bytes); });
  Histograms histograms{tap_state_from_bytes(parts.state, where)};
  std::vector<PairEntry> entries;
  to_bytes(histograms.state, entries);
  naming(where, [&] {
    if (parts.index != index_of(entries)) refuse_bytes("its index is another one's");
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
    entries_ = take_index(parts.index, parts.state.size());
  });
}

std::optional<PairedStats> HistogramsReader::find(std::string_view reference,
                                                  std::string_view quantized) const {
  const std::tuple wanted{reference, quantized};
  const auto entry = std::ranges::lower_bound(entries_, wanted, {}, key);
  if (entry == entries_.end() || key(*entry) != wanted) return std::nullopt;
  return naming(where_, [&] {
    PairedStats pair = pair_from_bytes(bytes_.substr(entry->offset, entry->size));
    if (pair.reference != reference || pair.quantized != quantized) {
      refuse_bytes("its index names another pair");
    }
    return std::optional(std::move(pair));
  });
}

}  // namespace quantlens
