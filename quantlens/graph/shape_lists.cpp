// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/shape_lists.h"

#include <utility>

#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

constexpr std::int64_t kMostElements = 64;  // no tensor has more dimensions

template <class T>
std::vector<std::int64_t> numbers(const Tensor& tensor) {
  const Tensor values = aligned(tensor);
  return {values.data<T>().begin(), values.data<T>().end()};
}

bool is_integer(DType dtype) {
  return dtype == DType::int64 || dtype == DType::int32;
}

}  // namespace

std::optional<std::vector<std::int64_t>> constant_list(const GraphIndex& index,
                                                       const std::string& value) {
  const Tensor* tensor = index.constant(value);
  if (tensor == nullptr || tensor->shape().size() > 1 || tensor->size() > kMostElements)
    return std::nullopt;
  if (tensor->dtype() == DType::int64) return numbers<std::int64_t>(*tensor);
  if (tensor->dtype() == DType::int32) return numbers<std::int32_t>(*tensor);
  return std::nullopt;
}

std::optional<Dims> ShapeLists::of(const std::string& value) const {
  if (const auto list = constant_list(index_, value)) return shape_rules::dims_of(*list);
  const auto found = known_.find(value);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void ShapeLists::add(const Node& node) {
  if (node.inputs.empty()) return;
  std::optional<Dims> list = result(node);
  if (list && std::ssize(*list) <= kMostElements) known_.emplace(op_id(node), *std::move(list));
}

std::optional<Dims> ShapeLists::result(const Node& node) const {
  switch (node.kind) {
    case Kind::cast: {
      const auto* conversion = role<roles::Conversion>(node);
      const bool keeps = conversion != nullptr && conversion->to && is_integer(*conversion->to);
      return keeps ? of(node.inputs[0]) : std::nullopt;
    }
    case Kind::identity:
      return of(node.inputs[0]);
    case Kind::unsqueeze:
    case Kind::squeeze: {
      std::optional<Dims> list = of(node.inputs[0]);
      return list && list->size() == 1 ? list : std::nullopt;
    }
    case Kind::concat:
      return joined(node);
    case Kind::gather:
      return picked(node);
    case Kind::slice:
      return sliced(node);
    default:
      return std::nullopt;
  }
}

std::optional<Dims> ShapeLists::joined(const Node& node) const {
  Dims all;
  for (const std::string& input : node.inputs) {
    const std::optional<Dims> part = of(input);
    if (!part) return std::nullopt;
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

std::optional<Dims> ShapeLists::picked(const Node& node) const {
  const std::optional<Dims> list = of(node.inputs[0]);
  const auto places = constant_list(index_, indices_of(node));
  if (!list || !places) return std::nullopt;
  Dims picked;
  for (const std::int64_t place : *places) {
    const auto number = shape_rules::axis_number(place, list->size());
    if (!number) return std::nullopt;
    picked.push_back((*list)[*number]);
  }
  return picked;
}

std::optional<Dims> ShapeLists::sliced(const Node& node) const {
  const std::optional<Dims> list = of(node.inputs[0]);
  const auto begin = constant_list(index_, begins_of(node));
  const auto end = constant_list(index_, ends_of(node));
  const auto step = steps_of(node).empty() ? std::optional(std::vector<std::int64_t>{1})
                                           : constant_list(index_, steps_of(node));
  if (!list || !begin || !end || !step || begin->size() != 1 || end->size() != 1 ||
      *step != std::vector<std::int64_t>{1})
    return std::nullopt;
  const auto count = std::ssize(*list);
  const auto place = [&](std::int64_t at) {
    if (at < 0) at = std::max(at, -count) + count;
    return std::min(at, count);
  };
  const std::int64_t first = place(begin->front()), last = std::max(first, place(end->front()));
  return Dims(list->begin() + first, list->begin() + last);
}

}  // namespace quantlens
