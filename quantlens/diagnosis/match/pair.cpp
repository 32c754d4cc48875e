// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/pair.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/diagnosis/changes/changes.h"
#include "quantlens/diagnosis/match/input_factors.h"
#include "quantlens/diagnosis/match/match_structure.h"
#include "quantlens/diagnosis/match/output_pairs.h"
#include "quantlens/diagnosis/match/pair_precisions.h"
#include "quantlens/diagnosis/match/pair_weights.h"
#include "quantlens/diagnosis/match/provenance.h"
#include "quantlens/diagnosis/view/channels.h"
#include "quantlens/diagnosis/view/duplicates.h"
#include "quantlens/diagnosis/view/float_view.h"
#include "quantlens/diagnosis/view/moved.h"
#include "quantlens/graph/order.h"
#include "quantlens/graph/outline.h"
#include "quantlens/quantizer/analyze/capability.h"
#include "quantlens/quantizer/analyze/prepare.h"
#include "quantlens/record/op_refs.h"
#include "quantlens/runtime/constants.h"

namespace quantlens {
namespace {

/// Whether a tensor may have both shapes, as far as they are known.
bool may_be_equal(const std::vector<Dim>& a, const std::vector<Dim>& b) {
  return std::ranges::equal(a, b, [](const Dim& x, const Dim& y) {
    return !x.extent || !y.extent || *x.extent == *y.extent;
  });
}

std::string shape_text(const std::vector<Dim>& shape) {
  return outline({.name = {}, .dtype = {}, .shape = shape}).shape;
}

class Pairer {
 public:
  Pairer(const Indexed& reference, const Indexed& quantized)
      : reference_(reference.model),
        index_(reference.index),
        q_index_(quantized.index),
        q_able_(capabilities_of(quantized.model.format)),
        view_(index_),
        q_view_(q_index_),
        provenance_(read_provenance(quantized.model)),
        match_(match_structure(view_, q_view_, known())),
        prepared_(prepare_like(index_, reference.constants, capabilities_of(reference.model.format),
                               {match_.folded.begin(), match_.folded.end()})),
        quantized_of_(view_.values().size()) {
    for (const Pattern& pattern : prepared_.patterns) {
      pattern_of_output_[op_id(node(pattern.members.back()))] = &pattern;
      for (const std::size_t member : pattern.members) inside_patterns_.insert(op_id(node(member)));
    }
    for (const auto& [end, pattern] : pattern_of_output_) inside_patterns_.erase(end);
    for (std::size_t q = 0; q < match_.values.size(); ++q) {
      if (match_.values[q]) quantized_of_[match_.values[q]->reference].push_back(q);
    }
    for (const ValueInfo& output : reference_.graph.outputs) {
      if (output.dtype) tensor_outputs_.insert(output.name);
    }
    pairing_.folded_ops = match_.folded;
    share_among_equals();
    join_outputs(quantized.model.graph);
  }

  Pairing run() {
    for (const ValueInfo& input : reference_.graph.inputs) {
      pair_value(input.name,
                 {.op = {.id = input.name, .name = input.name},
                  .type = "Input",
                  .pattern = {},
                  .reference = input.name,
                  .quantized = {},
                  .scheme = {},
                  .params = {},
                  .channel_params = {},
                  .same_as = {},
                  .input_factors = {}},
                 false);
    }
    for (const Node& op : reference_.graph.nodes) {
      for (const std::string& value : op.outputs) pair_output(op, value);
    }
    for (const Node& op : reference_.graph.nodes) list_bodies(op);
    pair_weights(view_, q_view_, prepared_, match_, pairing_);
    tell_precisions(view_, q_view_, match_, q_able_, pairing_);
    mark_moved(index_, q_index_, pairing_);
    mark_channels(index_, prepared_, pairing_);
    find_only_quantized();
    find_changes(view_, q_view_, prepared_, match_, pairing_);
    return std::move(pairing_);
  }

 private:
  /// Outputs that stand for each other.
  struct Joined {
    bool by_name = false;
    bool is_known = false;  ///< the graphs say it, too
  };

  /// A value that the reference computes more often than the quantized model: those without a
  /// counterpart have that of the first equal with one.
  void share_among_equals() {
    const std::vector<std::size_t> first = first_equals(view_);
    std::vector<std::optional<std::size_t>> shared(first.size());
    for (std::size_t r = 0; r < first.size(); ++r) {
      if (!shared[first[r]] && !quantized_of_[r].empty()) shared[first[r]] = r;
    }
    for (std::size_t r = 0; r < first.size(); ++r) {
      const std::optional<std::size_t> from = shared[first[r]];
      if (from && quantized_of_[r].empty()) quantized_of_[r] = quantized_of_[*from];
    }
  }

  /// An output stands for that of its name or place, whatever makes it.
  void join_outputs(const Graph& quantized) {
    for (const OutputPair& pair : output_pairs(reference_.graph, quantized)) {
      const auto r = view_.value_of(reference_.graph.outputs[pair.reference].name);
      const auto q = q_view_.value_of(quantized.outputs[pair.quantized].name);
      if (!r || !q) continue;
      std::vector<std::size_t>& known = quantized_of_[*r];
      const bool is_known = std::ranges::find(known, *q) != known.end();
      if (!is_known) known.insert(known.begin(), *q);
      joined_.emplace(std::pair(*r, *q), Joined{.by_name = pair.by_name, .is_known = is_known});
    }
  }

  /// Whether the two are sure to belong together.
  bool is_confirmed(std::size_t number, std::size_t q) const {
    const auto joined = joined_.find({number, q});
    const bool share_name = joined != joined_.end() && joined->second.by_name;
    return share_name || (match_.values[q] && match_.values[q]->confirmed);
  }

  /// Whether the value is an output whose counterpart has no codes, while others may have some that
  /// stand for it, too.
  bool is_joined_as_floats(std::size_t number) const {
    const std::size_t q = quantized_of_[number].front();
    const auto joined = joined_.find({number, q});
    return joined != joined_.end() && !joined->second.is_known && q_view_.values()[q].sides.empty();
  }

  const Node& node(std::size_t number) const { return reference_.graph.nodes[number]; }

  /// What the file itself says, where the tensors that it names are there.
  Known known() const {
    Known known;
    for (const auto& [value, codes] : provenance_.values) {
      const std::optional<std::size_t> r = view_.value_of(value);
      const std::optional<std::size_t> q = q_view_.value_of(codes);
      if (r && q && has_codes(*q, codes)) known.emplace_back(*q, *r);
    }
    return known;
  }

  bool has_codes(std::size_t quantized, const std::string& tensor) const {
    return std::ranges::any_of(q_view_.values()[quantized].sides, [&](const CodeSide& side) {
      return side.codes && side.tensor == tensor;
    });
  }

  void pair_output(const Node& op, const std::string& value) {
    if (value.empty() || index_.constant(value)) return;
    const auto found = pattern_of_output_.find(value);
    const Node& named = found == pattern_of_output_.end() ? op : node(found->second->anchor);
    ValuePair pair{.op = ref_of(named),
                   .type = named.type,
                   .pattern = {},
                   .reference = value,
                   .quantized = {},
                   .scheme = {},
                   .params = {},
                   .channel_params = {},
                   .same_as = {},
                   .input_factors = {}};
    bool float_side = tensor_outputs_.contains(value);
    if (found != pattern_of_output_.end()) {
      float_side = float_side || prepared_.able->has(named.kind, Role::compute);
      for (const std::size_t member : found->second->members)
        pair.pattern.push_back(node(member).type);
    }
    pair_value(value, pair, float_side);
  }

  /// What an op with bodies hides: the values inside them, and those of its own that have no row.
  void list_bodies(const Node& op) {
    if (op.subgraphs.empty()) return;
    list_inside(op, op_id(op), printable(op_name(op)));
    for (const std::string& value : op.outputs) {
      if (!value.empty() && has_float_counterpart(value) && !is_told(value))
        pairing_.not_compared.push_back(
            {value, fmt::format("a body of '{}' computes it, and nothing reads codes of it",
                                printable(op_name(op)))});
    }
  }

  /// Of inner bodies, too, whose depth is limited by the frontend. `scope`: the ids of the ops that
  /// hold the bodies, joined by '/'.
  void list_inside(const Node& holder, const std::string& scope, const std::string& outermost) {
    for (const auto& [key, body] : holder.subgraphs) {
      for (const Node& node : body->nodes) {
        for (const std::string& value : node.outputs) {
          if (value.empty()) continue;
          pairing_.not_compared.push_back(
              {fmt::format("{}/{}", scope, value),
               fmt::format("it lies in a body of '{}': bodies stay float", outermost)});
        }
        list_inside(node, fmt::format("{}/{}", scope, op_id(node)), outermost);
      }
    }
  }

  /// Whether floats, as far as is known, stand for a value of floats.
  bool has_float_counterpart(const std::string& value) const {
    const std::optional<std::size_t> number = view_.value_of(value);
    if (!number || quantized_of_[*number].empty()) return false;
    const auto dtype = element_type(*number);
    return !dtype || is_float(*dtype);
  }

  /// Whether the value has a pair, or stands among those that were left out.
  bool is_told(const std::string& value) const {
    return std::ranges::find(pairing_.pairs, value, &ValuePair::reference) !=
               pairing_.pairs.end() ||
           std::ranges::find(pairing_.not_compared, value, &NotCompared::value) !=
               pairing_.not_compared.end();
  }

  /// Whether the tensor is the one of its value that is compared: a value of a model that has codes
  /// itself has several.
  bool is_compared(std::size_t number, const std::string& tensor) const {
    const std::vector<std::string>& floats = view_.values()[number].floats;
    return !floats.empty() && floats[0] == tensor;
  }

  // Adds a row for every quantized side of the value; `float_side`: compare floats where it has
  // none.
  void pair_value(const std::string& tensor, ValuePair pair, bool float_side) {
    const std::optional<std::size_t> number = view_.value_of(tensor);
    if (!number || !is_compared(*number, tensor)) return;
    if (view_.values()[*number].is_constant) return;
    if (quantized_of_[*number].empty()) {
      if (pair.type != "Input") pairing_.only_reference.push_back(tensor);
      return;
    }
    bool any_side = false;
    for (const std::size_t q : quantized_of_[*number]) {
      pair.confirmed = is_confirmed(*number, q);
      const auto factors = input_factors(q_view_, match_.ops, q);
      for (CodeSide side : q_view_.values()[q].sides) {
        any_side = any_side || side.codes.has_value();
        if (factors) take_back(*factors, q, side);
        pair.input_factors = factors && side.codes ? factors->name : "";
        pair_side(side, *number, q, pair);
      }
    }
    if (!any_side && (float_side || has_rounding_maker(*number, tensor)))
      return pair_floats(*number, pair);
    if (is_joined_as_floats(*number)) pair_floats(*number, pair);
  }

  /// Whether the quantized model makes floats of the value out of codes that no other row tells of:
  /// a weight or a table in codes, or codes that the op takes inside. What is inside a pattern is
  /// told by the pattern's end.
  bool has_rounding_maker(std::size_t number, const std::string& tensor) const {
    if (inside_patterns_.contains(tensor)) return false;
    return std::ranges::any_of(quantized_of_[number], [&](std::size_t q) {
      const auto& maker = q_view_.values()[q].producer;
      return maker && computes_with_codes(q_view_, q_view_.ops()[*maker]);
    });
  }

  /// Codes of a value times factors are codes of the value, in steps of its own for each channel.
  void take_back(const InputFactors& by, std::size_t q, CodeSide& side) const {
    if (!side.codes) return;
    const auto& shape = q_view_.values()[q].shape;
    const bool fits = side.codes->params.size() == 1 && by.factors.size() > 1 && shape &&
                      by.axes_behind < shape->size();
    if (!fits) {
      side.codes.reset();
      side.obstacle = "its codes are those of its product with constants that the reference lacks";
      return;
    }
    const QParams params = side.codes->params.front();
    side.codes->params.clear();
    for (const float factor : by.factors)
      side.codes->params.push_back({params.scale / factor, params.zero_point});
    side.codes->scheme.axis = static_cast<int>(shape->size() - 1 - by.axes_behind);
  }

  void pair_side(const CodeSide& side, std::size_t number, std::size_t q, ValuePair pair) {
    used_.insert(side.tensor);
    const std::string& value = pair.reference;
    pair.side = side.side;
    pair.quantized = side.tensor;
    pair.found_by = found_by(number, q, side.tensor);
    if (!side.codes) {
      pairing_.not_compared.push_back({value, side.obstacle});
    } else if (side.codes->params.size() > 1 && !has_scales_along(*side.codes, q)) {
      pairing_.not_compared.push_back(
          {value, "its codes have several scales, which do not fit an axis of it"});
    } else if (const DType dtype = side.codes->scheme.dtype; !is_of_activations(dtype)) {
      pairing_.not_compared.push_back({value, "its codes are " + std::string(name(dtype)) +
                                                  "; only those of 8 and 16 bits are compared"});
    } else if (fits_shape(number, q, value)) {
      pair.scheme = side.codes->scheme;
      pair.params = side.codes->params[0];
      if (side.codes->params.size() > 1) pair.channel_params = side.codes->params;
      pairing_.pairs.push_back(pair);
    }
  }

  static bool is_of_activations(DType dtype) {
    return dtype == DType::uint8 || dtype == DType::int8 || dtype == DType::uint16 ||
           dtype == DType::int16;
  }

  /// Whether each index of an axis may have its scale, as far as the value's shape is known. Not
  /// the first axis, which is the samples'.
  bool has_scales_along(const Codes& codes, std::size_t q) const {
    const int axis = codes.scheme.axis.value_or(-1);
    if (axis <= 0) return false;
    const auto& shape = q_view_.values()[q].shape;
    if (!shape) return true;
    const auto at = static_cast<std::size_t>(axis);
    if (at >= shape->size()) return false;
    const auto& extent = (*shape)[at].extent;
    return !extent || *extent == static_cast<std::int64_t>(codes.params.size());
  }

  void pair_floats(std::size_t number, ValuePair pair) {
    if (const auto dtype = element_type(number); dtype && !is_float(*dtype)) {
      pairing_.not_compared.push_back({pair.reference, "it holds " + std::string(name(*dtype)) +
                                                           "; only floats and codes are compared"});
      return;
    }
    for (const std::size_t q : quantized_of_[number]) {
      const FloatView::Value& value = q_view_.values()[q];
      if (value.floats.empty() || !fits_shape(number, q, pair.reference)) continue;
      pair.side = Side::float_;
      pair.quantized = value.floats[0];
      pair.found_by = found_by(number, q, {});
      pair.confirmed = is_confirmed(number, q);
      pairing_.pairs.push_back(pair);
      return;
    }
  }

  bool fits_shape(std::size_t number, std::size_t q, const std::string& value) {
    const auto& shape = view_.values()[number].shape;
    const auto& other = q_view_.values()[q].shape;
    if (!shape || !other || may_be_equal(*shape, *other)) return true;
    pairing_.not_compared.push_back(
        {value, fmt::format("its shape is {} in the reference and {} in the quantized model",
                            shape_text(*shape), shape_text(*other))});
    return false;
  }

  FoundBy found_by(std::size_t number, std::size_t q, const std::string& side) const {
    const std::vector<std::string>& names = view_.values()[number].floats;
    const std::vector<std::string>& others = q_view_.values()[q].floats;
    for (const std::string& tensor : names) {
      const auto known = provenance_.values.find(tensor);
      if (known != provenance_.values.end() && known->second == side) return FoundBy::metadata;
    }
    const bool shared = std::ranges::any_of(names, [&](const std::string& tensor) {
      return std::ranges::find(others, tensor) != others.end();
    });
    return shared ? FoundBy::name : FoundBy::structure;
  }

  // As far as the reference's file says it.
  std::optional<DType> element_type(std::size_t number) const {
    const FloatView::Value& value = view_.values()[number];
    if (value.dtype || !value.producer) return value.dtype;
    const Node& producer = view_.node(view_.ops()[*value.producer]);
    if (!prepared_.able->has(producer.kind, Role::compute)) return std::nullopt;
    for (const std::string& input : producer.inputs) {  // all of one type
      if (const Tensor* constant = index_.constant(input)) return constant->dtype();
    }
    return std::nullopt;
  }

  void find_only_quantized() {
    for (const FloatView::Value& value : q_view_.values()) {
      if (value.is_constant) continue;
      for (const CodeSide& side : value.sides) {
        if (!used_.contains(side.tensor)) pairing_.only_quantized.push_back(side.tensor);
      }
    }
  }

  const Model& reference_;
  const GraphIndex& index_;
  const GraphIndex& q_index_;
  const Capabilities& q_able_;
  FloatView view_, q_view_;
  Provenance provenance_;
  StructureMatch match_;
  Prepared prepared_;                                             // as the quantized model is
  std::vector<std::vector<std::size_t>> quantized_of_;            // by value of the reference
  std::map<std::pair<std::size_t, std::size_t>, Joined> joined_;  // values of outputs
  std::unordered_map<std::string, const Pattern*> pattern_of_output_;
  std::set<std::string> inside_patterns_;  // outputs of their ops but for the last
  std::set<std::string> tensor_outputs_;   // the others are sequences, maps and optional values
  std::set<std::string> used_;             // tensors of codes that stand for something
  Pairing pairing_;
};

}  // namespace

Pairing pair(const Indexed& reference, const Indexed& quantized) {
  return Pairer(reference, quantized).run();
}

Pairing pair(const Model& reference, const Model& quantized) {
  return pair(indexed(reference), indexed(quantized));
}

TapSpec taps_for(const Pairing& pairing) {
  TapSpec spec;
  std::set<std::pair<std::string, std::string>> tapped;
  for (const ValuePair& pair : pairing.pairs) {
    if (pair.same_as || !tapped.emplace(pair.reference, pair.quantized).second) continue;
    spec.pairs.push_back({.reference = pair.reference,
                          .quantized = pair.quantized,
                          .scheme = pair.scheme,
                          .params = pair.params,
                          .channel_params = pair.channel_params,
                          .channel_axis = pair.channel_axis,
                          .channel_histograms = pair.channel_histograms});
  }
  return spec;
}

}  // namespace quantlens
