// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/inputs.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/runtime/where.h"

namespace quantlens {
namespace {

std::string shape_text(const std::optional<std::vector<Dim>>& shape) {
  if (!shape) return "of any shape";
  std::string text;
  for (const Dim& dim : *shape) {
    if (!text.empty()) text += ',';
    text += dim.extent           ? std::to_string(*dim.extent)
            : dim.symbol.empty() ? "?"
                                 : printable(dim.symbol);
  }
  return '[' + text + ']';
}

bool fits(const ValueInfo& input, const Tensor& tensor) {
  if (input.dtype && *input.dtype != tensor.dtype()) return false;
  if (!input.shape) return true;
  return std::ranges::equal(*input.shape, tensor.shape(), [](const Dim& dim, std::int64_t extent) {
    return !dim.extent || *dim.extent == extent;
  });
}

}  // namespace

NamedTensors inputs_for(const Model& model, const Model& reference, const Batch& batch) {
  NamedTensors inputs;
  for (std::size_t i = 0; i < model.graph.inputs.size(); ++i) {
    const ValueInfo& wanted = model.graph.inputs[i];
    const std::string& name = reference.graph.inputs[i].name;
    const auto found = batch.inputs.find(name);
    if (found == batch.inputs.end()) {
      std::string given;
      for (const auto& [other, tensor] : batch.inputs) given += ' ' + printable(other);
      throw Error(Errc::bad_input,
                  fmt::format("{}: the data have no input '{}'; they have:{}", where(model),
                              printable(name), given.empty() ? " nothing" : given));
    }
    if (!fits(wanted, found->second)) {
      const std::string_view dtype =
          wanted.dtype ? quantlens::name(*wanted.dtype) : std::string_view("tensors");
      throw Error(
          Errc::bad_input,
          fmt::format("{}: input '{}' is {} {}, the data give {} {}", where(model),
                      printable(wanted.name), dtype, shape_text(wanted.shape),
                      quantlens::name(found->second.dtype()), to_string(found->second.shape())));
    }
    inputs.emplace_back(wanted.name, found->second);
  }
  return inputs;
}

void check_inputs(const Model& reference, const Model* quantized) {
  for (const Model* model : {&reference, quantized}) {
    if (model == nullptr) continue;
    for (const ValueInfo& input : model->graph.inputs) {
      if (input.dtype) continue;
      throw Error(Errc::unsupported, fmt::format("{}: input '{}' is no tensor of a known type",
                                                 where(*model), printable(input.name)));
    }
  }
  if (quantized != nullptr && reference.graph.inputs.size() != quantized->graph.inputs.size()) {
    throw Error(Errc::unsupported,
                fmt::format("{} has {} inputs and {} has {}: they cannot run side by side",
                            where(reference), reference.graph.inputs.size(), where(*quantized),
                            quantized->graph.inputs.size()));
  }
}

}  // namespace quantlens
