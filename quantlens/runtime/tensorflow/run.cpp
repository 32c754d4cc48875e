// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/phases.h"
#include "quantlens/base/text.h"
#include "quantlens/runtime/accumulators.h"
#include "quantlens/runtime/inputs.h"
#include "quantlens/runtime/locate.h"
#include "quantlens/runtime/step_room.h"
#include "quantlens/runtime/tensorflow/insert_taps.h"
#include "quantlens/runtime/tensorflow/library.h"
#include "quantlens/runtime/tensorflow/session.h"
#include "quantlens/runtime/tensorflow/tap_ops.h"
#include "quantlens/runtime/tensorflow/tensorflow.h"
#include "quantlens/runtime/where.h"

namespace quantlens::tensorflow {
namespace {

/// Taps of one model, as far as they can be placed.
struct OfModel {
  const Model& model;
  std::vector<WantedTap> taps = {};
};

class TensorflowRun final : public Run {
 public:
  TensorflowRun(const Model& reference, const Model* quantized, const TapSpec& spec,
                const RunOptions& options);

  Outputs step(const Batch& batch) override;
  TapState take() override { return accumulators_.take(); }
  const std::vector<NotTapped>& not_tapped() const override { return accumulators_.not_tapped(); }
  unsigned in_flight() const override { return room_.in_flight(); }

 private:
  void place(const TapSpec& spec, OfModel& reference, OfModel* quantized);

  const Model& reference_;
  const Model* quantized_;
  Accumulators accumulators_;
  TapCounts counts_;
  StepRoom room_;
  std::unique_ptr<LoadedGraph> graph_;
  std::unique_ptr<LoadedGraph> quantized_graph_;  // null: none
};

std::unique_ptr<LoadedGraph> load(const OfModel& of, unsigned threads) {
  SessionModel wanted = session_model(of.model);
  ImportedGraph graph(of.model.file.bytes(), where(of.model));
  if (of.taps.empty()) return std::make_unique<LoadedGraph>(std::move(graph), wanted, threads);
  register_tap_op(graph.api());
  Tapped tapped =
      insert_taps(of.model, of.taps, [&](const std::string& value) { return graph.type(value); });
  wanted.number = std::move(tapped.number);
  wanted.targets = std::move(tapped.targets);
  return std::make_unique<LoadedGraph>(
      ImportedGraph(std::as_bytes(std::span(tapped.bytes)), where(of.model)), wanted, threads);
}

TensorflowRun::TensorflowRun(const Model& reference, const Model* quantized, const TapSpec& spec,
                             const RunOptions& options)
    : reference_(reference),
      quantized_(quantized),
      accumulators_(spec),
      counts_{spec.taps.size(), spec.pairs.size()},
      room_(std::min(options.in_flight, options.threads)) {
  check_inputs(reference, quantized);
  OfModel of_reference{reference};
  std::optional<OfModel> of_quantized;
  if (quantized != nullptr) of_quantized.emplace(OfModel{*quantized});
  place(spec, of_reference, of_quantized ? &*of_quantized : nullptr);
  const unsigned threads = std::max(options.threads, 1U) / room_.in_flight();
  const Phase loading(options.watch.phases, "runtime: load");
  graph_ = load(of_reference, threads);
  if (of_quantized) quantized_graph_ = load(*of_quantized, threads);
}

void TensorflowRun::place(const TapSpec& spec, OfModel& reference, OfModel* quantized) {
  if (spec.taps.empty() && spec.pairs.empty()) return;
  const TapPlaces places(reference.model);
  for (std::size_t slot = 0; slot < spec.taps.size(); ++slot) {
    const std::string& value = spec.taps[slot].value;
    if (const std::string obstacle = places.obstacle(value); !obstacle.empty()) {
      accumulators_.drop_tap(slot, obstacle);
    } else {
      reference.taps.push_back({value, slot, TapUse::observe});
    }
  }
  if (spec.pairs.empty()) return;
  const TapPlaces quantized_places(quantized->model);
  for (std::size_t slot = 0; slot < spec.pairs.size(); ++slot) {
    const PairTap& pair = spec.pairs[slot];
    std::string obstacle = places.obstacle(pair.reference);
    const std::string other = quantized_places.obstacle(pair.quantized);
    if (obstacle.empty()) obstacle = other;
    if (!obstacle.empty()) {
      accumulators_.drop_pair(slot, obstacle);
      continue;
    }
    reference.taps.push_back({pair.reference, slot, TapUse::keep});
    quantized->taps.push_back({pair.quantized, slot, TapUse::compare});
  }
}

/// Runs a graph for a step; what a tap threw is the reason of a failure, the library only knows
/// that there was one.
TensorMap run(const LoadedGraph& graph, const NamedTensors& inputs, TapCall& taps) {
  try {
    return graph.outputs(graph.feed(inputs), taps.number());
  } catch (const Error&) {
    taps.rethrow_error();
    throw;
  }
}

Outputs TensorflowRun::step(const Batch& batch) {
  const NamedTensors inputs = inputs_for(reference_, reference_, batch);
  NamedTensors quantized_inputs;
  if (quantized_ != nullptr) quantized_inputs = inputs_for(*quantized_, reference_, batch);
  const StepRoom::Measure measure(room_);
  Accumulators::Step step = accumulators_.begin(batch.samples);
  TapCall taps(api(), step, counts_);
  Outputs outputs;
  outputs.reference = run(*graph_, inputs, taps);
  if (quantized_graph_) outputs.quantized = run(*quantized_graph_, quantized_inputs, taps);
  step.end();
  return outputs;
}

}  // namespace

std::unique_ptr<Run> open(const Model& reference, const Model* quantized, const TapSpec& taps,
                          const RunOptions& options) {
  api();
  if (taps.local) {
    throw Error(Errc::unsupported,
                fmt::format("{}: local errors need both models in one, which TensorFlow models "
                            "are not yet",
                            where(reference)));
  }
  return std::make_unique<TensorflowRun>(reference, quantized, taps, options);
}

RuntimeStatus status() {
  const Library& of = library();
  return {.name = "tensorflow",
          .available = of.is_there,
          .version = of.version,
          .where = of.path,
          .problem = of.problem};
}

RuntimeStatus found() {
  std::string tried;
  for (const fs::path& candidate : tensorflow_candidates()) {
    if (!candidate.has_parent_path()) continue;  // only the system's loader knows where it is
    std::error_code ignored;
    if (fs::is_regular_file(candidate, ignored)) {
      return {.name = "tensorflow", .available = true, .where = candidate.string()};
    }
    tried += fmt::format("{}{}: there is no such file", tried.empty() ? "" : "; ",
                         printable(candidate.string()));
  }
  return {.name = "tensorflow", .problem = tensorflow_problem(tried)};
}

}  // namespace quantlens::tensorflow
