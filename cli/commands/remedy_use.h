// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/flow/session.h"
#include "quantlens/record/profile.h"

namespace quantlens::cli {

/// The number of the first finding with a remedy; nothing where none has one.
std::optional<std::size_t> first_remedy(const ProfileRecord& pair);

/// How the remedies of a run of `quantize` are tried: its command line again, with the remedy laid
/// over the recipes that it has, and another file to write than `output`.
std::string again_with_remedy(const std::vector<std::string>& command_line, const fs::path& output,
                              const fs::path& folder, std::size_t number);

/// Two models that were compared, for a sentence.
struct Compared {
  fs::path reference, quantized;
  Ends ends;              ///< of both
  flow::DataChoice data;  ///< none: random
  std::string metric;     ///< as `--metric` takes it; empty: none
  bool is_ours = false;   ///< the quantized one has the recipe that quantlens made it with
};

/// What remedies of two models are for, and how they are tried: the float model is quantized anew,
/// with the recipe of the quantized one, if it has one, below the remedy.
std::string anew_with_remedy(const Compared& compared, const fs::path& folder, std::size_t number);

}  // namespace quantlens::cli
