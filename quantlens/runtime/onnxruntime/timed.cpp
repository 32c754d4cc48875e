// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/mman.h>

#include "quantlens/base/error.h"
#include "quantlens/base/file_descriptor.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/runtime/inputs.h"
#include "quantlens/runtime/onnxruntime/library.h"
#include "quantlens/runtime/onnxruntime/load_stop.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/onnxruntime/session.h"
#include "quantlens/runtime/onnxruntime/timer_ops.h"
#include "quantlens/runtime/where.h"

namespace quantlens::onnxruntime {
namespace {

/// The runtime's defaults but for its threads.
Ort::SessionOptions default_options(unsigned threads, bool in_turn) {
  Ort::SessionOptions options;
  if (in_turn) options.AddConfigEntry("session.force_spinning_stop", "1");
  options.SetIntraOpNumThreads(static_cast<int>(std::max(threads, 1u)));
  options.SetInterOpNumThreads(1);
  options.SetLogSeverityLevel(ORT_LOGGING_LEVEL_FATAL);
  return options;
}

using StopRequested = std::function<bool()>;

Ort::Session open_bytes(Ort::Env& env, std::string_view bytes, Ort::SessionOptions& options,
                        const StopRequested& stop_requested) {
  const LoadStop stop(options, stop_requested);
  return {env, bytes.data(), bytes.size(), options};
}

/// From the file where it has data beside it, which the runtime then finds; else from its bytes.
Ort::Session open_file(Ort::Env& env, const Model& model, Ort::SessionOptions& options,
                       const StopRequested& stop_requested) {
  if (onnx::files_of(model).size() == 1) {
    return open_bytes(env, model.file.text(), options, stop_requested);
  }
  const LoadStop stop(options, stop_requested);
  return {env, model.path.c_str(), options};
}

std::string written(const Model& model, const onnx::Edit& edit) {
  std::string bytes;
  onnx::write(model, edit, {}, [&](Bytes piece) {
    bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  return bytes;
}

/// Names for nodes that have none, as people see them: what the runtime makes of a node is named
/// after it, and found by that.
onnx::Edit missing_names(const Graph& graph) {
  onnx::Edit edit;
  std::set<std::string> taken;
  for (const Node& node : graph.nodes) taken.insert(node.name);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (node.name.empty() && taken.insert(op_name(node)).second) edit.names[i] = op_name(node);
  }
  return edit;
}

/// The graph that the runtime makes of a model, read back from what it can write of it: a file
/// that no folder shows and nothing leaves behind.
Model optimized(Ort::Env& env, const Model& model, const TimedOptions& how) {
  const FileDescriptor file(::memfd_create("quantlens-optimized", MFD_CLOEXEC));
  if (file.get() < 0) throw Error(Errc::io, "the system gives no memory for the optimised model");
  const fs::path path = fmt::format("/proc/self/fd/{}", file.get());
  Ort::SessionOptions options = default_options(how.threads, true);
  options.SetOptimizedModelFilePath(path.c_str());
  const onnx::Edit names = missing_names(model.graph);
  if (names.names.empty() || onnx::files_of(model).size() > 1) {
    open_file(env, model, options, how.stop_requested);
  } else {
    open_bytes(env, written(model, names), options, how.stop_requested);
  }
  return onnx::read(model.path, MappedFile::open(path));
}

/// Which values are surely no tensors: sequences and the like. A file need not name the types of
/// what its nodes make; then the ops that make such say so.
std::set<std::string> other_values(const Graph& graph) {
  static const std::set<std::string_view> kMakers = {
      "SequenceConstruct", "SequenceEmpty",   "SequenceErase", "SequenceInsert",
      "SequenceMap",       "SplitToSequence", "Optional",      "ZipMap"};
  std::set<std::string> names;
  for (const Node& node : graph.nodes) {
    const bool passes = (node.type == "Identity" || node.type == "OptionalGetElement") &&
                        !node.inputs.empty() && names.contains(node.inputs[0]);
    if (passes || kMakers.contains(node.type)) {
      names.insert(node.outputs.begin(), node.outputs.end());
    }
  }
  for (const auto& [name, info] : graph.values) {
    if (!info.dtype) names.insert(name);
  }
  for (const ValueInfo& output : graph.outputs) {
    if (!output.dtype) names.insert(output.name);
  }
  return names;
}

/// What each timer reads: the results of the node of the same number; behind these one that reads
/// the graph's inputs, which is the start, and one that reads its outputs, which is the end.
std::vector<std::vector<std::string>> timed_values(const Graph& graph) {
  const std::set<std::string> others = other_values(graph);
  const auto add = [&](std::vector<std::string>& to, const std::string& name) {
    if (!name.empty() && !others.contains(name)) to.push_back(name);
  };
  std::vector<std::vector<std::string>> values(graph.nodes.size() + 2);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& output : graph.nodes[i].outputs) add(values[i], output);
  }
  for (const ValueInfo& input : graph.inputs) add(values[graph.nodes.size()], input.name);
  for (const ValueInfo& output : graph.outputs) add(values.back(), output.name);
  return values;
}

/// Timers stand as taps do (insert_taps.h): at the end of the file, the last to run first.
std::string with_timers(const Model& model, const std::vector<std::vector<std::string>>& values) {
  onnx::Edit edit;
  const std::size_t count = model.graph.nodes.size();
  const auto insert = [&](std::size_t slot) {
    if (values[slot].empty()) return;
    const std::string name = fmt::format("quantlens/timer/{}", slot);
    edit.inserted.emplace(count, timer_node(slot, values[slot], name));
  };
  insert(count + 1);
  for (std::size_t i = count; i-- > 0;) insert(i);
  insert(count);
  edit.opsets[kTimerDomain] = 1;
  return written(model, edit);
}

/// A batch in the form that the runtime takes.
struct BoundBatch {
  NamedTensors held;
  std::vector<const char*> names;
  std::vector<Ort::Value> values;
};

class OnnxTimedRun final : public TimedRun {
 public:
  OnnxTimedRun(const Model& model, const TimedOptions& options);

  std::size_t add(const Batch& batch) override;
  RunTime run(std::size_t number) override;
  TensorMap outputs(std::size_t number) override;
  const Graph& graph() const override { return optimized_.graph; }
  const ValueTypes& types() const override {
    static const ValueTypes kNone;
    return timers_ ? timers_->types() : kNone;
  }

 private:
  std::vector<Ort::Value> called(const BoundBatch& batch);
  void share_out(std::uint64_t begin);

  const Model& model_;
  std::shared_ptr<Ort::Env> env_;
  Model optimized_;
  std::optional<TimerOps> timers_;
  Ort::Session session_{nullptr};
  std::vector<std::string> output_names_;
  std::vector<const char*> outputs_;
  std::vector<BoundBatch> batches_;
  std::vector<std::uint64_t> nodes_;
};

OnnxTimedRun::OnnxTimedRun(const Model& model, const TimedOptions& options) : model_(model) {
  check_threads(options.threads);
  try {
    env_ = quiet_env();
    Ort::SessionOptions session_options = default_options(options.threads, options.in_turn);
    if (options.nodes) {
      optimized_ = optimized(*env_, model, options);
      const auto values = timed_values(optimized_.graph);
      timers_.emplace(values);
      timers_->add_to(session_options);
      session_options.SetGraphOptimizationLevel(ORT_DISABLE_ALL);
      session_ = open_bytes(*env_, with_timers(optimized_, values), session_options,
                            options.stop_requested);
      nodes_.resize(optimized_.graph.nodes.size());
    } else {
      session_ = open_file(*env_, model, session_options, options.stop_requested);
    }
    Ort::AllocatorWithDefaultOptions allocator;
    for (std::size_t i = 0; i < session_.GetOutputCount(); ++i) {
      output_names_.emplace_back(session_.GetOutputNameAllocated(i, allocator).get());
    }
    for (const std::string& name : output_names_) outputs_.push_back(name.c_str());
  } catch (const Ort::Exception& error) {
    if (options.stop_requested && options.stop_requested()) {
      throw Error(Errc::interrupted, "interrupted");
    }
    throw Error(Errc::bad_input, fmt::format("{}: ONNX Runtime refuses the model: {}", where(model),
                                             reason_of(error)));
  }
}

std::size_t OnnxTimedRun::add(const Batch& batch) {
  BoundBatch prepared;
  for (auto& [name, tensor] : inputs_for(model_, model_, batch)) {
    prepared.held.emplace_back(name, aligned(tensor));
  }
  for (const auto& [name, tensor] : prepared.held) {
    prepared.names.push_back(name.c_str());
    prepared.values.push_back(view_of(tensor));
  }
  batches_.push_back(std::move(prepared));
  for (std::size_t i = 0; i < batches_.back().held.size(); ++i) {  // short names move with theirs
    batches_.back().names[i] = batches_.back().held[i].first.c_str();
  }
  return batches_.size() - 1;
}

std::vector<Ort::Value> OnnxTimedRun::called(const BoundBatch& batch) {
  return session_.Run(Ort::RunOptions{nullptr}, batch.names.data(), batch.values.data(),
                      batch.values.size(), outputs_.data(), outputs_.size());
}

TensorMap OnnxTimedRun::outputs(std::size_t number) {
  const BoundBatch& batch = batches_.at(number);
  if (timers_) timers_->begin();
  try {
    std::vector<Ort::Value> values = called(batch);
    TensorMap outputs;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i].IsTensor()) continue;
      outputs.emplace(output_names_[i], tensor_of(std::move(values[i]), batch.held));
    }
    return outputs;
  } catch (const Ort::Exception& error) {
    throw Error(Errc::failed,
                fmt::format("{}: ONNX Runtime fails: {}", where(model_), reason_of(error)));
  }
}

RunTime OnnxTimedRun::run(std::size_t number) {
  const BoundBatch& batch = batches_.at(number);
  if (timers_) timers_->begin();
  try {
    const std::uint64_t begin = now_ns();
    const std::vector<Ort::Value> values = called(batch);
    const std::uint64_t end = now_ns();
    if (timers_) share_out(begin);
    return {end - begin, nodes_};
  } catch (const Ort::Exception& error) {
    throw Error(Errc::failed,
                fmt::format("{}: ONNX Runtime fails: {}", where(model_), reason_of(error)));
  }
}

/// Gives each node the time up to its own stamp since the one before.
void OnnxTimedRun::share_out(std::uint64_t begin) {
  std::ranges::fill(nodes_, 0);
  std::uint64_t before = begin;
  for (const Stamp& stamp : timers_->stamps()) {
    if (stamp.slot < nodes_.size()) nodes_[stamp.slot] = stamp.ns - before;
    before = stamp.ns;
  }
}

}  // namespace

std::unique_ptr<TimedRun> open_timed(const Model& model, const TimedOptions& options) {
  require_library();
  return std::make_unique<OnnxTimedRun>(model, options);
}

}  // namespace quantlens::onnxruntime
