// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/dataset/dataset.h"

namespace quantlens {

/// Which data to open, with what the command line adds.
struct DataOptions {
  std::optional<std::uint64_t> limit;       ///< at most this many samples
  std::optional<std::uint64_t> batch_size;  ///< overrides the document's
  std::uint64_t seed = 0;                   ///< for random data
};

/// A data set and how it wants to be fed.
struct OpenedData {
  std::unique_ptr<Dataset> dataset;
  std::uint64_t batch_size = 1;
};

/// `data` is a .npz or .npy file, a folder of images, a YAML or JSON document (design.md section 5,
/// relative paths from the document's folder), or the word "random". Inputs of the data that no
/// model input is named like, wrong dtypes that cannot be converted without loss and wrong shapes
/// throw Errc::bad_input, naming both sides; unknown keys throw with the nearest known one.
OpenedData open_data(const std::string& data, const std::vector<InputSpec>& inputs,
                     const DataOptions& options);

}  // namespace quantlens
