// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/pair.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "quantlens/diagnosis/codes.h"
#include "quantlens/diagnosis/moved.h"
#include "quantlens/diagnosis/provenance.h"
#include "quantlens/graph/order.h"
#include "quantlens/quantizer/capability.h"
#include "quantlens/quantizer/prepare.h"

namespace quantlens {
namespace {

class Pairer {
 public:
  Pairer(const Model& reference, const Model& quantized)
      : reference_(reference),
        quantized_(quantized),
        index_(reference.graph),
        q_index_(quantized.graph),
        prepared_(prepare(reference.graph)),
        provenance_(read_provenance(quantized)) {
    for (const Pattern& pattern : prepared_.patterns) {
      pattern_of_output_[op_id(node(pattern.members.back()))] = &pattern;
    }
    for (const Node& other : quantized.graph.nodes) {
      if (!other.name.empty()) q_by_name_.emplace(other.name, &other);
    }
  }

  Pairing run() {
    for (const ValueInfo& input : reference_.graph.inputs) {
      pair_value(input.name,
                 {.op = input.name,
                  .op_name = input.name,
                  .type = "Input",
                  .pattern = {},
                  .reference = input.name,
                  .quantized = {},
                  .scheme = {},
                  .params = {},
                  .found_by = {}},
                 false);
    }
    for (const Node& op : reference_.graph.nodes) pair_outputs(op);
    for (const Pattern& pattern : prepared_.patterns) pair_weight(node(pattern.anchor));
    mark_moved(index_, q_index_, pairing_);
    find_only_quantized();
    return std::move(pairing_);
  }

 private:
  const Node& node(std::size_t number) const { return reference_.graph.nodes[number]; }
  bool exists_quantized(const std::string& value) const {
    return q_index_.producer(value) || q_index_.is_input(value);
  }

  void pair_outputs(const Node& op) {
    const std::string& value = op_id(op);
    if (value.empty() || index_.constant(value)) return;
    const auto found = pattern_of_output_.find(value);
    const Node& named = found == pattern_of_output_.end() ? op : node(found->second->anchor);
    ValuePair pair{.op = op_id(named),
                   .op_name = op_name(named),
                   .type = named.type,
                   .pattern = {},
                   .reference = value,
                   .quantized = {},
                   .scheme = {},
                   .params = {},
                   .found_by = {}};
    bool float_side = index_.is_output(value);
    if (found != pattern_of_output_.end()) {
      const Capability* row = capability(named.kind);
      float_side = float_side || (row && row->role == Role::compute);
      for (const std::size_t member : found->second->members)
        pair.pattern.push_back(node(member).type);
    }
    pair_value(value, pair, float_side);
  }

  // Adds a row for every quantized side of the value; `float_side`: compare floats where it has
  // none.
  void pair_value(const std::string& value, ValuePair pair, bool float_side) {
    const std::vector<Codes> sides = quantized_sides(value, pair.found_by);
    for (const Codes& side : sides) {
      used_.insert(side.tensor);
      pair.side = Side::q_output;
      pair.quantized = side.tensor;
      pair.scheme = side.scheme;
      pair.params = side.params[0];
      if (side.params.size() > 1) {
        pairing_.not_compared.push_back({value, "its codes have a scale for each channel"});
      } else if (side.scheme.dtype != DType::uint8 && side.scheme.dtype != DType::int8) {
        pairing_.not_compared.push_back({value, "its codes are " +
                                                    std::string(name(side.scheme.dtype)) +
                                                    "; only 8-bit codes are compared yet"});
      } else {
        pairing_.pairs.push_back(pair);
      }
    }
    if (!sides.empty()) return;
    if (!exists_quantized(value)) {
      if (pair.type != "Input") pairing_.only_reference.push_back(value);
    } else if (const auto dtype = element_type(value); float_side && dtype && !is_float(*dtype)) {
      pairing_.not_compared.push_back({value, "it holds " + std::string(name(*dtype)) +
                                                  "; only floats and codes are compared"});
    } else if (float_side) {
      pair.side = Side::float_;
      pair.quantized = value;
      pair.found_by = "name";
      pairing_.pairs.push_back(pair);
    }
  }

  // As far as the reference's file says it.
  std::optional<DType> element_type(const std::string& value) const {
    for (const ValueInfo& output : reference_.graph.outputs) {
      if (output.name == value && output.dtype) return output.dtype;
    }
    const auto known = reference_.graph.values.find(value);
    if (known != reference_.graph.values.end() && known->second.dtype) return known->second.dtype;
    const auto producer = index_.producer(value);
    const Capability* row = producer ? capability(node(*producer).kind) : nullptr;
    if (!row || row->role != Role::compute) return std::nullopt;
    for (const std::string& input : node(*producer).inputs) {  // all of one type
      if (const Tensor* constant = index_.constant(input)) return constant->dtype();
    }
    return std::nullopt;
  }

  std::vector<Codes> quantized_sides(const std::string& value, std::string& found_by) const {
    if (const auto known = provenance_.values.find(value); known != provenance_.values.end()) {
      if (auto codes = quantize_output(known->second)) {
        found_by = "metadata";
        return {*codes};
      }
    }
    found_by = "name";
    std::vector<Codes> sides;
    for (const Use& use : q_index_.uses(value)) {
      const Node& reader = quantized_.graph.nodes[use.node];
      if (reader.kind != Kind::quantize || use.input != 0) continue;
      if (auto codes = quantize_output(op_id(reader))) sides.push_back(*codes);
    }
    if (!sides.empty()) return sides;
    // a graph output keeps its name on the dequantized value
    if (const auto producer = q_index_.producer(value)) {
      const Node& maker = quantized_.graph.nodes[*producer];
      if (maker.kind == Kind::dequantize) {
        if (auto codes = quantize_output(maker.inputs[0])) sides.push_back(*codes);
      }
    }
    return sides;
  }

  std::optional<Codes> quantize_output(const std::string& tensor) const {
    const auto producer = q_index_.producer(tensor);
    if (!producer) return std::nullopt;
    const Node& maker = quantized_.graph.nodes[*producer];
    if (maker.kind != Kind::quantize || q_index_.constant(maker.inputs[0])) return std::nullopt;
    return codes_of(q_index_, maker, tensor, 0);
  }

  void pair_weight(const Node& op) {
    const Capability* row = capability(op.kind);
    if (!row || row->role != Role::compute) return;
    const Node* other = counterpart(op);
    if (!other) return;
    for (std::size_t input = 0; input < std::min<std::size_t>(op.inputs.size(), 2); ++input) {
      if (!index_.constant(op.inputs[input]) || input >= other->inputs.size()) continue;
      const auto producer = q_index_.producer(other->inputs[input]);
      if (!producer) continue;
      const Node& maker = quantized_.graph.nodes[*producer];
      if (maker.kind != Kind::dequantize) continue;
      const Tensor* stored = q_index_.constant(maker.inputs[0]);
      if (!stored) continue;
      auto codes = codes_of(q_index_, maker, maker.inputs[0], stored->shape().size());
      if (!codes) continue;
      codes->scheme.dtype = stored->dtype();
      const bool folded = std::ranges::any_of(prepared_.input_edits, [&](const InputEdit& edit) {
        return edit.use.op == op_id(op) && edit.use.input == input;
      });
      pairing_.weights.push_back({.op = op_id(op),
                                  .op_name = op_name(op),
                                  .type = op.type,
                                  .reference = op.inputs[input],
                                  .quantized = codes->tensor,
                                  .folded = folded,
                                  .scheme = codes->scheme,
                                  .params = codes->params});
    }
  }

  // The same op in the quantized model: it makes the same value, or has the same name and type.
  const Node* counterpart(const Node& op) const {
    if (const auto producer = q_index_.producer(op_id(op))) {
      const Node& maker = quantized_.graph.nodes[*producer];
      if (maker.type == op.type) return &maker;
    }
    const auto found = q_by_name_.find(op.name);
    return found != q_by_name_.end() && found->second->type == op.type ? found->second : nullptr;
  }

  void find_only_quantized() {
    for (const Node& maker : quantized_.graph.nodes) {
      if (maker.kind != Kind::quantize || maker.inputs.empty() ||
          q_index_.constant(maker.inputs[0]))
        continue;
      if (!used_.contains(op_id(maker))) pairing_.only_quantized.push_back(op_id(maker));
    }
  }

  const Model& reference_;
  const Model& quantized_;
  GraphIndex index_, q_index_;
  Prepared prepared_;
  Provenance provenance_;
  std::unordered_map<std::string, const Pattern*> pattern_of_output_;
  std::unordered_map<std::string, const Node*> q_by_name_;
  std::set<std::string> used_;
  Pairing pairing_;
};

}  // namespace

Pairing pair(const Model& reference, const Model& quantized) {
  return Pairer(reference, quantized).run();
}

TapSpec taps_for(const Pairing& pairing) {
  TapSpec spec;
  for (const ValuePair& pair : pairing.pairs) {
    if (pair.same_as) continue;
    spec.pairs.push_back({.reference = pair.reference,
                          .quantized = pair.quantized,
                          .scheme = pair.scheme,
                          .params = pair.params});
  }
  return spec;
}

}  // namespace quantlens
