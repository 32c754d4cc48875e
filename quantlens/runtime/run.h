// runtime: the seam behind which models run. A Run executes one model, or two in lockstep, and owns
// the accumulators of its taps; nobody outside sees an inner tensor. Kinds of Run: onnxruntime/
// (the real kernels), oracle/ (a small exact interpreter to check the others) and remote/ (either
// of them in a process of its own). Start here; feed.h is the one loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/base/phases.h"
#include "quantlens/dataset/reader.h"
#include "quantlens/graph/model.h"
#include "quantlens/quant/params.h"
#include "quantlens/quant/scheme.h"
#include "quantlens/record/tap_state.h"

namespace quantlens {

/// Statistics wanted of one value of the reference model (any value: graph input, inner, output).
struct Tap {
  std::string value;
  bool histogram = true;
  std::optional<int> channel_axis;  ///< extremes and moments for each index of this axis, too
  /// Indices of that axis that get a histogram of their own: ascending, none without an axis.
  std::vector<std::uint32_t> channel_histograms;
  int sample_axis =
      0;  ///< its extent is a multiple of the batch; sample s owns the s-th equal part
};

/// A pair of values to compare: one of the reference (float), one of the quantized model (uint8 or
/// int8 codes with `params`, or float without).
struct PairTap {
  std::string reference;
  std::string quantized;
  std::optional<Scheme> scheme;  ///< of the codes
  std::optional<QParams> params;
  /// Where each index of scheme.axis has its own (then `params` are the first one's); else empty.
  /// Such codes are counted by what they mean: they have a histogram of floats.
  std::vector<QParams> channel_params;
  /// Of a pair of floats, where errors are local: whoever reads the quantized side reads what these
  /// codes mean of the reference's value. One for each index of `readers_scheme.axis`, or one.
  std::vector<QParams> readers_params;
  Scheme readers_scheme;
  bool histogram = true;
  std::optional<int> channel_axis;  ///< of both: extremes and moments of the reference and of the
                                    ///< error for each index of this axis, too
  std::vector<std::uint32_t> channel_histograms;  ///< as of a Tap
  int sample_axis = 0;
};

struct TapSpec {
  std::vector<Tap> taps;       ///< no value twice
  std::vector<PairTap> pairs;  ///< no (reference, quantized) twice; REQUIRES a quantized model
  /// A tap that an open Run cannot place (it lies in the body of an If, …), and a pair that turns
  /// out not to be one when it is run, is left out and named in Run::not_tapped, not thrown; a
  /// value that does not exist throws Errc::not_found.

  /// Errors of pairs are local: whatever reads the quantized side of a pair reads what the
  /// reference's value becomes in the same codes, so each op's error is its own alone. Throws
  /// Errc::unsupported where the two models cannot run as one.
  bool local = false;
};

/// A process of their own for the models: if the runtime crashes there, that is an Error here.
struct Isolation {
  /// Called as `<program> worker <runtime>`; without a folder it is looked for in $PATH. The
  /// command line's own is "quantlens", or from inside itself "/proc/self/exe".
  fs::path program = "quantlens";
  double timeout_seconds = 600;  ///< a worker that is asked and silent for so long is ended
  /// Asked while waiting for the worker: true ends the wait soon, with Errc::interrupted. Empty:
  /// never. It does not travel to the worker.
  std::function<bool()> stop_requested;
};

class Workers;

/// Who watches the runtime while it loads models in this process, if anybody does. It does not
/// travel to a worker.
struct Watch {
  Phases* phases = nullptr;  ///< told of the time; used by the thread that calls
  /// Asked from any thread: true ends the loading soon, with Errc::interrupted (from ONNX Runtime
  /// 1.22 on). Empty: never.
  std::function<bool()> stop_requested;
};

struct RunOptions {
  unsigned threads = 1;  ///< of the runtime, the calling ones included
  /// Steps that are to be under way at once: each then has its share of `threads`. The more, the
  /// better for throughput, at the price of a set of activations each (ADR 0032).
  unsigned in_flight = 1;
  fs::path optimized_dump;  ///< where the runtime writes the graph it really runs; empty: nowhere;
                            ///< of a second model in a session apart: with ".quantized" behind
  bool apart = false;       ///< two models in two sessions, even where one could hold both
  std::optional<Isolation> isolation;  ///< absent: the models run in this process
  /// Whose programs run models of formats that workers alone have; null: nobody does. It does not
  /// travel to a worker.
  const Workers* workers = nullptr;
  Watch watch;
};

/// What a step returns: graph outputs by the models' own names, batch dimension first.
struct Outputs {
  TensorMap reference;
  TensorMap quantized;  ///< empty where there is no quantized model
};

/// A tap that is left out.
struct NotTapped {
  std::string value;      ///< of the reference
  std::string quantized;  ///< of a pair; else empty
  std::string reason;
  bool operator==(const NotTapped&) const = default;
};

/// One or two loaded models, ready to run over batches; owns the accumulators of its taps.
/// Several threads may be inside `step` at once, and whatever the taps gather is equal byte for
/// byte however steps overlap; all else is for one thread, while nobody is in a step. After a step
/// that threw, the Run is of no more use.
class Run {
 public:
  virtual ~Run() = default;
  /// Runs one batch through the model, or through both, and updates every tap. Both models get the
  /// same inputs (the quantized one by position). Throws Errc::bad_input where the batch does not
  /// fit the model, naming the input, both shapes and dtypes; Errc::failed where the runtime fails.
  virtual Outputs step(const Batch& batch) = 0;
  /// How many steps are best under way at once: as many as were asked for (RunOptions::in_flight),
  /// fewer where memory has no room for so many. That is known after the first step: it shows what
  /// one needs.
  virtual unsigned in_flight() const { return 1; }
  /// What the taps have gathered so far; leaves them empty, so that a sample may be seen again.
  /// Throws Errc::failed after a step that threw: its samples are counted in part.
  virtual TapState take() = 0;
  /// Taps that are left out. Steps add to its end the pairs that they see as two tensors of unequal
  /// shape, or of types that the tap is not for; of steps since the last `take`, in the order of
  /// their samples. Such a pair is dropped for good with all that it had gathered, for figures of a
  /// part of the samples would be wrong: `take` leaves it out from then on, and `leave_out` takes
  /// it off what was taken before.
  virtual const std::vector<NotTapped>& not_tapped() const = 0;
};

/// Takes dropped pairs off a state, so that it merges with what the same Run gives later.
void leave_out(const std::vector<NotTapped>& dropped, TapState& state);

// For the worker pipe (remote/messages.h): fields of these travel by themselves.
BOOST_DESCRIBE_STRUCT(Tap, (), (value, histogram, channel_axis, channel_histograms, sample_axis))
BOOST_DESCRIBE_STRUCT(PairTap, (),
                      (reference, quantized, scheme, params, channel_params, readers_params,
                       readers_scheme, histogram, channel_axis, channel_histograms, sample_axis))
BOOST_DESCRIBE_STRUCT(TapSpec, (), (taps, pairs, local))
BOOST_DESCRIBE_STRUCT(Isolation, (), (program, timeout_seconds))
BOOST_DESCRIBE_STRUCT(Watch, (), ())
BOOST_DESCRIBE_STRUCT(RunOptions, (), (threads, in_flight, optimized_dump, apart, isolation, watch))
BOOST_DESCRIBE_STRUCT(NotTapped, (), (value, quantized, reason))

}  // namespace quantlens
