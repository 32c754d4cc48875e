// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/earlier_ops.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "quantlens/record/known_ops.h"
#include "quantlens/record/statement.h"

namespace quantlens {
namespace {

using earlier::for_each_object;
using earlier::has_text;
using earlier::KnownOps;
using earlier::ref;
using earlier::text_in;

constexpr const char* kOp = "op";
constexpr const char* kOps = "ops";
constexpr const char* kName = "name";
constexpr const char* kOpName = "op_name";

/// An object whose `op` is an id and whose `name` stands beside it.
void join_name(boost::json::object& row, const char* name, KnownOps& known) {
  if (!has_text(row, kOp)) return;
  const std::string id(text_in(row, kOp)), shown(text_in(row, name));
  known.add(id, shown);
  row[kOp] = ref(id, shown);
}

void renew_suspects(json::Value& record, const KnownOps& known) {
  for_each_object(record, "suspects", [&](boost::json::object& suspect) {
    if (has_text(suspect, kOpName)) suspect[kOp] = known.named(text_in(suspect, kOpName));
  });
}

/// Figures of ops in a list of statements.
void renew_statements(boost::json::object& object, std::string_view statements,
                      const KnownOps& known) {
  json::Value* found = object.if_contains(statements);
  auto* all = found != nullptr ? found->if_array() : nullptr;
  if (all == nullptr) return;
  for (json::Value& statement : *all) {
    auto* said = statement.if_object();
    json::Value* figures = said != nullptr ? said->if_contains("figures") : nullptr;
    if (figures == nullptr || !figures->is_object()) continue;
    for (auto& member : figures->get_object()) {
      auto* figure = member.value().if_object();
      if (figure == nullptr || text_in(*figure, "is") != "op") continue;
      if (json::Value* value = figure->if_contains("value")) known.renew_names(*value);
    }
  }
}

void renew_change(boost::json::object& change, const KnownOps& known) {
  replace_text("because", "reasons", change);
  if (has_text(change, kOp)) {
    const std::string id(text_in(change, kOp));
    const std::string_view name = known.name_of(id);
    change[kOp] = ref(id, name.empty() ? id : name);
  }
  if (json::Value* ops = change.if_contains(kOps)) known.renew_names(*ops);
}

/// The ids that stand beside a finding's names, where they do.
void renew_finding(boost::json::object& finding, const KnownOps& known) {
  json::Value* ops = finding.if_contains(kOps);
  const json::Value* ids = finding.if_contains("op_ids");
  KnownOps own = known;
  if (ops != nullptr && ops->is_array() && ids != nullptr && ids->is_array() &&
      ids->get_array().size() == ops->get_array().size()) {
    for (std::size_t i = 0; i < ops->get_array().size(); ++i) {
      json::Value& op = ops->get_array()[i];
      const json::Value& id = ids->get_array()[i];
      if (!op.is_string() || !id.is_string() || id.get_string().empty()) continue;
      const std::string name(op.get_string());
      own.add(std::string(id.get_string()), name);
      op = ref(id.get_string(), name);
    }
  }
  if (ops != nullptr) own.renew_names(*ops);
  if (has_text(finding, kOp)) {
    const std::string name(text_in(finding, kOp));
    finding[kOp] = own.named(name);
  }
  renew_statements(finding, "reasons", own);
}

/// Whether a list of objects that is a member of `record` has a text there.
bool has_text_in(const boost::json::object& record, std::string_view list, std::string_view key) {
  const json::Value* found = record.if_contains(list);
  const auto* all = found != nullptr ? found->if_array() : nullptr;
  return all != nullptr && std::ranges::any_of(*all, [&](const json::Value& one) {
           return one.is_object() && has_text(one.get_object(), key);
         });
}

/// Whether a figure that is an op is a text, or has one.
bool has_named_op(const json::Value& statement) {
  const auto* said = statement.if_object();
  const json::Value* figures = said != nullptr ? said->if_contains("figures") : nullptr;
  if (figures == nullptr || !figures->is_object()) return false;
  return std::ranges::any_of(figures->get_object(), [](const auto& member) {
    const auto* figure = member.value().if_object();
    if (figure == nullptr || text_in(*figure, "is") != "op") return false;
    const json::Value* value = figure->if_contains("value");
    if (value == nullptr) return false;
    if (value->is_string()) return true;
    const auto* all = value->if_array();
    return all != nullptr && !all->empty() && all->front().is_string();
  });
}

}  // namespace

bool has_earlier_ops(const json::Value& record) {
  const auto* object = record.if_object();
  if (object == nullptr) return false;
  for (const char* list :
       {"ops", "effects", "pairs", "weights", "activations", "changes", "findings"}) {
    if (has_text_in(*object, list, kOp)) return true;
  }
  if (has_text_in(*object, "suspects", kOpName)) return true;
  const json::Value* conclusions = object->if_contains("conclusions");
  const auto* all = conclusions != nullptr ? conclusions->if_array() : nullptr;
  return all != nullptr && std::ranges::any_of(*all, has_named_op);
}

void renew_plan_ops(json::Value& plan) {
  KnownOps known;
  const auto join = [&](boost::json::object& row) { join_name(row, kName, known); };
  for_each_object(plan, kOps, join);
  for_each_object(plan, "effects", join);
}

void renew_pairing_ops(json::Value& pairing) {
  KnownOps known;
  const auto join = [&](boost::json::object& row) { join_name(row, kOpName, known); };
  for_each_object(pairing, "pairs", join);
  for_each_object(pairing, "weights", join);
  renew_suspects(pairing, known);
  for_each_object(pairing, "changes",
                  [&](boost::json::object& change) { renew_change(change, known); });
}

void renew_diagnosis_ops(json::Value& diagnosis) {
  KnownOps known;
  const auto join = [&](boost::json::object& row) { join_name(row, kName, known); };
  for_each_object(diagnosis, "activations", join);
  for_each_object(diagnosis, "weights", join);
  renew_suspects(diagnosis, known);
  for_each_object(diagnosis, "findings",
                  [&](boost::json::object& finding) { renew_finding(finding, known); });
  if (auto* object = diagnosis.if_object()) renew_statements(*object, "conclusions", known);
}

void renew_names(json::Value& names) {
  KnownOps().renew_names(names);
}

void replace_text(std::string_view text, std::string_view statements, boost::json::object& object) {
  if (!has_text(object, text)) return;
  const std::string_view words = text_in(object, text);
  Statements said;
  if (!words.empty()) said.push_back(said_in_words(words));
  object[statements] = json::encode(said);
}

void replace_remedy(boost::json::object& finding, std::string_view where) {
  const json::Value* remedy = finding.if_contains("remedy");
  if (remedy == nullptr || !remedy->is_string()) return;
  finding["remedy"] =
      remedy->get_string().empty() ? json::Value() : json::parse(remedy->get_string(), where);
}

}  // namespace quantlens
