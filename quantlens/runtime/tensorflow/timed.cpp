// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <protozero/pbf_writer.hpp>

#include "quantlens/base/error.h"
#include "quantlens/runtime/inputs.h"
#include "quantlens/runtime/tensorflow/library.h"
#include "quantlens/runtime/tensorflow/node_times.h"
#include "quantlens/runtime/tensorflow/session.h"
#include "quantlens/runtime/tensorflow/tensorflow.h"
#include "quantlens/runtime/where.h"

namespace quantlens::tensorflow {
namespace {

template <class Clock>
std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
          .count());
}

/// A RunOptions: that nodes are noted as they run, on the host alone (more notes cost more), and
/// perhaps the graph that they are of.
BufferPtr trace_options(const Api& api, bool with_graph) {
  constexpr std::uint32_t kTraceLevel = 1, kGraphs = 5;
  constexpr std::int32_t kSoftwareTrace = 1;
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_enum(kTraceLevel, kSoftwareTrace);
  writer.add_bool(kGraphs, with_graph);
  return {api.new_buffer(bytes.data(), bytes.size()), api.delete_buffer};
}

std::string_view text_of(const Buffer& buffer) {
  return {static_cast<const char*>(buffer.data), buffer.size};
}

class TensorflowTimedRun final : public TimedRun {
 public:
  TensorflowTimedRun(const Model& model, const TimedOptions& options)
      : model_(model),
        api_(api()),
        loaded_(ImportedGraph(model.file.bytes(), where(model)), session_model(model),
                options.threads) {
    if (options.nodes) options_.emplace(trace_options(api_, false));
  }

  std::size_t add(const Batch& batch) override {
    Fed fed = loaded_.feed(inputs_for(model_, model_, batch));
    if (options_ && !times_) learn(fed);
    batches_.push_back(std::move(fed));
    return batches_.size() - 1;
  }

  RunTime run(std::size_t number) override {
    const Fed& batch = batches_.at(number);
    const BufferPtr notes = empty_notes();
    const std::uint64_t system = now_ns<std::chrono::system_clock>();
    const std::uint64_t begin = now_ns<std::chrono::steady_clock>();
    const std::vector<TensorPtr> outputs = loaded_.run(batch, nullptr, trace(notes.get()));
    const std::uint64_t ns = now_ns<std::chrono::steady_clock>() - begin;
    if (!times_) return {.whole = ns, .nodes = {}};
    return times_->read(text_of(*notes), {.begin_ns = system, .ns = ns});
  }

  TensorMap outputs(std::size_t number) override {
    const BufferPtr notes = empty_notes();
    return loaded_.outputs(batches_.at(number), nullptr, trace(notes.get()));
  }

  const Graph& graph() const override { return graph_; }
  const ValueTypes& types() const override { return types_; }

 private:
  /// The graph is made for a first run, and told with it.
  void learn(const Fed& batch) {
    const BufferPtr wanted = trace_options(api_, true);
    const BufferPtr notes = empty_notes();
    loaded_.run(batch, nullptr, {.wanted = wanted.get(), .told = notes.get()});
    graph_ = graph_that_ran(text_of(*notes), where(model_));
    times_.emplace(graph_, where(model_));
    types_ = times_->types(text_of(*notes));
  }

  BufferPtr empty_notes() const { return {api_.new_empty_buffer(), api_.delete_buffer}; }

  Trace trace(Buffer* notes) const {
    return options_ ? Trace{.wanted = options_->get(), .told = notes} : Trace();
  }

  const Model& model_;
  const Api& api_;
  LoadedGraph loaded_;
  std::optional<BufferPtr> options_;  // nothing: nodes are not timed
  std::optional<NodeTimes> times_;    // from the first batch on
  std::vector<Fed> batches_;
  Graph graph_;
  ValueTypes types_;
};

}  // namespace

std::unique_ptr<TimedRun> open_timed(const Model& model, const TimedOptions& options) {
  return std::make_unique<TensorflowTimedRun>(model, options);
}

}  // namespace quantlens::tensorflow
