// dataset: labelled samples from files, read ahead and decoded on other cores. Knows tensors, no
// models. Start here, then open.h (how `--data` becomes a Dataset) and reader.h (batches).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/base/error.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens {

/// One sample: its inputs by graph input name ("" where the data set has one and does not name it),
/// without the batch dimension, and its label if there is one (scalar int64, or any tensor).
struct Sample {
  TensorMap inputs;
  std::optional<Tensor> label;
};

/// What is wrong with a data set as a whole: no sample of it is left out for that.
class DamagedData : public Error {
 public:
  using Error::Error;
};

/// Samples 0..size()-1. Thread-safe: `read` is called from several threads at once.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::uint64_t size() const = 0;
  /// Throws Errc::bad_input, not_found or io for a sample that cannot be had, DamagedData where no
  /// other can be trusted either.
  virtual Sample read(std::uint64_t index) const = 0;
  /// Throws DamagedData where that shows only when all is read, which it does where it has to.
  /// Whoever has read what it wants asks before it believes it.
  virtual void check_whole() const {}
  /// What people call the sample: a file name, "row 17".
  virtual std::string name(std::uint64_t index) const = 0;
  virtual bool has_labels() const = 0;
  /// One sentence that must accompany every result from it, e.g. that it is random; may be empty.
  virtual std::string caveat() const { return {}; }
  /// Equal for equal samples, where the data set knows; empty: it does not. Of samples that are
  /// files the files tell (files.h).
  virtual std::string fingerprint() const { return {}; }
};

/// What a model wants of one input.
struct InputSpec {
  std::string name;
  DType dtype = DType::float32;
  Shape shape;  ///< with the batch dimension first; -1 for unknown extents
};

}  // namespace quantlens
