// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/dataset/dataset.h"

namespace quantlens {

/// Samples stacked along a new first axis, or one whole sample.
struct Batch {
  std::vector<std::uint64_t> samples;         ///< global indices
  TensorMap inputs;                           ///< by graph input name
  std::vector<std::optional<Tensor>> labels;  ///< one a sample
};

/// A sample that could not be read, and why.
struct SkippedSample {
  std::uint64_t sample = 0;
  std::string name;
  std::string reason;
};

struct ReaderOptions {
  std::uint64_t batch_size = 1;
  std::uint64_t first = 0;             ///< first sample
  std::optional<std::uint64_t> count;  ///< how many from there; absent: to the end
  unsigned threads = 1;                ///< that decode; 0: whoever asks for a batch does
  std::uint64_t ahead = 0;  ///< batches held; 0: two, or what gives each thread two samples
  bool strict = false;      ///< an unreadable sample throws instead of skipping
  bool whole = false;       ///< a sample is a batch, as it is: no axis is added
  bool exact = false;       ///< samples that fill no batch are left out
};

/// Batches in order of sample index, read ahead by a bounded number. The batches do not depend on
/// the number of threads. Every batch but the last is full, except before a sample of other shapes:
/// unequal ones never share a batch. A sample that cannot be read (Errc::bad_input, not_found, io)
/// is skipped and counted, and the next one takes its place. Tensors are aligned for their type.
/// Not thread-safe itself; the data set must outlive it.
class BatchReader {
 public:
  /// `input_name` is the model's only input where the data set does not name its own.
  BatchReader(const Dataset& dataset, const ReaderOptions& options, std::string input_name);
  ~BatchReader();
  BatchReader(const BatchReader&) = delete;
  BatchReader& operator=(const BatchReader&) = delete;

  /// The next batch, or nothing at the end, where the data set is sound (Dataset::check_whole).
  /// Rethrows what ended the reading, after the whole
  /// batches before it, and again at every further call.
  std::optional<Batch> next();
  /// Samples this reader will go over.
  std::uint64_t size() const;
  std::string sample_name(std::uint64_t sample) const;  ///< as Dataset::name
  const std::vector<SkippedSample>& skipped() const;    ///< so far: the first 100
  std::uint64_t skipped_count() const;
  std::uint64_t left_out() const;  ///< so far: samples that fill no batch, where asked to be exact
  std::uint64_t batch_size() const;  ///< as asked for

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quantlens
