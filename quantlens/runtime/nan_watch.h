// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "quantlens/base/progress.h"
#include "quantlens/dataset/reader.h"

namespace quantlens {

/// Samples of which an input holds NaN.
struct NanInput {
  std::uint64_t first = 0;    ///< of them
  std::uint64_t nothing = 0;  ///< how many hold NaN and nothing else
  bool operator==(const NanInput&) const = default;
};

/// Where one step's values are no numbers. Infinities are numbers here: masks are made of them.
struct FoundNan {
  std::map<std::string, NanInput> inputs;  ///< by name
  std::vector<std::uint64_t> answers;      ///< samples of which the model says NaN and nothing else
};

/// `outputs`: what the model made of the batch. Of an output that does not divide into the samples
/// all of it counts for each. A model that also has outputs of integers or strings does not answer
/// with NaN alone. Thread-safe.
FoundNan find_nan(const Batch& batch, const TensorMap& outputs);

/// Tells what the steps of one pass over data found.
class NanWatch {
 public:
  /// `reader` names the samples. Both must outlive this.
  NanWatch(const BatchReader& reader, Progress& progress) : reader_(reader), progress_(progress) {}

  /// Notes the first sample of each input that holds NaN, and the first whose answer is NaN.
  void add(const FoundNan& found);
  /// Throws Errc::bad_input where an input is NaN and nothing else in all of `samples`, or so are
  /// the answers to them: no figure says anything then.
  void check(std::uint64_t samples) const;

 private:
  std::string named(std::uint64_t sample) const;

  const BatchReader& reader_;
  Progress& progress_;
  std::map<std::string, NanInput> inputs_;
  std::uint64_t answers_ = 0;  ///< how many are NaN
};

}  // namespace quantlens
