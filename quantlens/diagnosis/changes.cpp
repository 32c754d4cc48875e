// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/changes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/diagnosis/alike.h"
#include "quantlens/diagnosis/changed_attributes.h"
#include "quantlens/diagnosis/changed_constants.h"
#include "quantlens/diagnosis/unequal_codes.h"
#include "quantlens/graph/clip_bounds.h"

namespace quantlens {
namespace {

bool has_weight(Kind kind) {
  return kind == Kind::conv || kind == Kind::conv_transpose || kind == Kind::matmul ||
         kind == Kind::gemm;
}

class Finder {
 public:
  Finder(const FloatView& reference, const FloatView& quantized, const Prepared& prepared,
         const StructureMatch& match)
      : reference_(reference),
        quantized_(quantized),
        prepared_(prepared),
        match_(match),
        found_(reference.ops().size()) {
    const Graph& graph = reference.index().graph();
    for (const Pattern& pattern : prepared.patterns) {
      for (const std::size_t member : pattern.members) {
        anchor_[member] = pattern.anchor;
        end_[member] = op_id(graph.nodes[pattern.members.back()]);
      }
    }
  }

  std::vector<Change> run() {
    for (std::size_t q = 0; q < match_.ops.size(); ++q) {
      if (!match_.ops[q]) continue;
      find_attributes(q, match_.ops[q]->reference);
      find_exchange(q, match_.ops[q]->reference);
      if (match_.ops[q]->rewired) find_rewiring(q, match_.ops[q]->reference);
      find_dropped(q, match_.ops[q]->reference);
      find_lost_bias(q, match_.ops[q]->reference);
    }
    for (const ChangedConstant& one :
         changed_constants(reference_, quantized_, prepared_, match_)) {
      add_constant(one);
    }
    find_unequal_codes();
    std::vector<Change> changes;
    for (std::vector<Change>& of_op : found_) std::ranges::move(of_op, std::back_inserter(changes));
    std::ranges::move(elsewhere_, std::back_inserter(changes));
    return changes;
  }

 private:
  const Node& node(std::size_t r) const { return reference_.node(reference_.ops()[r]); }

  void add(std::size_t r, std::string rule, std::string because, std::string weight = {}) {
    const std::size_t number = reference_.ops()[r].node;
    std::vector<std::string> ops{op_name(node(r))};
    const auto anchor = anchor_.find(number);
    if (anchor != anchor_.end() && anchor->second != number)
      ops.push_back(op_name(reference_.index().graph().nodes[anchor->second]));
    const auto end = end_.find(number);
    found_[r].push_back({.rule = std::move(rule),
                         .op = op_id(node(r)),
                         .ops = std::move(ops),
                         .value = end == end_.end() ? op_id(node(r)) : end->second,
                         .weight = std::move(weight),
                         .because = std::move(because)});
  }

  void add_constant(const ChangedConstant& one) {
    const FloatView::Op& op = reference_.ops()[one.op];
    const bool is_weight = has_weight(op.kind) || op.kind == Kind::gather;
    const std::string name =
        one.operand < node(one.op).inputs.size() ? node(one.op).inputs[one.operand] : "";
    add(one.op, is_weight ? "changed_weight" : "changed_op",
        fmt::format("its {} {}, which no rounding of its codes makes",
                    is_weight ? "weight" : "constant", one.change.words),
        name);
  }

  // ---- attributes
  bool reads_pad(const FloatView& view, const FloatView::Op& op) const {
    return !op.operands.empty() && op.operands[0].value &&
           view.values()[*op.operands[0].value].producer &&
           view.ops()[*view.values()[*op.operands[0].value].producer].kind == Kind::pad;
  }

  void find_attributes(std::size_t q, std::size_t r) {
    const FloatView::Op& before = reference_.ops()[r];
    const FloatView::Op& after = quantized_.ops()[q];
    if (reads_pad(reference_, before) || reads_pad(quantized_, after)) return;
    const std::vector<std::string> changes = changed_attributes(node(r), quantized_.node(after));
    if (changes.empty()) return;
    add(r, "changed_op",
        fmt::format("its attributes are others in the quantized model: {}",
                    fmt::join(changes, "; ")));
  }

  // ---- operands
  void find_exchange(std::size_t q, std::size_t r) {
    const FloatView::Op& op = quantized_.ops()[q];
    if (!match_.ops[q]->swapped || commutes(op) || op.operands.size() != 2) return;
    add(r, "changed_op", "its two inputs stand in the other order in the quantized model");
  }

  /// What kernels do together with the op before: find_dropped judges those that clip.
  static bool may_be_part_of_another(Kind kind) {
    return kind == Kind::relu || kind == Kind::clip || kind == Kind::batch_norm ||
           kind == Kind::add;
  }

  /// Whether op `r` changes nothing: adds or takes off 0, multiplies or divides by 1. Optimizers
  /// leave it out.
  bool is_neutral(std::size_t r) const {
    const Kind kind = reference_.ops()[r].kind;
    const bool is_sum = kind == Kind::add || kind == Kind::sub;
    if (!is_sum && kind != Kind::mul && kind != Kind::div) return false;
    const bool is_ordered = kind == Kind::sub || kind == Kind::div;
    for (std::size_t i = is_ordered ? 1 : 0; i < node(r).inputs.size(); ++i) {
      const Tensor* constant = constant_input(prepared_, reference_.index(), node(r), i);
      if (constant == nullptr || !is_float(constant->dtype())) continue;
      const Tensor floats = to_float32(*constant);
      const float neutral = is_sum ? 0 : 1;
      return std::ranges::all_of(floats.data<float>(),
                                 [&](float value) { return value == neutral; });
    }
    return false;
  }

  void find_rewiring(std::size_t q, std::size_t r) {
    const auto& operands = quantized_.ops()[q].operands;
    const auto& others = reference_.ops()[r].operands;
    for (std::size_t i = 0; i < std::min(operands.size(), others.size()); ++i) {
      const std::size_t at = match_.ops[q]->swapped && i < 2 ? 1 - i : i;
      if (!operands[i].value || !others[at].value) continue;
      const auto& match = match_.values[quantized_.values()[*operands[i].value].root];
      const std::size_t wanted = reference_.values()[*others[at].value].root;
      if (!match || !match->confirmed || match->reference == wanted) continue;
      const auto maker = reference_.values()[wanted].producer;
      if (!maker || may_be_part_of_another(reference_.ops()[*maker].kind) || is_neutral(*maker))
        continue;
      const bool is_left_out = std::ranges::any_of(
          reference_.ops()[*maker].operands, [&](const FloatView::Operand& operand) {
            return operand.value && reference_.values()[*operand.value].root == match->reference;
          });
      if (is_left_out) {
        add(*maker, "changed_op",
            fmt::format("the quantized model leaves it out: {} reads what goes into it",
                        op_name(node(r))));
      } else {
        add(r, "changed_op",
            fmt::format("it does not read what {} gives in the quantized model",
                        op_name(node(*maker))));
      }
    }
  }

  // ---- activations
  /// Bounds of a Relu or Clip.
  std::optional<ClipBounds> bounds_of(std::size_t r) const {
    if (reference_.ops()[r].kind == Kind::relu) return ClipBounds{.low = 0};
    return clip_bounds(reference_.index(), node(r));
  }

  /// How far the codes of a value reach beyond these bounds, in steps; infinite for floats.
  static double steps_beyond(const FloatView::Value& value, const ClipBounds& bounds) {
    double most = value.sides.empty() ? std::numeric_limits<double>::infinity() : 0;
    for (const CodeSide& side : value.sides) {
      if (!side.codes) return 0;
      const CodeRange codes = code_limits(side.codes->scheme.dtype);
      for (const QParams& params : side.codes->params) {
        const double step = params.scale;
        const double low = static_cast<double>(codes.min - params.zero_point) * step;
        const double high = static_cast<double>(codes.max - params.zero_point) * step;
        most = std::max({most, (bounds.low - low) / step, (high - bounds.high) / step});
      }
    }
    return most;
  }

  static std::string reach_words(const FloatView::Value& value) {
    if (value.sides.empty() || !value.sides.front().codes) return "nothing else clips there";
    const Codes& codes = *value.sides.front().codes;
    const CodeRange limits = code_limits(codes.scheme.dtype);
    const QParams& params = codes.params.front();
    return fmt::format("the codes there (zero point {}) reach from {:.3g} to {:.3g}",
                       params.zero_point,
                       static_cast<double>(limits.min - params.zero_point) * params.scale,
                       static_cast<double>(limits.max - params.zero_point) * params.scale);
  }

  /// Activations behind op `r` that its counterpart's value stands for, and that nothing clips.
  void find_dropped(std::size_t q, std::size_t r) {
    constexpr double kRounding = 2;  // steps
    const FloatView::Op& op = quantized_.ops()[q];
    if (op.outputs.empty() || !op.outputs[0] || reference_.ops()[r].outputs.empty()) return;
    if (quantized_.node(op).attributes.contains("activation")) return;
    const auto& match = match_.values[*op.outputs[0]];
    if (!match || !reference_.ops()[r].outputs[0]) return;
    const FloatView::Value& value = quantized_.values()[*op.outputs[0]];
    if (family(quantized_.node(op), op.kind) == Kind::relu) return;
    std::size_t at = match->reference;
    const std::size_t own = *reference_.ops()[r].outputs[0];
    for (std::size_t step = 0; step < 4 && at != own; ++step) {
      const auto maker = reference_.values()[at].producer;
      if (!maker || reference_.ops()[*maker].operands.empty()) return;
      const Kind kind = reference_.ops()[*maker].kind;
      if (kind == Kind::relu || kind == Kind::clip) {
        const auto bounds = bounds_of(*maker);
        const double beyond = bounds ? steps_beyond(value, *bounds) : 0;
        if (beyond > kRounding) {
          add(*maker, "changed_op",
              fmt::format("the quantized model has no {} behind {}, and {}", node(*maker).type,
                          op_name(node(r)), reach_words(value)));
        }
      } else if (is_function(kind)) {
        add(*maker, "changed_op",
            fmt::format("the quantized model leaves it out: what reads it reads the result of {}",
                        op_name(node(r))));
      }
      const auto& operands = reference_.ops()[*maker].operands;
      const auto data = std::ranges::find_if(
          operands, [](const FloatView::Operand& operand) { return operand.value.has_value(); });
      if (data == operands.end()) return;
      at = *data->value;
    }
  }

  // ---- biases
  /// All codes or floats of a constant are 0.
  static bool is_zero(const FloatView::Constant& constant) {
    if (constant.stored == nullptr || constant.stored->size() == 0) return false;
    const Tensor values = to_float32(*constant.stored);
    const auto zero = [&](std::size_t i) {
      if (!constant.codes || constant.is_computed) return 0.0F;
      const auto& params = constant.codes->params;
      return static_cast<float>(params[params.size() == 1 ? 0 : i % params.size()].zero_point);
    };
    const auto numbers = values.data<float>();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != zero(i)) return false;
    }
    return true;
  }

  void find_lost_bias(std::size_t q, std::size_t r) {
    constexpr std::size_t kBias = 2;
    const FloatView::Op& op = quantized_.ops()[q];
    if (!has_weight(op.kind) || op.operands.size() <= kBias || !op.operands[kBias].constant) return;
    if (!is_zero(quantized_.constants()[*op.operands[kBias].constant])) return;
    const Tensor* before = constant_input(prepared_, reference_.index(), node(r), kBias);
    if (before == nullptr || !is_float(before->dtype()) || before->size() == 0) return;
    const Tensor floats = to_float32(*before);
    if (std::ranges::all_of(floats.data<float>(), [](float value) { return value == 0; })) return;
    if (is_added_later(op)) return;
    add(r, "lost_bias",
        fmt::format("its bias is 0 in the quantized model, in all {} elements", before->size()),
        node(r).inputs.size() > kBias ? node(r).inputs[kBias] : "");
  }

  bool is_added_later(const FloatView::Op& op) const {
    return !op.outputs.empty() && op.outputs[0] &&
           std::ranges::any_of(quantized_.values()[*op.outputs[0]].readers,
                               [&](const FloatView::Reader& reader) {
                                 const FloatView::Op& next = quantized_.ops()[reader.op];
                                 return next.kind == Kind::add && next.operands.size() == 2 &&
                                        next.operands[1 - reader.operand].constant;
                               });
  }

  // ---- codes
  std::optional<std::size_t> op_of_node(std::size_t quantized_node) const {
    for (std::size_t q = 0; q < quantized_.ops().size(); ++q) {
      if (quantized_.ops()[q].node == quantized_node && match_.ops[q])
        return match_.ops[q]->reference;
    }
    return {};
  }

  std::string reader_name(const UnequalCodes& one) const {
    if (one.nodes.empty()) return {};
    const auto r = op_of_node(one.nodes[0]);
    return op_name(r ? node(*r) : quantized_.index().graph().nodes[one.nodes[0]]);
  }

  void find_unequal_codes() {
    std::vector<UnequalCodes> all = unequal_codes(quantized_);
    std::set<std::size_t> told;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (told.contains(i)) continue;
      const auto partner = partner_of(all, i);
      if (partner) told.insert(*partner);
      add_unequal(all[i], partner.has_value());
    }
  }

  /// The one that the same op reads with the figures of this one, and the other way round.
  static std::optional<std::size_t> partner_of(const std::vector<UnequalCodes>& all,
                                               std::size_t i) {
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      if (!all[i].nodes.empty() && all[k].nodes == all[i].nodes &&
          mean_the_same(all[k].read, all[i].written) && mean_the_same(all[i].read, all[k].written))
        return k;
    }
    return {};
  }

  void add_unequal(const UnequalCodes& one, bool is_exchange) {
    const std::string reader = reader_name(one);
    const auto& match = match_.values[one.value];
    std::optional<std::size_t> maker;
    if (match) maker = reference_.values()[match->reference].producer;
    std::string because =
        is_exchange
            ? fmt::format(
                  "{} reads the codes of its two inputs with each other's figures: those "
                  "written with {} are read with {}",
                  reader, figures_of(one.written, one.read), figures_of(one.read, one.written))
            : fmt::format("its codes are written with {} and read{} with {}",
                          figures_of(one.written, one.read), reader.empty() ? "" : " by " + reader,
                          figures_of(one.read, one.written));
    Change change{.rule = "unequal_codes",
                  .op = {},
                  .ops = {},
                  .value = {},
                  .weight = {},
                  .because = std::move(because)};
    if (match) {
      const FloatView::Value& value = reference_.values()[match->reference];
      if (!value.floats.empty()) change.value = value.floats.front();
    }
    if (maker) {
      const std::size_t number = reference_.ops()[*maker].node;
      const auto anchor = anchor_.find(number);
      const Node& named =
          reference_.index().graph().nodes[anchor == anchor_.end() ? number : anchor->second];
      change.op = op_id(named);
      change.ops.push_back(op_name(named));
      if (anchor != anchor_.end() && anchor->second != number)
        change.ops.push_back(op_name(node(*maker)));
    } else {
      change.op = change.value.empty() ? one.tensor : change.value;
      change.ops.push_back(change.op);
    }
    if (!reader.empty() && reader != change.ops.front()) {
      change.ops.push_back(reader);
      if (is_exchange || !one.by_all) std::swap(change.ops.front(), change.ops.back());
    }
    if (maker) {
      found_[*maker].push_back(std::move(change));
    } else {
      elsewhere_.push_back(std::move(change));
    }
  }

  const FloatView& reference_;
  const FloatView& quantized_;
  const Prepared& prepared_;
  const StructureMatch& match_;
  std::map<std::size_t, std::size_t> anchor_;  // by number of the node
  std::map<std::size_t, std::string> end_;     // likewise: the pattern's activation
  std::vector<std::vector<Change>> found_;     // by op of the reference
  std::vector<Change> elsewhere_;
};

}  // namespace

void find_changes(const FloatView& reference, const FloatView& quantized, const Prepared& prepared,
                  const StructureMatch& match, Pairing& pairing) {
  pairing.changes = Finder(reference, quantized, prepared, match).run();
}

}  // namespace quantlens
