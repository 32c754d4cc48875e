// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/base/store.h"

namespace quantlens::flow {

struct MergeOptions {
  fs::path output;  ///< must not exist yet
  std::vector<fs::path> inputs;
};

struct MergeResult {
  fs::path output;
  std::string model;  ///< SHA-256 of the model that the statistics are of
  std::uint64_t samples = 0;
  std::uint64_t values = 0;
};
BOOST_DESCRIBE_STRUCT(MergeResult, (), (output, model, samples, values))

/// Puts statistics of parts of the samples together: byte for byte those of one run over all of
/// them, in whatever order. Throws Errc::bad_input, naming the file, where two share samples or are
/// not of the same model and values; Errc::usage where the output exists.
MergeResult merge(const MergeOptions& options, Store& store);

}  // namespace quantlens::flow
