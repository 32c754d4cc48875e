// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/select.h"

#include <algorithm>
#include <utility>

#include "quantlens/quantizer/analyze/capability.h"

namespace quantlens {
namespace {

constexpr const char* kNoIntegerReader =
    "only float ops read its result: int8 would add rounding and save nothing";
constexpr const char* kFloatInputs =
    "its inputs are float: int8 would add rounding and save nothing";

class Selector {
 public:
  Selector(const GraphIndex& index, const Prepared& prepared, const Wishes& wishes)
      : index_(index), prepared_(prepared), wishes_(wishes), reasons_(wishes.obstacles) {}

  Selection run() {
    // every round rejects at least one pattern or is the last
    do {
      find_wanted();
    } while (!spread());
    return collect();
  }

 private:
  const Node& anchor(std::size_t p) const {
    return index_.graph().nodes[prepared_.patterns[p].anchor];
  }
  std::vector<std::string> outputs(std::size_t p) const {
    return pattern_outputs(index_.graph(), prepared_.patterns[p]);
  }
  bool possible(std::size_t p) const { return reasons_[p].empty(); }
  Role role(std::size_t p) const { return prepared_.able->row(anchor(p).kind)->role; }
  /// Worth quantizing by itself, or asked for.
  bool stands_alone(std::size_t p) const { return role(p) == Role::compute || wishes_.forced[p]; }
  bool is_constant(const std::string& value) const { return index_.constant(value) != nullptr; }

  /// A value as codes of the width that this pattern knows.
  using Codes = std::pair<std::string, bool>;
  Codes codes(std::size_t p, const std::string& value) const { return {value, wishes_.wide[p]}; }

  bool any_wanted(std::size_t p) const {
    return std::ranges::any_of(outputs(p),
                               [&](const auto& v) { return wanted_.contains(codes(p, v)); });
  }
  bool all_surely(std::size_t p) const {
    return std::ranges::all_of(outputs(p),
                               [&](const auto& v) { return surely_.contains(codes(p, v)); });
  }
  void make_outputs(std::size_t p) {
    for (const std::string& value : outputs(p)) made_.insert(codes(p, value));
  }
  /// Of one that stands alone.
  bool gives_codes(std::size_t p) const {
    if (role(p) != Role::compute || prepared_.able->row(anchor(p).kind)->needs_integer_output)
      return true;
    if (prepared_.ends_in_codes.contains(prepared_.patterns[p].anchor)) return true;
    return any_wanted(p) && !wishes_.float_results[p];
  }

  // wanted_: an integer reader is possible; surely_: it is certain.
  void find_wanted() {
    wanted_.clear();
    surely_.clear();
    for (std::size_t p = prepared_.patterns.size(); p-- > 0;) {
      if (!possible(p)) continue;
      const bool alone = stands_alone(p);
      if (!alone && !any_wanted(p)) continue;
      const bool sure = alone || (role(p) == Role::pass_through && all_surely(p));
      for (const std::size_t input : data_inputs(*prepared_.able, anchor(p))) {
        const std::string& value = anchor(p).inputs[input];
        if (is_constant(value)) continue;
        wanted_.insert(codes(p, value));
        if (sure) surely_.insert(codes(p, value));
      }
    }
  }

  // Goes forward once; false where a pattern had to be rejected and wishes must be found anew.
  bool spread() {
    made_.clear();
    bool stable = true;
    for (std::size_t p = 0; p < prepared_.patterns.size(); ++p) {
      if (!possible(p)) continue;
      if (stands_alone(p)) {
        if (gives_codes(p)) make_outputs(p);
      } else if (!any_wanted(p)) {
        reasons_[p] = kNoIntegerReader;
      } else if (!inputs_at_hand(p)) {
        reasons_[p] = kFloatInputs;
        stable = false;
      } else {
        make_outputs(p);
      }
    }
    return stable;
  }

  bool inputs_at_hand(std::size_t p) const {
    if (role(p) == Role::pass_through && all_surely(p)) return true;
    const Kind kind = anchor(p).kind;
    const bool one_is_enough = kind == Kind::add || kind == Kind::mul || kind == Kind::where;
    std::size_t at_hand = 0;
    std::size_t data = 0;
    for (const std::size_t input : data_inputs(*prepared_.able, anchor(p))) {
      const std::string& value = anchor(p).inputs[input];
      if (is_constant(value)) continue;
      ++data;
      const Codes read = codes(p, value);
      at_hand += made_.contains(read) || surely_.contains(read) ? 1 : 0;
    }
    return one_is_enough ? at_hand > 0 : data > 0 && at_hand == data;
  }

  Selection collect() const {
    Selection selection{.quantized = std::vector<bool>(reasons_.size()),
                        .reasons = reasons_,
                        .codes = {},
                        .made = {}};
    for (const auto& [value, wide] : made_) selection.made.insert(value);
    selection.codes = selection.made;
    for (std::size_t p = 0; p < reasons_.size(); ++p) {
      selection.quantized[p] = possible(p);
      if (!possible(p)) continue;
      for (const std::size_t input : data_inputs(*prepared_.able, anchor(p))) {
        const std::string& value = anchor(p).inputs[input];
        if (!is_constant(value)) selection.codes.insert(value);
      }
    }
    return selection;
  }

  const GraphIndex& index_;
  const Prepared& prepared_;
  const Wishes& wishes_;
  std::vector<std::string> reasons_;
  std::set<Codes> wanted_, surely_, made_;
};

}  // namespace

const std::string& pattern_output(const Graph& graph, const Pattern& pattern) {
  return op_id(graph.nodes[pattern.members.back()]);
}

std::vector<std::string> pattern_outputs(const Graph& graph, const Pattern& pattern) {
  const Node& last = graph.nodes[pattern.members.back()];
  if (last.kind != Kind::split) return {op_id(last)};
  std::vector<std::string> outputs;
  for (const std::string& output : last.outputs) {
    if (!output.empty()) outputs.push_back(output);
  }
  return outputs;
}

std::vector<std::size_t> data_inputs(const Capabilities& able, const Node& anchor) {
  const Capability* row = able.row(anchor.kind);
  std::vector<std::size_t> inputs;
  if (!row) return inputs;
  const std::size_t first = row->first_data_input;
  const std::size_t end = row->data_inputs == 0 ? anchor.inputs.size() : first + row->data_inputs;
  for (std::size_t i = first; i < std::min(end, anchor.inputs.size()); ++i) {
    if (!anchor.inputs[i].empty()) inputs.push_back(i);
  }
  return inputs;
}

Selection select(const GraphIndex& index, const Prepared& prepared, const Wishes& wishes) {
  return Selector(index, prepared, wishes).run();
}

}  // namespace quantlens
