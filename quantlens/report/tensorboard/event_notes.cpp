// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tensorboard/event_notes.h"

#include <algorithm>
#include <set>
#include <span>

#include "quantlens/base/words.h"
#include "quantlens/graph/value_makers.h"

namespace quantlens {
namespace {

constexpr std::size_t kMostParams = 16;  // scales of channels that a node shows

void note_codes(NodeNotes& notes, std::string_view of, const Scheme& scheme,
                std::span<const QParams> params) {
  const auto key = [&](std::string_view name) {
    return of.empty() ? std::string(name) : std::string(of) + "_" + std::string(name);
  };
  notes.told[key("codes")] = std::string(name(scheme.dtype));
  if (scheme.axis) notes.told[key("axis")] = static_cast<std::int64_t>(*scheme.axis);
  if (params.size() == 1) {
    notes.told[key("scale")] = static_cast<double>(params.front().scale);
    notes.told[key("zero_point")] = static_cast<std::int64_t>(params.front().zero_point);
    return;
  }
  std::vector<double> scales;
  std::vector<std::int64_t> zero_points;
  for (const QParams& one : params.first(std::min(kMostParams, params.size()))) {
    scales.push_back(one.scale);
    zero_points.push_back(one.zero_point);
  }
  if (scales.empty()) return;
  notes.told[key("scale")] = std::move(scales);
  notes.told[key("zero_point")] = std::move(zero_points);
}

void note_figures(NodeNotes& notes, const ActivationRow& row) {
  notes.told["sqnr_db"] = row.sqnr_db;
  if (row.local_sqnr_db) notes.told["local_sqnr_db"] = *row.local_sqnr_db;
  if (row.output_share) notes.told["output_share"] = *row.output_share;
}

/// Ops of one pattern are computed as one: those from the op that makes a pair's value back to the
/// pattern's first, as from Relu to Conv.
class PatternSearch {
 public:
  PatternSearch(const ValueMakers& makers, const OpRef& anchor)
      : makers_(makers), anchor_(anchor) {}

  /// Whether the anchor is at most `steps` before `op`; then `found` has the ops between, with
  /// both.
  bool reaches(const OpOutline* op, std::size_t steps) {
    const bool is_open = op != nullptr && op->kind != Kind::quantize &&
                         op->kind != Kind::dequantize && seen_.insert(op).second;
    if (!is_open) return false;
    bool is_part = op->op == anchor_.id || (!op->name.empty() && op->name == anchor_.name);
    for (std::size_t i = 0; i < op->inputs.size() && steps > 0 && !is_part; ++i)
      is_part = reaches(makers_.op("", op->inputs[i]), steps - 1);
    if (is_part) found_.push_back(op);
    return is_part;
  }
  const std::vector<const OpOutline*>& found() const { return found_; }

 private:
  const ValueMakers& makers_;
  const OpRef& anchor_;
  std::set<const OpOutline*> seen_;
  std::vector<const OpOutline*> found_;
};

void note_pattern(GraphNotes& notes, const ValueMakers& makers, const OpOutline* last,
                  const ValuePair& pair) {
  constexpr std::size_t kMostOps = 16;  // far more than a kernel replaces
  const std::size_t ops = std::min(pair.pattern.size(), kMostOps);
  PatternSearch search(makers, pair.op);
  if (ops < 2 || !search.reaches(last, ops - 1)) return;
  for (const OpOutline* op : search.found()) {
    std::string& device = notes[op->op].device;
    if (device.empty()) device = word(*pair.precision);
  }
}

}  // namespace

GraphNotes notes_of(const Plan& plan, const GraphOutline& reference) {
  GraphNotes notes;
  for (const OpPlan& op : plan.ops) {
    NodeNotes& one = notes[op.op.id];
    one.device = word(op.precision);
    one.told["form"] = std::string(word(op.form));
    if (!op.reason.empty()) one.told["why_float"] = op.reason;
  }
  const ValueMakers makers(reference);
  for (const ActivationPlan& value : plan.activations)
    if (const OpOutline* op = makers.op("", value.value))
      note_codes(notes[op->op], "", value.scheme, {&value.params, 1});
  for (const WeightPlan& weight : plan.weights_quantized)
    for (const ValueUse& use : weight.uses)
      if (weight.scheme.dtype != DType::int32)
        note_codes(notes[use.op], "weight", weight.scheme, weight.params);
  return notes;
}

GraphNotes notes_of(const Pairing& pairing, const Diagnosis* diagnosis,
                    const GraphOutline& quantized) {
  GraphNotes notes;
  const ValueMakers makers(quantized);
  std::map<std::pair<std::string, std::string>, const ActivationRow*> rows;
  if (diagnosis != nullptr)
    for (const ActivationRow& row : diagnosis->activations)
      rows.emplace(std::pair(row.value, row.quantized), &row);
  for (const ValuePair& pair : pairing.pairs) {
    const OpOutline* op = makers.op("", pair.quantized);
    if (op == nullptr) continue;
    NodeNotes& one = notes[op->op];
    if (pair.scheme && pair.params) note_codes(one, "", *pair.scheme, {&*pair.params, 1});
    if (pair.scheme && !pair.channel_params.empty())
      note_codes(one, "", *pair.scheme, pair.channel_params);
    const auto row = rows.find({pair.reference, pair.quantized});
    if (row != rows.end()) note_figures(one, *row->second);
    if (!pair.precision) continue;
    one.device = word(*pair.precision);
    // Codes are made behind the op that computes.
    const OpOutline* before = op->kind == Kind::quantize && !op->inputs.empty()
                                  ? makers.op("", op->inputs.front())
                                  : nullptr;
    if (before != nullptr) notes[before->op].device = word(*pair.precision);
    note_pattern(notes, makers, before != nullptr ? before : op, pair);
  }
  std::unordered_multimap<std::string, const OpOutline*> readers;
  for (const OpOutline& op : quantized.ops)
    for (const std::string& input : op.inputs) readers.emplace(input, &op);
  for (const WeightPair& weight : pairing.weights) {
    const auto [begin, end] = readers.equal_range(weight.quantized);
    for (auto reader = begin; reader != end; ++reader)
      note_codes(notes[reader->second->op], "weight", weight.scheme, weight.params);
  }
  return notes;
}

}  // namespace quantlens
