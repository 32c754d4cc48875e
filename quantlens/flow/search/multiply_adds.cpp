// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/search/multiply_adds.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/graph/element_types.h"
#include "quantlens/graph/order.h"
#include "quantlens/graph/ranks.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/runtime/closing.h"
#include "quantlens/runtime/feed.h"
#include "quantlens/runtime/open.h"

namespace quantlens::flow {
namespace {

/// What has to be seen of an op: the elements of one value, each of which takes part in `each`
/// multiplications, or in as many as another value's last extent.
struct Count {
  std::string op;
  std::string value;
  std::uint64_t each = 1;
  std::string last_extent_of;  ///< empty: `each` says it all
};

std::uint64_t extent(const Tensor& tensor, std::size_t axis) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(tensor.shape().at(axis), 0));
}

std::uint64_t elements(const Tensor& tensor) {
  return static_cast<std::uint64_t>(element_count(tensor.shape()).value_or(0));
}

/// Of convolutions: elements of a filter of one group an output; the other way round transposed.
std::optional<Count> of_convolution(const Node& node, const GraphIndex& index) {
  const Tensor* weight = index.constant(weight_of(node));
  const auto axes = weight ? weight_axes(node, weight->shape().size()) : std::nullopt;
  if (!axes) return std::nullopt;
  const bool is_transposed = node.kind == Kind::conv_transpose;
  const std::uint64_t channels = extent(*weight, is_transposed ? axes->input : axes->output);
  if (channels == 0) return std::nullopt;
  return Count{.op = op_id(node),
               .value = is_transposed ? data_of(node) : node.outputs[0],
               .each = elements(*weight) / channels,
               .last_extent_of = {}};
}

/// Of products: each element of the result takes as many as the inner extent, which a constant
/// operand tells, or a run.
std::optional<Count> of_product(const Node& node, const GraphIndex& index) {
  if (weight_of(node).empty()) return std::nullopt;
  Count count{.op = op_id(node), .value = node.outputs[0], .each = 1, .last_extent_of = {}};
  const Tensor* b = index.constant(weight_of(node));
  const Tensor* a = index.constant(data_of(node));
  if (b && !b->shape().empty()) {
    const std::size_t rank = b->shape().size();
    count.each = extent(*b, transposes_b(node) || rank == 1 ? rank - 1 : rank - 2);
  } else if (a && !a->shape().empty()) {
    const std::size_t rank = a->shape().size();
    count.each = extent(*a, transposes_a(node) && rank > 1 ? rank - 2 : rank - 1);
  } else if (transposes_a(node)) {
    return std::nullopt;
  } else {
    count.last_extent_of = data_of(node);
  }
  return count;
}

/// Of LSTM, GRU, RNN: each weight once a step.
std::optional<Count> of_cell(const Node& node, const GraphIndex& index) {
  const auto* role = quantlens::role<roles::Recurrence>(node);
  if (role == nullptr) return std::nullopt;
  const Tensor* weights = index.constant(input_of(node, role->operands.weight));
  const Tensor* recurrent = index.constant(input_of(node, role->operands.recurrent));
  if (!weights || !recurrent || weights->shape().size() != 3 || role->input_axis >= 3 ||
      extent(*weights, role->input_axis) == 0) {
    return {};
  }
  return Count{
      .op = op_id(node),
      .value = node.inputs[0],
      .each = (elements(*weights) + elements(*recurrent)) / extent(*weights, role->input_axis),
      .last_extent_of = {}};
}

std::optional<Count> count_of(const Node& node, const GraphIndex& index) {
  if (node.inputs.empty() || node.outputs.empty() || node.outputs[0].empty()) return std::nullopt;
  switch (node.kind) {
    case Kind::conv:
    case Kind::conv_transpose:
      return of_convolution(node, index);
    case Kind::gemm:
    case Kind::matmul:
      return of_product(node, index);
    case Kind::recurrent:
      return of_cell(node, index);
    default:
      return std::nullopt;
  }
}

struct Wanted {
  std::vector<Count> counts;
  std::map<std::string, Tap> taps;
};

/// Only of values that a tap can be put on: not of another type than float32, as far as that is
/// known, and not constant; extents of those of known rank.
Wanted wanted_of(const GraphIndex& index) {
  const auto types = element_types(index);
  const auto rank_of = ranks(index);
  Wanted wanted;
  const auto is_tappable = [&](const std::string& value) {
    const auto type = types.find(value);
    const bool may_be_float = type == types.end() || type->second == DType::float32;
    return may_be_float && !index.constant(value);
  };
  const auto tap_of = [&](const std::string& value) -> Tap& {
    return wanted.taps.try_emplace(value, Tap{.value = value, .histogram = false}).first->second;
  };
  for (const Node& node : index.graph().nodes) {
    std::optional<Count> count = count_of(node, index);
    if (!count || !is_tappable(count->value)) continue;
    if (!count->last_extent_of.empty()) {
      const auto rank = rank_of.find(count->last_extent_of);
      if (rank == rank_of.end() || rank->second < 2 || !is_tappable(count->last_extent_of))
        continue;
      tap_of(count->last_extent_of).channel_axis = static_cast<int>(rank->second) - 1;
    }
    tap_of(count->value);
    wanted.counts.push_back(std::move(*count));
  }
  return wanted;
}

std::uint64_t elements_seen(const ValueStats& stats) {
  return stats.moments.count() + stats.moments.nan_count() + stats.moments.inf_count();
}

}  // namespace

std::map<std::string, std::uint64_t> multiply_adds(const Indexed& model, const FittedData& data,
                                                   const Session& session) {
  std::map<std::string, std::uint64_t> found;
  Wanted wanted = wanted_of(model.index);
  if (wanted.counts.empty()) return found;
  TapSpec spec;
  for (auto& [value, tap] : wanted.taps) spec.taps.push_back(std::move(tap));
  try {
    const ClosingRun run =
        closing(open(model.model, nullptr, spec, run_options(session)), session.phases);
    BatchReader reader = make_reader(data, session, data.opened.batch_size);
    const FeedResult fed = feed(*run, reader, session.progress, "shapes");
    const TapState state = run->take();
    const auto seen = [&](const std::string& value) -> const ValueStats* {
      const auto stats = std::ranges::lower_bound(state.values, value, {}, &ValueStats::value);
      return stats == state.values.end() || stats->value != value ? nullptr : &*stats;
    };
    for (const Count& count : wanted.counts) {
      const ValueStats* stats = seen(count.value);
      const ValueStats* other = count.last_extent_of.empty() ? stats : seen(count.last_extent_of);
      if (!stats || !other || fed.samples == 0) continue;
      const std::uint64_t each =
          count.last_extent_of.empty() ? count.each : other->channels.channels().size();
      found[count.op] = elements_seen(*stats) / fed.samples * each;
    }
  } catch (const Error& error) {
    if (error.code() == Errc::interrupted || error.code() == Errc::io) throw;
    session.progress.note(
        fmt::format("multiplications are not counted, ops count alike: {}", error.what()));
    found.clear();
  }
  return found;
}

}  // namespace quantlens::flow
