// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/models/check_plan.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/graph/integer_ops.h"
#include "quantlens/graph/order.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/profiling/attribute.h"

namespace quantlens::flow {
namespace {

bool is_8_bit(DType dtype) {
  return dtype == DType::uint8 || dtype == DType::int8;
}

bool is_link(Kind kind) {
  return kind == Kind::quantize || kind == Kind::dequantize || kind == Kind::dynamic_quantize;
}

/// Whether a kernel computes on 8-bit codes, not only between them.
bool is_integer_kernel(const Node& node) {
  if (node.kind == Kind::matmul_blocks || node.kind == Kind::gather_blocks) return false;
  return (uses_codes(node.kind) && !is_link(node.kind)) ||
         role<roles::UntoldCodes>(node) != nullptr;
}

/// Of an integer kernel: whether its result is codes, too. Of one that is not told, it is.
bool gives_codes(const Node& node) {
  const std::optional<IntegerOp> op = integer_op(node);
  return !op || op->output.has_value();
}

/// Whether an op that takes codes for its data gives such.
bool moves_codes(const Capabilities& able, const Node& node) {
  const auto* pool = role<roles::Pool>(node);
  return able.passes_elements(node.kind) || (pool != nullptr && pool->takes_maximum) ||
         node.kind == Kind::pad || node.kind == Kind::concat;
}

bool has_weight(const OpPlan& op) {
  constexpr std::array kKinds = {Kind::conv, Kind::conv_transpose, Kind::gemm, Kind::matmul};
  return std::ranges::find(kKinds, op.kind) != std::end(kKinds);
}

/// What a runtime does with each value and node of its graph.
class RunView {
 public:
  RunView(const Graph& run, const Capabilities& able) : run_(run), index_(run), able_(able) {
    for (const ValueInfo& input : run.inputs) {
      if (input.dtype && is_8_bit(*input.dtype)) codes_.insert(input.name);
    }
    for (const Node& node : run.nodes) {
      const bool gives = is_integer_kernel(node) ? gives_codes(node)
                         : is_link(node.kind)    ? node.kind != Kind::dequantize
                                                 : moves_codes(able_, node) && reads_codes(node);
      if (!gives) continue;
      for (const std::string& output : node.outputs) codes_.insert(output);
    }
  }

  /// Whether the node computes on codes, or moves them.
  bool is_integer(const Node& node) const {
    return is_integer_kernel(node) || (moves_codes(able_, node) && reads_codes(node));
  }

  /// Whether it multiplies a weight that is dequantized from 8 bits.
  bool dequantizes_weight(const Node& node) const {
    const std::optional<std::size_t> maker = index_.producer(weight_of(node));
    if (!maker || run_.nodes[*maker].kind != Kind::dequantize) return false;
    const Tensor* codes = index_.constant(run_.nodes[*maker].inputs[0]);
    return codes != nullptr && is_8_bit(codes->dtype());
  }

 private:
  bool reads_codes(const Node& node) const {
    return !node.inputs.empty() && codes_.contains(node.inputs[0]);
  }

  const Graph& run_;
  GraphIndex index_;
  const Capabilities& able_;
  std::unordered_set<std::string> codes_;
};

/// Ops whose weights the plan itself stores as codes: what is in int32 is a bias.
std::unordered_set<std::string> ops_with_codes(const Plan& plan) {
  std::unordered_set<std::string> ops;
  const auto add = [&](const std::vector<ValueUse>& uses) {
    for (const ValueUse& use : uses) ops.insert(use.op);
  };
  for (const WeightPlan& weight : plan.weights_quantized) {
    if (weight.scheme.dtype != DType::int32) add(weight.uses);
  }
  for (const BlockWeightPlan& weight : plan.weights_in_blocks) add(weight.uses);
  return ops;
}

class Check {
 public:
  Check(const Plan& plan, const Graph& file, const Graph& run, const Capabilities& able)
      : plan_(plan), run_(run), view_(run, able), own_codes_(ops_with_codes(plan)) {
    std::unordered_map<std::string, std::size_t> ops;  // by name; members stand for their pattern
    std::unordered_map<std::string, std::size_t> by_id;
    for (std::size_t i = 0; i < plan.ops.size(); ++i) {
      ops.emplace(plan.ops[i].op.name, i);
      by_id.emplace(plan.ops[i].op.id, i);
    }
    pattern_of_.resize(plan.ops.size());
    for (std::size_t i = 0; i < plan.ops.size(); ++i) {
      for (const std::string& member : plan.ops[i].members) {
        const auto found = by_id.find(member);
        if (found != by_id.end()) pattern_of_[found->second] = i;
      }
    }
    nodes_.resize(plan.ops.size());
    const std::vector<Attributed> attributed = attribute(run, file);
    for (std::size_t n = 0; n < attributed.size(); ++n) {
      for (const std::size_t number : attributed[n].ops) {
        const auto op = ops.find(op_name(file.nodes[number]));
        if (op != ops.end()) add(op->second, n);
      }
    }
  }

  std::vector<Deviation> run() {
    std::vector<Deviation> found;
    for (std::size_t i = 0; i < plan_.ops.size(); ++i) {
      if (plan_.ops[i].members.empty() || nodes_[i].empty()) continue;
      const OpPlan& op = plan_.ops[i];
      std::optional<Deviation> deviation;
      if (op.precision == Precision::int8) deviation = of_integer(i);
      if (!op.quantized && op.precision == Precision::fp32) deviation = of_float(i);
      if (deviation) found.push_back(*deviation);
    }
    return found;
  }

 private:
  void add(std::size_t op, std::size_t node) {
    std::vector<std::size_t>& nodes = nodes_[pattern_of_[op]];
    if (nodes.empty() || nodes.back() != node) nodes.push_back(node);
    std::vector<std::size_t>& ops = ops_[node];
    if (std::ranges::find(ops, pattern_of_[op]) == ops.end()) ops.push_back(pattern_of_[op]);
  }

  const Node& node(std::size_t number) const { return run_.nodes[number]; }

  // A Relu or Clip may have become a bound of the codes that its QuantizeLinear gives.
  std::optional<Deviation> of_integer(std::size_t op) const {
    const bool weighted = has_weight(plan_.ops[op]);
    const Node* instead = nullptr;
    for (const std::size_t number : nodes_[op]) {
      const Node& each = node(number);
      const bool is_integer = weighted ? is_integer_kernel(each)
                                       : view_.is_integer(each) || each.kind == Kind::quantize;
      if (is_integer) return std::nullopt;
      if (!is_link(each.kind)) instead = &each;
    }
    if (instead == nullptr) return std::nullopt;
    return Deviation{.op = op, .runs = Runs::in_float, .kernel = instead->type};
  }

  std::optional<Deviation> of_float(std::size_t op) const {
    const bool weighted = has_weight(plan_.ops[op]);
    const Node* integer = nullptr;
    for (const std::size_t number : nodes_[op]) {
      const Node& each = node(number);
      if (weighted && has_weight_of_its_own(each) && view_.dequantizes_weight(each) &&
          !own_codes_.contains(plan_.ops[op].op.id) && !runs_integer_op(number)) {
        return Deviation{.op = op, .runs = Runs::with_codes, .kernel = each.type};
      }
      if (is_link(each.kind)) continue;
      if (!view_.is_integer(each) || runs_integer_op(number)) {
        if (!weighted || !is_integer_kernel(each)) return std::nullopt;
        continue;
      }
      integer = &each;
    }
    if (integer == nullptr) return std::nullopt;
    return Deviation{
        .op = op, .runs = weighted ? Runs::with_codes : Runs::on_codes, .kernel = integer->type};
  }

  static bool has_weight_of_its_own(const Node& node) {
    return operands_of(node) != nullptr && !uses_codes(node.kind);
  }

  /// Whether the node computes an op that is planned so, too.
  bool runs_integer_op(std::size_t number) const {
    const auto found = ops_.find(number);
    return found != ops_.end() && std::ranges::any_of(found->second, [&](std::size_t op) {
             return plan_.ops[op].quantized;
           });
  }

  const Plan& plan_;
  const Graph& run_;
  RunView view_;
  std::unordered_set<std::string> own_codes_;
  std::vector<std::size_t> pattern_of_;                            // by op; the op itself alone
  std::vector<std::vector<std::size_t>> nodes_;                    // of `run`, by op
  std::unordered_map<std::size_t, std::vector<std::size_t>> ops_;  // by node
};

std::string examples(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  std::string text = fmt::format("{} op{} (", names.size(), names.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) {
    text += (i == 0 ? "" : ", ") + printable(names[i]);
  }
  return text + (names.size() > kMost ? ", ...)" : ")");
}

}  // namespace

std::vector<Deviation> check_plan(const Plan& plan, const Graph& file, const Graph& run,
                                  const Capabilities& able) {
  return Check(plan, file, run, able).run();
}

std::vector<std::string> tell_deviations(const std::vector<Deviation>& deviations, Plan& plan) {
  std::vector<std::string> in_float;
  std::vector<std::string> on_codes;
  std::vector<std::string> with_codes;
  for (const Deviation& deviation : deviations) {
    OpPlan& op = plan.ops[deviation.op];
    switch (deviation.runs) {
      case Runs::in_float:
        op.precision = Precision::fp32;
        op.reason = fmt::format("the runtime computes it in float between its codes ({})",
                                printable(deviation.kernel));
        in_float.push_back(op.op.name);
        break;
      case Runs::on_codes:
        op.precision = Precision::int8;
        op.reason += fmt::format("; the runtime computes it on the codes that it reads ({})",
                                 printable(deviation.kernel));
        on_codes.push_back(op.op.name);
        break;
      case Runs::with_codes:
        op.precision = Precision::int8;
        op.reason += fmt::format("; the runtime quantizes its weight all the same ({})",
                                 printable(deviation.kernel));
        with_codes.push_back(op.op.name);
        break;
    }
  }
  std::vector<std::string> notes;
  const auto note = [&](const std::vector<std::string>& names, const char* what) {
    if (!names.empty()) notes.push_back(fmt::format("{}: {}", examples(names), what));
  };
  note(with_codes,
       "kept in float, but the runtime gives them an int8 weight of its own, one scale for all "
       "channels; quantize them, or keep what stands before or behind them in float, too");
  note(in_float, "stored in 8 bits, but the runtime computes them in float: nothing is saved");
  note(on_codes,
       "kept in float, but the runtime computes them on the codes that they read; they have no "
       "weight, and differ from float by their rounding alone");
  return notes;
}

}  // namespace quantlens::flow
