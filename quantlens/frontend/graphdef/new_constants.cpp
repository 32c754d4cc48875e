// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/new_constants.h"

#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/quant/params.h"

namespace quantlens::graphdef {

std::string NewConstants::add(const std::string& place, const std::string& wanted,
                              const NewTensor& tensor) {
  std::string name = take(wanted);
  edit_.inserted[place].push_back(constant_node(name, tensor));
  return name;
}

std::string NewConstants::add(const std::string& place, const std::string& wanted,
                              const Tensor& floats) {
  return add(place, wanted, new_tensor(floats));
}

std::string NewConstants::floats(const std::string& place, const std::string& weight) {
  const auto known = floats_.find(weight);
  if (known != floats_.end()) return known->second;
  const Tensor* tensor = context_.floats(weight);
  if (tensor == nullptr) context_.fail(fmt::format("there is no weight '{}'", printable(weight)));
  return floats_[weight] = add(place, weight, *tensor);
}

std::string NewConstants::bias(const std::string& place, const std::string& op,
                               const Tensor& numbers) {
  return add(place, op + "/bias", numbers);
}

void NewConstants::check(const WeightPlan& plan, const Tensor& tensor) const {
  const Shape& shape = tensor.shape();
  std::int64_t channels = 1;
  if (const std::optional<int> axis = plan.scheme.axis) {
    if (*axis < 0 || *axis >= static_cast<int>(shape.size())) {
      context_.fail(fmt::format("the weight '{}' has no axis {}", printable(plan.weight), *axis));
    }
    channels = shape[static_cast<std::size_t>(*axis)];
  }
  if (static_cast<std::int64_t>(plan.params.size()) != channels) {
    context_.fail(fmt::format("the weight '{}' has {} channels, and {} scales are given",
                              printable(plan.weight), channels, plan.params.size()));
  }
  if (context_.code_type(plan.scheme, plan.params, plan.weight) != Type::qint8) {
    context_.fail(fmt::format("the codes of the weight '{}' are not int8", printable(plan.weight)));
  }
}

const NewConstants::Weight& NewConstants::weight(const std::string& place, const WeightPlan& plan) {
  if (const auto known = weights_.find(&plan); known != weights_.end()) return known->second;
  const Tensor* floats = context_.floats(plan.weight);
  if (floats == nullptr)
    context_.fail(fmt::format("there is no weight '{}'", printable(plan.weight)));
  const Tensor tensor = *floats;
  check(plan, tensor);
  const Shape shape =
      plan.scheme.axis ? Shape{static_cast<std::int64_t>(plan.params.size())} : Shape{};
  const RangeTensors range = range_tensors(Type::qint8, plan.params, shape);
  Weight weight;
  weight.codes = add(place, plan.weight + "/int8",
                     {.type = Type::qint8, .shape = tensor.shape(), .make = [tensor, &plan] {
                        return quantize(tensor, plan.params, plan.scheme);
                      }});
  weight.range.min = add(place, plan.weight + "/min", range.min);
  weight.range.max = add(place, plan.weight + "/max", range.max);
  return weights_[&plan] = std::move(weight);
}

RangeNodes NewConstants::range(const std::string& place, const std::string& value, Type type,
                               const QParams& params) {
  const RangeTensors range = range_tensors(type, {&params, 1}, {});
  return {.min = add(place, value + "/min", range.min),
          .max = add(place, value + "/max", range.max)};
}

}  // namespace quantlens::graphdef
