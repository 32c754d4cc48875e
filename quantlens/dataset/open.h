// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/dataset/dataset.h"

namespace quantlens {

/// Which data to open, with what the command line adds.
struct DataOptions {
  std::optional<std::uint64_t>
      limit;  ///< at most this many samples, and no more than the document's
  std::optional<std::uint64_t> batch_size;  ///< overrides the document's
  std::uint64_t seed = 0;                   ///< for random data whose document gives none
  bool unpack_ahead = false;                ///< packed arrays: on a thread, while samples are read
};

/// A data set and how it wants to be fed.
struct OpenedData {
  std::unique_ptr<Dataset> dataset;
  std::uint64_t batch_size = 1;              ///< asked for, else the model's own fixed one, else 1
  std::vector<std::filesystem::path> files;  ///< that were opened: document, arrays, labels
  std::filesystem::path folder;              ///< where each sample is a file of its name, if so
  /// With several samples each; what is in them is told by Dataset::fingerprint.
  std::vector<std::filesystem::path> sample_files = {};
};

/// `data` is a .npz, .npy or TFRecord file, a folder of images, a YAML or JSON document
/// (docs/data.md; relative paths are from the document's folder), or the word "random"; files are
/// told apart by content. `inputs` may be empty where no model is known: then everything keeps its
/// own name and type.
///
/// Throws Errc::usage for a document that makes no sense in itself (unknown keys with the nearest
/// known one) and for a batch size that the model does not take; Errc::bad_input, naming both
/// sides, where data and model do not agree: an input that gets no data or is not there, a wrong
/// shape, a type that cannot be converted without loss; Errc::not_found for files that are not
/// there.
OpenedData open_data(const std::string& data, const std::vector<InputSpec>& inputs,
                     const DataOptions& options);

/// The caller's own samples instead of files, fitted to `inputs` as own_samples.h says; `name` is
/// what people call them. Throws as fit_samples does, and as open_data for the batch size.
OpenedData open_samples(std::shared_ptr<const Dataset> samples, const std::string& name,
                        const std::vector<InputSpec>& inputs, const DataOptions& options);

}  // namespace quantlens
