// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/oracle/oracle.h"

#include <map>
#include <set>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/runtime/accumulators.h"
#include "quantlens/runtime/oracle/interpreter.h"
#include "quantlens/runtime/oracle/kernels.h"

namespace quantlens::oracle {
namespace {

class OracleRun final : public Run {
 public:
  OracleRun(const Model& reference, const Model* quantized, const TapSpec& taps)
      : accumulators_(taps), reference_(reference) {
    if (quantized != nullptr) quantized_.emplace(*quantized);
    check_inputs();
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
    accumulators_.begin(batch.samples);
    Outputs outputs;
    TensorMap kept;
    outputs.reference = reference_.run(inputs, [&](const std::string& value, const Tensor& tensor) {
      const auto tap = taps_.find(value);
      if (tap != taps_.end()) accumulators_.observe(tap->second, view(tensor));
      if (kept_.contains(value)) kept.emplace(value, tensor);
    });
    if (quantized_) {
      outputs.quantized =
          quantized_->run(inputs, [&](const std::string& value, const Tensor& tensor) {
            const auto [first, last] = pairs_.equal_range(value);
            for (auto pair = first; pair != last; ++pair) {
              const auto& [slot, reference] = pair->second;
              accumulators_.compare(slot, view(kept.at(reference)), view(tensor));
            }
          });
    }
    accumulators_.end();
    return outputs;
  }

  TapState take() override { return accumulators_.take(); }
  const std::vector<NotTapped>& not_tapped() const override { return accumulators_.not_tapped(); }

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

  /// Throws Errc::unsupported where one batch cannot feed both models.
  void check_inputs() const {
    if (!quantized_) return;
    const std::vector<ValueInfo>& a = reference_.model().graph.inputs;
    const std::vector<ValueInfo>& b = quantized_->model().graph.inputs;
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
  Interpreter reference_;
  std::optional<Interpreter> quantized_;
  std::map<std::string, std::size_t> taps_;  // slot by value
  std::set<std::string> kept_;               // values of the reference that pairs compare with
  std::multimap<std::string, std::pair<std::size_t, std::string>> pairs_;  // by quantized value
};

}  // namespace

std::unique_ptr<Run> open(const Model& reference, const Model* quantized, const TapSpec& taps,
                          const RunOptions&) {
  return std::make_unique<OracleRun>(reference, quantized, taps);
}

bool supports(const Node& node) {
  return kernel_of(node) != nullptr;
}

}  // namespace quantlens::oracle
