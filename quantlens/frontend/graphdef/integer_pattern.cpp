// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/integer_pattern.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/graph/clip_bounds.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens::graphdef {
namespace {

class PatternReader {
 public:
  PatternReader(const PlanContext& context, const OpPlan& op, const std::set<std::string>& folded)
      : context_(context), op_(op), folded_(folded) {}

  IntegerPattern read() {
    pattern_.op = op_.op.id;
    pattern_.anchor = context_.node_of(op_.op.id);
    const Node& anchor = context_.node(pattern_.anchor);
    pattern_.is_product = anchor.kind == Kind::matmul;
    if (moves_codes(anchor.type)) {
      take();
      finish();
      return std::move(pattern_);
    }
    const bool has_op = anchor.type == "Conv2D" || anchor.type == "DepthwiseConv2dNative" ||
                        anchor.type == "MatMul";
    if (!has_op || operands_of(anchor) == nullptr)  // without operands its form has no words
      refuse(anchor);
    read_weight(anchor);
    take();
    take_bias(anchor);
    take_activation();
    finish();
    return std::move(pattern_);
  }

 private:
  [[noreturn]] void refuse(const Node& node) const {
    throw Error(Errc::unsupported, fmt::format("{}: no int8 op of TensorFlow stands for {} '{}'",
                                               printable(context_.file().model().path.string()),
                                               printable(node.type), printable(op_name(node))));
  }

  void read_weight(const Node& anchor) {
    pattern_.weight_input = operands_of(anchor)->weight;
    pattern_.weight = context_.weight_of(op_.op.id, pattern_.weight_input);
    const Tensor* floats =
        pattern_.weight == nullptr ? nullptr : context_.floats(pattern_.weight->weight);
    if (floats == nullptr)
      context_.fail(fmt::format("the int8 op '{}' has no weight of codes", printable(op_.op.id)));
    const std::size_t rank = floats->shape().size();
    const auto axes = weight_axes(anchor, rank);
    if (!axes || axes->output >= rank)
      context_.fail(fmt::format("the weight of '{}' has {} axes", printable(op_.op.id), rank));
    channels_ = floats->shape()[axes->output];
  }

  bool is_at_end() const { return next_ >= op_.members.size(); }
  const Node& next() const { return context_.node(context_.node_of(op_.members[next_])); }

  /// The next op, and those that are folded into it or one before it.
  void take() {
    do {
      pattern_.fused.push_back(context_.node_of(op_.members[next_]));
      pattern_.result = op_.members[next_];
      ++next_;
    } while (!is_at_end() && folded_.contains(op_.members[next_]));
  }

  void take_bias(const Node& anchor) {
    pattern_.bias =
        Tensor::from<float>({channels_}, std::vector<float>(static_cast<std::size_t>(channels_)));
    const std::optional<std::size_t> own = operands_of(anchor)->bias;
    if (const Tensor* bias = own ? context_.constant(anchor, *own) : nullptr; bias != nullptr) {
      if (!set_bias(*bias))
        context_.fail(fmt::format("the bias of '{}' is no vector of {} numbers",
                                  printable(op_.op.id), channels_));
      return;
    }
    if (is_at_end() || next().kind != Kind::add || next().inputs.size() != 2) return;
    for (const std::size_t input : {std::size_t{1}, std::size_t{0}}) {
      if (next().inputs[1 - input] != pattern_.result) continue;
      const Tensor* bias = context_.constant(next(), input);
      if (bias == nullptr || !set_bias(*bias)) continue;
      take();
      return;
    }
  }

  /// One number for each channel, or one for all; false where it is neither.
  bool set_bias(const Tensor& bias) {
    const Tensor floats = aligned(bias);
    const auto numbers = floats.data<float>();
    if (bias.size() == 1) {
      pattern_.bias = Tensor::from<float>(
          {channels_}, std::vector<float>(static_cast<std::size_t>(channels_), numbers[0]));
      return true;
    }
    if (bias.size() != channels_ || bias.shape().back() != channels_) return false;
    pattern_.bias =
        Tensor::from<float>({channels_}, std::vector<float>(numbers.begin(), numbers.end()));
    return true;
  }

  /// A Relu, or a Relu6 whose codes end where it does.
  void take_activation() {
    if (next_ + 1 != op_.members.size() || next().inputs.empty() ||
        next().inputs[0] != pattern_.result)
      return;
    const auto bounds = clip_bounds(context_.index(), next());
    if (next().kind == Kind::relu) {
      pattern_.has_relu = true;
    } else if (bounds && bounds->low == 0 && context_.made(op_.members[next_]) != nullptr) {
      pattern_.has_relu = true;
      pattern_.most = bounds->high;
    }
    if (pattern_.has_relu) take();
  }

  void finish() {
    const bool is_whole = is_at_end();
    pattern_.gives_codes = is_whole && context_.made(pattern_.result) != nullptr;
    if (pattern_.gives_codes || pattern_.is_product) return;
    context_.fail(
        fmt::format("the int8 op '{}' gives codes, and has none to give", printable(op_.op.id)));
  }

  const PlanContext& context_;
  const OpPlan& op_;
  const std::set<std::string>& folded_;
  IntegerPattern pattern_;
  std::int64_t channels_ = 0;
  std::size_t next_ = 0;  // of the members
};

}  // namespace

IntegerPattern integer_pattern(const PlanContext& context, const OpPlan& op,
                               const std::set<std::string>& folded) {
  return PatternReader(context, op, folded).read();
}

}  // namespace quantlens::graphdef
