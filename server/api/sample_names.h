// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "quantlens/base/store.h"
#include "server/api/kept.h"

namespace quantlens::server {

/// What the data set calls the samples that a run's records name: those whose answer changed and
/// those with most error. The records are read once, and again when they have changed or those of
/// some other runs were asked for. Called from several threads at once.
class SampleNames {
 public:
  explicit SampleNames(const Store& store) : store_(store) {}

  /// `folder`: of the run. Nothing where none of its records names the sample. Throws
  /// Errc::bad_input for damaged ones.
  std::optional<std::string> find(const fs::path& folder, std::uint64_t sample);

 private:
  using Names = std::unordered_map<std::uint64_t, std::string>;
  Names read(const fs::path& folder) const;

  static constexpr std::size_t kMost = 4;
  const Store& store_;
  Kept<Names> kept_{kMost};
};

}  // namespace quantlens::server
