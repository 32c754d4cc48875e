// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/oracle/interpreter.h"

#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/runtime/oracle/kernels.h"

namespace quantlens::oracle {
namespace {

std::string file_of(const Model& model) {
  return model.path.empty() ? "the model" : printable(model.path.string());
}

std::string called(const Node& node) {
  return fmt::format("node '{}' ({})", printable(op_name(node)), printable(node.type));
}

bool fits(const ValueInfo& info, const Tensor& tensor) {
  if (info.dtype && *info.dtype != tensor.dtype()) return false;
  if (!info.shape) return true;
  return std::ranges::equal(*info.shape, tensor.shape(), [](const Dim& dim, std::int64_t extent) {
    return !dim.extent || *dim.extent == extent;
  });
}

}  // namespace

std::int64_t opset_of(const Model& model, const Node& node) {
  const bool own = node.domain.empty() || node.domain == "ai.onnx";  // two names of one domain
  auto found = model.opsets.find(own ? "" : node.domain);
  if (own && found == model.opsets.end()) found = model.opsets.find("ai.onnx");
  return found == model.opsets.end() ? 1 : found->second;
}

std::string described(const ValueInfo& info) {
  std::string text(info.dtype ? name(*info.dtype) : "any type");
  if (!info.shape) return text + " of any shape";
  text += " [";
  for (std::size_t i = 0; i < info.shape->size(); ++i) {
    const Dim& dim = (*info.shape)[i];
    if (i > 0) text += ',';
    text += dim.extent           ? std::to_string(*dim.extent)
            : dim.symbol.empty() ? std::string("?")
                                 : printable(dim.symbol);
  }
  return text + ']';
}

Interpreter::Interpreter(const Model& model) : model_(model) {
  for (const auto& [name, tensor] : model.graph.weights) {
    weights_.resize(slot_of_made(name) + 1);
    weights_.back() = aligned(tensor);
  }
  for (const ValueInfo& input : model.graph.inputs) slot_of_made(input.name);
  for (const Node& node : model.graph.nodes) add_step(node);
  for (const ValueInfo& output : model.graph.outputs) {
    if (!slots_.contains(output.name)) {
      throw Error(Errc::bad_input, fmt::format("{}: nothing makes its output '{}'", file_of(model),
                                               printable(output.name)));
    }
  }
  weights_.resize(slots_.size());
  plan_freeing();
}

std::size_t Interpreter::slot_of_made(const std::string& value) {
  return slots_.try_emplace(value, slots_.size()).first->second;
}

std::size_t Interpreter::slot_of_read(const Node& node, const std::string& value) const {
  const auto found = slots_.find(value);
  if (found != slots_.end()) return found->second;
  if (model_.graph.opaque_weights.contains(value)) {
    throw Error(Errc::unsupported, fmt::format("{}: {}: the oracle cannot read weight '{}'",
                                               file_of(model_), called(node), printable(value)));
  }
  throw Error(Errc::bad_input, fmt::format("{}: {} reads '{}', which nothing before it makes",
                                           file_of(model_), called(node), printable(value)));
}

void Interpreter::add_step(const Node& node) {
  Step step{.node = &node, .kernel = kernel_of(node), .opset = opset_of(model_, node)};
  if (step.kernel == nullptr) {
    const std::string domain = node.domain.empty() ? "" : printable(node.domain) + "::";
    throw Error(Errc::unsupported,
                fmt::format("{}: the oracle does not know {}{}, the op of {}", file_of(model_),
                            domain, printable(node.type), called(node)));
  }
  for (const std::string& value : node.inputs) {
    step.inputs.emplace_back();
    if (!value.empty()) step.inputs.back() = slot_of_read(node, value);
  }
  for (const std::string& value : node.outputs) {
    step.outputs.emplace_back();
    if (!value.empty()) step.outputs.back() = slot_of_made(value);
  }
  steps_.push_back(std::move(step));
}

void Interpreter::plan_freeing() {
  std::vector<bool> used(slots_.size());
  for (const ValueInfo& output : model_.graph.outputs) used[slots_.at(output.name)] = true;
  for (std::size_t i = 0; i < weights_.size(); ++i) used[i] = used[i] || weights_[i].has_value();
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    for (const auto* ends : {&step->inputs, &step->outputs}) {
      for (const std::optional<std::size_t>& slot : *ends) {
        if (!slot || used[*slot]) continue;
        used[*slot] = true;
        step->last_used.push_back(*slot);
      }
    }
  }
}

TensorMap Interpreter::run(std::span<const Tensor> inputs, const Observer& seen) const {
  const std::vector<ValueInfo>& wanted = model_.graph.inputs;
  std::vector<std::optional<Tensor>> slots = weights_;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!fits(wanted[i], inputs[i])) {
      throw Error(Errc::bad_input,
                  fmt::format("{}: input '{}' is {}, but the data are {} {}", file_of(model_),
                              printable(wanted[i].name), described(wanted[i]),
                              name(inputs[i].dtype()), to_string(inputs[i].shape())));
    }
    slots[slots_.at(wanted[i].name)] = aligned(inputs[i]);
    seen(wanted[i].name, inputs[i]);
  }
  for (const Step& step : steps_) evaluate(step, slots, seen);
  TensorMap outputs;
  for (const ValueInfo& output : model_.graph.outputs) {
    outputs.emplace(output.name, *slots[slots_.at(output.name)]);
  }
  return outputs;
}

void Interpreter::evaluate(const Step& step, std::vector<std::optional<Tensor>>& slots,
                           const Observer& seen) const {
  Call call{*step.node, step.opset, {}};
  for (const std::optional<std::size_t>& slot : step.inputs) {
    call.inputs.push_back(slot ? &*slots[*slot] : nullptr);
  }
  try {
    Results results = step.kernel(call);
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
      if (!step.outputs[i]) continue;
      if (i >= results.size()) {
        refuse_unknown(fmt::format("the oracle does not make its output number {}", i));
      }
      slots[*step.outputs[i]] = std::move(results[i]);
    }
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{}: {}: {}", file_of(model_), called(*step.node), error.what()));
  }
  for (std::size_t i = 0; i < step.outputs.size(); ++i) {
    if (step.outputs[i]) seen(step.node->outputs[i], *slots[*step.outputs[i]]);
  }
  for (const std::size_t slot : step.last_used) slots[slot].reset();
}

bool Interpreter::makes(const std::string& value) const {
  const auto found = slots_.find(value);
  return found != slots_.end() && !weights_[found->second];
}

std::vector<std::string> Interpreter::values() const {
  std::vector<std::string> names;
  for (const auto& [name, slot] : slots_) {
    if (!weights_[slot]) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace quantlens::oracle
