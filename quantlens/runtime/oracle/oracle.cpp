// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/oracle/oracle.h"

#include <map>
#include <numeric>
#include <set>
#include <span>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/runtime/accumulators.h"
#include "quantlens/runtime/local_readers.h"
#include "quantlens/runtime/oracle/interpreter.h"
#include "quantlens/runtime/oracle/kernels.h"
#include "quantlens/runtime/step_room.h"

namespace quantlens::oracle {
namespace {

class OracleRun final : public Run {
 public:
  OracleRun(const Model& reference, const Model* quantized, const TapSpec& taps,
            const RunOptions& options)
      : accumulators_(taps), room_(options.in_flight), reference_(reference) {
    if (quantized != nullptr) {
      check_inputs(reference, *quantized);
      if (taps.local) make_local(*quantized, taps);
      quantized_.emplace(taps.local ? local_model_ : *quantized);
    }
    for (std::size_t i = 0; i < taps.taps.size(); ++i) {
      check_made(reference_, taps.taps[i].value);
      taps_.emplace(taps.taps[i].value, i);
    }
    if (!taps.pairs.empty() && !quantized_) {
      throw Error(Errc::bad_input, "a pair of values is tapped, but there is no quantized model");
    }
    for (std::size_t i = 0; i < taps.pairs.size(); ++i) {
      check_made(reference_, taps.pairs[i].reference);
      check_made(*quantized_, taps.pairs[i].quantized);
      kept_.emplace(taps.pairs[i].reference);
      pairs_.emplace(taps.pairs[i].quantized, std::pair(i, taps.pairs[i].reference));
    }
  }

  Outputs step(const Batch& batch) override {
    const std::vector<Tensor> inputs = inputs_of(batch);
    const StepRoom::Measure measure(room_);
    Accumulators::Step step = accumulators_.begin(batch.samples);
    Outputs outputs;
    TensorMap kept;
    outputs.reference = reference_.run(inputs, [&](const std::string& value, const Tensor& tensor) {
      const auto tap = taps_.find(value);
      if (tap != taps_.end()) step.observe(tap->second, view(tensor));
      if (kept_.contains(value)) kept.emplace(value, tensor);
    });
    if (quantized_) {
      std::vector<Tensor> all = inputs;
      for (const LocalInput& local : local_inputs_) all.push_back(local.of(kept));
      outputs.quantized = quantized_->run(all, [&](const std::string& value, const Tensor& tensor) {
        const auto [first, last] = pairs_.equal_range(value);
        for (auto pair = first; pair != last; ++pair) {
          const auto& [slot, reference] = pair->second;
          step.compare(slot, view(kept.at(reference)), view(tensor));
        }
      });
    }
    step.end();
    return outputs;
  }

  TapState take() override { return accumulators_.take(); }
  const std::vector<NotTapped>& not_tapped() const override { return accumulators_.not_tapped(); }
  unsigned in_flight() const override { return room_.in_flight(); }

 private:
  static void check_made(const Interpreter& model, const std::string& value) {
    if (model.makes(value)) return;
    const bool is_weight = model.model().graph.weights.contains(value);
    const std::string hint = is_weight ? std::string("it is a weight, the same in every step")
                                       : did_you_mean(value, model.values());
    throw Error(Errc::not_found, fmt::format("{} has no value '{}' to tap{}{}",
                                             printable(model.model().path.string()),
                                             printable(value), hint.empty() ? "" : ": ", hint));
  }

  /// A further input of the quantized model: what a value of the reference is there.
  struct LocalInput {
    std::string reference;
    std::vector<QParams> params;  ///< as codes; empty: as it is
    Scheme scheme;
    bool rounds = false;  ///< as what those codes mean

    Tensor of(const TensorMap& kept) const {
      const Tensor& value = kept.at(reference);
      if (params.empty()) return value;
      Tensor codes = quantize(to_float32(value), params, scheme);
      return rounds ? dequantize(codes, params, scheme.axis) : codes;
    }
  };

  void make_local(const Model& quantized, const TapSpec& taps) {
    local_model_ = quantized;
    std::vector<std::size_t> slots(taps.pairs.size());
    std::iota(slots.begin(), slots.end(), 0);
    const LocalReaders readers = local_readers(GraphIndex(quantized.graph), taps, slots, [this] {
      return fmt::format("quantlens/local/{}", ++names_);
    });
    for (const auto& [node, inputs] : readers.inputs) {
      for (const auto& [input, name] : inputs) local_model_.graph.nodes[node].inputs[input] = name;
    }
    for (const LocalValue& local : readers.values) {
      const PairTap& pair = taps.pairs[local.slot];
      local_model_.graph.inputs.push_back({.name = local.name, .dtype = {}, .shape = {}});
      LocalInput input{.reference = pair.reference, .params = {}, .scheme = {}};
      if (!pair.readers_params.empty()) {
        input.params = pair.readers_params;
        input.scheme = pair.readers_scheme;
        input.rounds = true;
      } else if (local.codes) {
        input.params = pair.channel_params;
        if (input.params.empty()) input.params.push_back(*pair.params);
        input.scheme = pair.scheme.value_or(Scheme());
      }
      local_inputs_.push_back(std::move(input));
    }
  }

  /// Throws Errc::unsupported where one batch cannot feed both models.
  static void check_inputs(const Model& reference, const Model& quantized) {
    const std::vector<ValueInfo>& a = reference.graph.inputs;
    const std::vector<ValueInfo>& b = quantized.graph.inputs;
    bool agree = a.size() == b.size();
    for (std::size_t i = 0; agree && i < a.size(); ++i) {
      agree = !a[i].dtype || !b[i].dtype || *a[i].dtype == *b[i].dtype;
    }
    if (!agree) {
      throw Error(Errc::unsupported,
                  "the two models cannot run together: their inputs differ in number or type");
    }
  }

  /// The batch's tensors in the order of the model's inputs.
  std::vector<Tensor> inputs_of(const Batch& batch) const {
    std::vector<Tensor> inputs;
    for (const ValueInfo& info : reference_.model().graph.inputs) {
      const auto found = batch.inputs.find(info.name);
      if (found == batch.inputs.end()) {
        throw Error(Errc::bad_input, fmt::format("input '{}', {}, is missing in the data",
                                                 printable(info.name), described(info)));
      }
      const Shape& shape = found->second.shape();
      if (shape.empty() || shape[0] != static_cast<std::int64_t>(batch.samples.size())) {
        throw Error(Errc::bad_input,
                    fmt::format("input '{}' of shape {} does not hold {} samples",
                                printable(info.name), to_string(shape), batch.samples.size()));
      }
      inputs.push_back(found->second);
    }
    return inputs;
  }

  Accumulators accumulators_;
  StepRoom room_;
  Interpreter reference_;
  Model local_model_;  // where errors are local; the interpreter below views it
  std::vector<LocalInput> local_inputs_;
  std::size_t names_ = 0;
  std::optional<Interpreter> quantized_;
  std::map<std::string, std::size_t> taps_;  // slot by value
  std::set<std::string> kept_;               // values of the reference that pairs compare with
  std::multimap<std::string, std::pair<std::size_t, std::string>> pairs_;  // by quantized value
};

}  // namespace

std::unique_ptr<Run> open(const Model& reference, const Model* quantized, const TapSpec& taps,
                          const RunOptions& options) {
  return std::make_unique<OracleRun>(reference, quantized, taps, options);
}

bool supports(const Node& node) {
  return kernel_of(node) != nullptr;
}

}  // namespace quantlens::oracle
