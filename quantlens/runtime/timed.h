// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>

#include <boost/describe.hpp>

#include "quantlens/dataset/reader.h"
#include "quantlens/graph/model.h"
#include "quantlens/tensor/dtype.h"
#include "quantlens/tensor/shape.h"

namespace quantlens {

class Workers;

struct TimedOptions {
  unsigned threads = 1;  ///< of the runtime, the calling one included
  bool nodes = false;    ///< tell of each node, too; that takes time itself
  /// Other models are run in turn with it: its threads do not spin between two runs, where they
  /// would take the others' cores. Alone it is run with the runtime's own default.
  bool in_turn = false;
  /// Asked from any thread while it loads: true ends that soon, with Errc::interrupted (from ONNX
  /// Runtime 1.22 on). Empty: never.
  std::function<bool()> stop_requested = {};
  /// Whose worker loads and runs it, together with all other models that are timed through them;
  /// the times are taken there. Null: this process does. Must outlive the TimedRun.
  Workers* workers = nullptr;
};

/// What a tensor was in a run.
struct TensorType {
  DType dtype = DType::float32;
  Shape shape;
};

/// By the value's name.
using ValueTypes = std::unordered_map<std::string, TensorType>;

/// What one run took, in nanoseconds of wall time.
struct RunTime {
  /// The runtime's call: outputs are made in it and dropped after it. Where the runtime itself
  /// notes the nodes' times, as TensorFlow does, without what it takes to note them.
  std::uint64_t whole = 0;
  /// Of each node of `TimedRun::graph`: from the end of what ran before it to its own end, so that
  /// the runtime's steps between two nodes are in it, and one stamp of the clock. Where the runtime
  /// itself notes them: from the first of its steps for the node to the last. Empty without nodes.
  /// Valid until the next run.
  std::span<const std::uint64_t> nodes;
};

/// One loaded model that is run for its time alone, with the runtime's own defaults: nothing is
/// observed but the clock. Not thread-safe.
class TimedRun {
 public:
  virtual ~TimedRun() = default;
  /// Keeps a batch ready; gives its number, from 0. Throws Errc::bad_input where it does not fit
  /// the model.
  virtual std::size_t add(const Batch& batch) = 0;
  /// Runs batch `number` once. Throws Errc::failed where the runtime fails.
  virtual RunTime run(std::size_t number) = 0;
  /// Runs it once for what it answers: outputs by name, but for those that are no tensors.
  virtual TensorMap outputs(std::size_t number) = 0;
  /// The graph that the runtime really runs, after all its optimisations, in file order: fused and
  /// laid out anew. Empty without nodes; known by the first batch at the latest.
  virtual const Graph& graph() const = 0;
  /// Types of that graph's values (inputs and results of nodes) in the first run.
  virtual const ValueTypes& types() const = 0;
};

/// A run of a model's batch of this number.
struct Turn {
  TimedRun* model = nullptr;
  std::size_t batch = 0;
};

/// Runs them one right after the other, in this order, and tells of each its number and times,
/// which are valid within the call. Models of one worker are run there without a word in between: a
/// question for each would leave the worker idle, and caches cold, before each run. Throws
/// Errc::failed where the runtime fails.
void run_in_turn(std::span<const Turn> turns,
                 const std::function<void(std::size_t turn, const RunTime& time)>& seen);

/// How many repetitions of what took so long last time, all turns together, are one call of
/// run_in_turn: for some 20 ms, so that who asks to stop need not wait.
std::size_t turns_at_once(double seconds);

/// Loads a model for its time. Throws as `open` does.
std::unique_ptr<TimedRun> open_timed(const Model& model, const TimedOptions& options);

// For the worker pipe (remote/messages.h): fields of these travel by themselves.
BOOST_DESCRIBE_STRUCT(TimedOptions, (), (threads, nodes, in_turn))

}  // namespace quantlens
