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

/// A model, and its taps as far as they can be placed.
struct OfModel {
  explicit OfModel(const Model& of) : model(of), graph(of.file.bytes(), where(of)) {}

  const Model& model;
  ImportedGraph graph;
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
  void place_pairs(const TapSpec& spec, const TapPlaces& places, OfModel& reference,
                   OfModel& quantized);

  const Model& reference_;
  const Model* quantized_;
  Accumulators accumulators_;
  TapLimits limits_;
  StepRoom room_;
  std::unique_ptr<LoadedGraph> graph_;
  std::unique_ptr<LoadedGraph> quantized_graph_;  // null: none
};

std::unique_ptr<LoadedGraph> load(const OfModel& of, unsigned threads,
                                  const LocalReference* local = nullptr) {
  SessionModel wanted = session_model(of.model);
  if (of.taps.empty()) return std::make_unique<LoadedGraph>(of.graph, wanted, threads);
  Tapped tapped = insert_taps(
      of.model, of.taps, [&](const std::string& value) { return of.graph.type(value); }, local);
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
      limits_{spec.taps.size(), spec.pairs.size(), spec.local},
      room_(std::min(options.in_flight, options.threads)) {
  check_inputs(reference, quantized);
  const Phase loading(options.watch.phases, "runtime: load");
  if (!spec.taps.empty() || !spec.pairs.empty()) register_tap_ops(api());
  OfModel of_reference(reference);
  std::optional<OfModel> of_quantized;
  if (quantized != nullptr) of_quantized.emplace(*quantized);
  place(spec, of_reference, of_quantized ? &*of_quantized : nullptr);
  const unsigned threads = std::max(options.threads, 1U) / room_.in_flight();
  graph_ = load(of_reference, threads);
  if (!of_quantized) return;
  LocalReference local{.spec = spec, .slots = {}, .type_of = [&](const std::string& value) {
                         return of_reference.graph.type(value);
                       }};
  for (const WantedTap& tap : of_quantized->taps) local.slots.push_back(tap.slot);
  quantized_graph_ = load(*of_quantized, threads, spec.local ? &local : nullptr);
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
  if (!spec.pairs.empty()) place_pairs(spec, places, reference, *quantized);
}

void TensorflowRun::place_pairs(const TapSpec& spec, const TapPlaces& places, OfModel& reference,
                                OfModel& quantized) {
  const TapPlaces quantized_places(quantized.model);
  for (std::size_t slot = 0; slot < spec.pairs.size(); ++slot) {
    const PairTap& pair = spec.pairs[slot];
    std::string obstacle = places.obstacle(pair.reference);
    const std::string other = quantized_places.obstacle(pair.quantized);
    if (obstacle.empty()) obstacle = other;
    if (obstacle.empty() && spec.local) {
      obstacle = local_obstacle(pair, reference.graph.type(pair.reference),
                                quantized.graph.type(pair.quantized));
    }
    if (!obstacle.empty()) {
      accumulators_.drop_pair(slot, obstacle);
      continue;
    }
    reference.taps.push_back({pair.reference, slot, TapUse::keep});
    quantized.taps.push_back({pair.quantized, slot, TapUse::compare});
  }
}

Outputs TensorflowRun::step(const Batch& batch) {
  const NamedTensors inputs = inputs_for(reference_, reference_, batch);
  NamedTensors quantized_inputs;
  if (quantized_ != nullptr) quantized_inputs = inputs_for(*quantized_, reference_, batch);
  const StepRoom::Measure measure(room_);
  Accumulators::Step step = accumulators_.begin(batch.samples);
  TapCall taps(api(), step, limits_);
  Outputs outputs;
  const auto run = [&](const LoadedGraph& graph, const NamedTensors& given) {
    return run_with(taps.errors(), [&] { return graph.outputs(graph.feed(given), taps.number()); });
  };
  outputs.reference = run(*graph_, inputs);
  if (quantized_graph_) outputs.quantized = run(*quantized_graph_, quantized_inputs);
  step.end();
  return outputs;
}

}  // namespace

std::unique_ptr<Run> open(const Model& reference, const Model* quantized, const TapSpec& taps,
                          const RunOptions& options) {
  api();
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
