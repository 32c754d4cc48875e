// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/record/observation.h"
#include "quantlens/record/op_ref.h"
#include "quantlens/record/tap_state.h"

namespace quantlens {

/// What the second passes of a diagnosis gathered, over its first samples. Absent: the pass was not
/// run, or failed.
struct LocalStates {
  std::optional<TapState> ops;      ///< each op on what the reference computed
  std::optional<TapState> weights;  ///< the reference with rounded weights, likewise
  std::optional<TapState> inputs;   ///< the reference on rounded inputs, likewise
};

/// The outputs' errors with some ops computed in float inside the quantized model.
struct OutputsInFloat {
  std::vector<OpRef> ops;
  TapState errors;
};

/// What was measured of the outputs over the first samples of a run.
struct MeasuredPart {
  TapState as_they_are;                  ///< their errors, of the files
  std::vector<OutputsInFloat> in_float;  ///< over the same samples
};

/// A sample that a table names.
struct SampleName {
  std::uint64_t sample = 0;
  std::string name;  ///< as the data set calls it
};
BOOST_DESCRIBE_STRUCT(SampleName, (), (sample, name))

/// All that a diagnosis is judged by (diagnosis/judge.h) beside the two models, their pairing, and
/// what has accumulated, which stands in histograms.bin.
struct Passes {
  LocalStates local;
  std::vector<MeasuredPart> outputs;  ///< one for each part of the samples that measured any
  Observation observation;
  std::vector<SampleName> samples;  ///< ascending
  std::string caveat;               ///< what makes the data's figures doubtful; empty: nothing
};

/// passes.bin (docs/format.md): what a diagnosis reads of them. The local passes have counts and
/// sums of errors alone (`append_pass`), and what rounded weights and inputs make has no blocks of
/// samples.
std::string to_bytes(const Passes& passes);

/// The reverse, as far as that goes. Throws Errc::bad_input, naming `where`, for anything to_bytes
/// cannot have written, and Errc::unsupported for a newer version.
Passes passes_from_bytes(std::string_view bytes, std::string_view where);

}  // namespace quantlens
