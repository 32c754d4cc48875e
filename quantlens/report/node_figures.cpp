// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/node_figures.h"

#include <unordered_map>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/base/words.h"
#include "quantlens/report/report_findings.h"

namespace quantlens {
namespace {

class NodeFiguresMaker {
 public:
  NodeFiguresMaker(const FigureSources& from, ModelRole of)
      : records_(from.records),
        pairing_(from.pairing),
        quantized_(from.quantized),
        is_quantized_(of == ModelRole::quantized) {}

  std::vector<NodeFigures> make() {
    if (is_quantized_) {
      learn_names();
      learn_values();
    }
    if (records_.diagnosis)
      for (const ActivationRow& row : records_.diagnosis->activations) add(row);
    add_precisions();
    for (const Finding& finding : reported_findings(records_)) add(finding);
    if (records_.profile)
      for (const OpTime& time : records_.profile->ops) add(time);
    return std::move(figures_);
  }

 private:
  /// Nodes that are alone in their name, which quantizers keep.
  void learn_names() {
    if (quantized_ == nullptr) return;
    for (const OpOutline& op : quantized_->ops) {
      if (!op.scope.empty() || op.outputs.empty()) continue;
      const auto [place, is_new] = outputs_.emplace(op.name, op.outputs.front());
      if (!is_new) place->second.clear();
    }
  }

  /// Which value of the quantized model stands for an op: what the node of its name makes, else
  /// the worst row's, else the first pair's.
  void learn_values() {
    if (records_.diagnosis)
      for (const ActivationRow& row : records_.diagnosis->activations)
        learn_value(row.op, row.quantized);
    if (pairing_ != nullptr)
      for (const ValuePair& pair : pairing_->pairs) learn_value(pair.op, pair.quantized);
    if (records_.plan)
      for (const OpPlan& op : records_.plan->ops) learn_value(op.op, "");
    if (records_.profile)
      for (const OpTime& time : records_.profile->ops)
        if (!time.ops.empty()) learn_value(time.ops.front(), "");
  }

  void learn_value(const OpRef& op, const std::string& otherwise) {
    if (op.id.empty()) return;
    const auto own = outputs_.find(op.name);
    const std::string& value =
        own == outputs_.end() || own->second.empty() ? otherwise : own->second;
    if (!value.empty()) values_.emplace(op.id, value);
  }

  /// Null: the network has no such node.
  NodeFigures* of_op(const std::string& id) {
    if (id.empty()) return nullptr;
    const auto value = values_.find(id);
    if (is_quantized_ && value == values_.end()) return nullptr;
    const std::string& output = is_quantized_ ? value->second : id;
    const auto [place, is_new] = places_.emplace(output, figures_.size());
    if (is_new) {
      figures_.emplace_back();
      figures_.back().output = output;
    }
    return &figures_[place->second];
  }

  void add(const ActivationRow& row) {
    NodeFigures* node = of_op(row.op.id);
    if (node == nullptr || node->sqnr_db) return;
    node->sqnr_db = row.sqnr_db;
    node->local_sqnr_db = row.local_sqnr_db;
    node->output_share = row.output_share;
    node->mse = row.mse;
    node->scale = row.scale;
    if (row.zero_point) node->zero_point = *row.zero_point;
  }

  void add_precisions() {
    if (pairing_ != nullptr) {
      for (const ValuePair& pair : pairing_->pairs)
        if (pair.precision) add_precision(pair.op.id, *pair.precision);
    }
    if (records_.plan)
      for (const OpPlan& op : records_.plan->ops) add_precision(op.op.id, op.precision);
  }

  void add_precision(const std::string& id, Precision precision) {
    NodeFigures* node = of_op(id);
    if (node != nullptr && node->precision.empty()) node->precision = word(precision);
  }

  void add(const Finding& finding) {
    bool is_told = false;
    for (const OpRef& op : finding.ops) {
      is_told |= op.id == finding.op.id;
      add_finding(op, finding);
    }
    if (!is_told) add_finding(finding.op, finding);
  }

  void add_finding(const OpRef& op, const Finding& finding) {
    if (NodeFigures* node = of_op(op.id))
      node->findings.push_back({finding.severity, finding.rule});
  }

  /// Several ops that one kernel computes have one time: it stands at the first one.
  void add(const OpTime& time) {
    if (time.ops.empty()) return;
    NodeFigures* node = of_op(time.ops.front().id);
    if (node == nullptr) return;
    node->microseconds =
        node->microseconds.value_or(0) + (is_quantized_ ? time.quantized_us : time.reference_us);
  }

  const RunRecords& records_;
  const Pairing* pairing_;
  const GraphOutline* quantized_;
  bool is_quantized_;
  std::unordered_map<std::string, std::string> outputs_;  // of the quantized model, by node name
  std::unordered_map<std::string, std::string> values_;   // of the quantized model, by op
  std::unordered_map<std::string, std::size_t> places_;   // in `figures_`, by output
  std::vector<NodeFigures> figures_;
};

}  // namespace

std::vector<NodeFigures> node_figures(const FigureSources& from, ModelRole of) {
  return NodeFiguresMaker(from, of).make();
}

std::string findings_of_node(const NodeFigures& node) {
  std::string text;
  for (const NodeFinding& one : node.findings) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", word(one.severity), one.rule);
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> notes_of_figures(const NodeFigures& node) {
  std::vector<std::pair<std::string, std::string>> notes;
  const auto add = [&](const char* key, const std::optional<double>& value) {
    if (value) notes.emplace_back(fmt::format("quantlens.{}", key), exact_number(*value));
  };
  add("sqnr_db", node.sqnr_db);
  add("local_sqnr_db", node.local_sqnr_db);
  add("output_share", node.output_share);
  add("mse", node.mse);
  if (!node.precision.empty()) notes.emplace_back("quantlens.precision", node.precision);
  add("scale", node.scale);
  if (node.zero_point)
    notes.emplace_back("quantlens.zero_point", fmt::format("{}", *node.zero_point));
  add("time_us", node.microseconds);
  if (!node.findings.empty()) notes.emplace_back("quantlens.findings", findings_of_node(node));
  return notes;
}

}  // namespace quantlens
