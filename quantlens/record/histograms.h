// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantlens/record/tap_state.h"

namespace quantlens {

/// What a diagnosis gathered, of histograms.bin.
struct Histograms {
  TapState state;
  /// Weights as the float model has them and as codes mean them, both as floats: (weight,
  /// quantized) of a WeightRow.
  std::vector<PairedStats> weights;
};

/// Shows weights one by one, so that no two need be there at the same time.
using EachWeight = std::function<void(const std::function<void(const PairedStats&)>& tell)>;

/// histograms.bin: the TapState, behind it the weights, and an index of the pairs of both
/// (docs/format.md). Of several that are told under the same names the first counts.
std::string histograms_to_bytes(const TapState& state, const EachWeight& each_weight);

/// The reverse; also of what layouts before 5 had: no weights, and before 3 no index. Throws as
/// tap_state_from_bytes does.
Histograms histograms_from_bytes(std::string_view bytes, std::string_view where);

/// Single pairs of a histograms.bin, values or weights: reads the index, and of all else what is
/// asked for. The bytes are those of a mapped file, which must outlive this, so that what is not
/// asked for stays on disk.
class HistogramsReader {
 public:
  using Index = std::vector<PairEntry>;

  /// Throws Errc::bad_input, naming `where`, for a damaged index, and Errc::unsupported for a file
  /// without one.
  HistogramsReader(std::string_view bytes, std::string_view where);
  /// Of an index that was read of the same file before; a pair that is not where it says is
  /// refused.
  HistogramsReader(std::string_view bytes, std::string_view where,
                   std::shared_ptr<const Index> index)
      : bytes_(bytes), where_(where), entries_(std::move(index)) {}

  /// Those that were compared. Throws Errc::bad_input for damaged bytes.
  SampleSet samples() const { return samples_from_bytes(bytes_, where_); }
  /// Sorted by (reference, quantized).
  const Index& entries() const { return *entries_; }
  std::shared_ptr<const Index> index() const { return entries_; }
  /// Nothing where there is no such pair. Throws Errc::bad_input for damaged bytes.
  std::optional<PairedStats> find(std::string_view reference, std::string_view quantized) const;

 private:
  std::string_view bytes_;
  std::string where_;
  std::shared_ptr<const Index> entries_;
};

}  // namespace quantlens
