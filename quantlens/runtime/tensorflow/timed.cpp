// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/runtime/inputs.h"
#include "quantlens/runtime/tensorflow/library.h"
#include "quantlens/runtime/tensorflow/session.h"
#include "quantlens/runtime/tensorflow/tensorflow.h"
#include "quantlens/runtime/where.h"

namespace quantlens::tensorflow {
namespace {

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

class TensorflowTimedRun final : public TimedRun {
 public:
  TensorflowTimedRun(const Model& model, const TimedOptions& options)
      : model_(model),
        loaded_(ImportedGraph(model.file.bytes(), where(model)), session_model(model),
                options.threads) {}

  std::size_t add(const Batch& batch) override {
    batches_.push_back(loaded_.feed(inputs_for(model_, model_, batch)));
    return batches_.size() - 1;
  }

  RunTime run(std::size_t number) override {
    const Fed& batch = batches_.at(number);
    const std::uint64_t begin = now_ns();
    const std::vector<TensorPtr> outputs = loaded_.run(batch);
    return {now_ns() - begin, {}};
  }

  TensorMap outputs(std::size_t number) override { return loaded_.outputs(batches_.at(number)); }

  const Graph& graph() const override { return graph_; }
  const ValueTypes& types() const override { return types_; }

 private:
  const Model& model_;
  LoadedGraph loaded_;
  std::vector<Fed> batches_;
  Graph graph_;       // without nodes: none is timed
  ValueTypes types_;  // of them
};

}  // namespace

std::unique_ptr<TimedRun> open_timed(const Model& model, const TimedOptions& options) {
  api();
  if (options.nodes) {
    throw Error(Errc::unsupported,
                fmt::format("{}: nodes of a TensorFlow model cannot be timed yet; quantlens "
                            "benchmark times the whole",
                            where(model)));
  }
  return std::make_unique<TensorflowTimedRun>(model, options);
}

}  // namespace quantlens::tensorflow
