// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/plan_context.h"

#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens::graphdef {

PlanContext::PlanContext(const GraphFile& file, const Plan& plan)
    : file_(file), plan_(plan), index_(file.model().graph) {
  const std::vector<Node>& nodes = file.model().graph.nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) ops_.emplace(op_id(nodes[i]), i);
  for (const InputEdit& edit : plan.input_edits)
    edits_.insert_or_assign({edit.use.op, edit.use.input}, &edit);
  for (const WeightPlan& weight : plan.weights_quantized) {
    for (const ValueUse& use : weight.uses) weights_.insert_or_assign({use.op, use.input}, &weight);
  }
  for (const ActivationPlan& activation : plan.activations) {
    if (!activation.all_uses) continue;
    if (!made_.emplace(activation.value, &activation).second) {
      fail(fmt::format("the value '{}' is quantized twice", printable(activation.value)));
    }
  }
}

void PlanContext::fail(std::string_view problem) const {
  throw Error(Errc::bad_input,
              fmt::format("{}: the plan was made for another model: {}; make it again",
                          printable(file_.model().path.string()), problem));
}

std::size_t PlanContext::node_of(const std::string& op) const {
  const auto found = ops_.find(op);
  if (found == ops_.end()) fail(fmt::format("there is no op '{}'", printable(op)));
  return found->second;
}

const NodeParts& PlanContext::parts_of(std::size_t number) const {
  if (const NodeParts* parts = file_.find(node(number).name)) return *parts;
  throw Error(Errc::unsupported,
              fmt::format("{}: the op '{}' lies in a function of the graph, which cannot be "
                          "changed; freeze the model as docs/tensorflow.md shows, which puts "
                          "functions in the place of their calls",
                          printable(file_.model().path.string()), printable(node(number).name)));
}

std::optional<std::size_t> PlanContext::position_of(std::size_t number, std::uint64_t input) const {
  const std::vector<std::string>& inputs = node(number).inputs;
  if (input >= inputs.size()) return std::nullopt;
  const auto at = inputs.begin() + static_cast<std::ptrdiff_t>(input);
  auto before = std::count(inputs.begin(), at, *at);  // some ops have their data first here
  const std::vector<std::string> in_file = file_.values_read(parts_of(number));
  for (std::size_t i = 0; i < in_file.size(); ++i) {
    if (in_file[i] == *at && before-- == 0) return i;
  }
  return std::nullopt;
}

bool PlanContext::has_value(const std::string& value) const {
  return index_.producer(value) || index_.is_input(value) || index_.constant(value) != nullptr;
}

const InputEdit* PlanContext::edit_of(const std::string& op, std::uint64_t input) const {
  const auto found = edits_.find({op, input});
  return found == edits_.end() ? nullptr : found->second;
}

const WeightPlan* PlanContext::weight_of(const std::string& op, std::uint64_t input) const {
  const auto found = weights_.find({op, input});
  return found == weights_.end() ? nullptr : found->second;
}

const ActivationPlan* PlanContext::made(const std::string& value) const {
  const auto found = made_.find(value);
  return found == made_.end() ? nullptr : found->second;
}

const Tensor* PlanContext::floats(const std::string& name) const {
  const auto own = plan_.weights.find(name);
  const Tensor* found = own != plan_.weights.end() ? &own->second : index_.constant(name);
  return found != nullptr && found->dtype() == DType::float32 ? found : nullptr;
}

const Tensor* PlanContext::constant(const Node& node, std::size_t input) const {
  const InputEdit* edit = edit_of(op_id(node), input);
  return floats(edit != nullptr ? edit->weight : input_of(node, input));
}

Type PlanContext::code_type(const Scheme& scheme, std::span<const QParams> params,
                            const std::string& name) const {
  if (const auto type = graphdef::code_type(scheme.dtype, params)) return *type;
  throw Error(
      Errc::unsupported,
      fmt::format("{}: TensorFlow's codes are int8 or uint8 without a zero point, and those "
                  "of '{}' are not",
                  printable(file_.model().path.string()), printable(name)));
}

}  // namespace quantlens::graphdef
