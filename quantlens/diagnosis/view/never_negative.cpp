// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/never_negative.h"

#include <algorithm>

#include "quantlens/graph/clip_bounds.h"

namespace quantlens {
namespace {

constexpr std::size_t kMostOpsBack = 4;

bool never_negative(const FloatView& view, std::size_t value, std::size_t ops_back) {
  const auto producer = view.values()[view.values()[value].root].producer;
  if (!producer) return false;
  const FloatView::Op& op = view.ops()[*producer];
  const auto is_so_before = [&](const FloatView::Operand& operand) {
    return operand.value && ops_back > 0 && never_negative(view, *operand.value, ops_back - 1);
  };
  switch (op.kind) {
    case Kind::relu:
    case Kind::sigmoid:
    case Kind::hard_sigmoid:
    case Kind::softmax:
    case Kind::exp:
    case Kind::sqrt:
    case Kind::abs:
      return true;
    case Kind::clip: {
      const auto bounds = clip_bounds(view.index(), view.node(op));
      return bounds && bounds->low >= 0;
    }
    case Kind::max_pool:
    case Kind::average_pool:
    case Kind::global_average_pool:
      return !op.operands.empty() && is_so_before(op.operands[0]);
    case Kind::concat:
      return !op.operands.empty() && std::ranges::all_of(op.operands, is_so_before);
    default:
      return false;
  }
}

}  // namespace

bool never_negative(const FloatView& view, std::size_t value) {
  return never_negative(view, value, kMostOpsBack);
}

}  // namespace quantlens
