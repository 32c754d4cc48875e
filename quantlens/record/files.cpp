// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/files.h"

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/gzip.h"
#include "quantlens/base/text.h"
#include "quantlens/record/columns.h"
#include "quantlens/record/earlier_ops.h"
#include "quantlens/record/earlier_profile.h"
#include "quantlens/record/recipe_document.h"

namespace quantlens {
namespace {

/// Layout 2 had the figures of one model at the top, where now a member has them.
json::Value under(std::string_view member, std::string_view of_layout_2,
                  const json::Value& record) {
  if (!record.is_object() || !record.get_object().contains(of_layout_2)) return record;
  return boost::json::object{{member, record}};
}

bool is_of_numbers(FigureKind kind) {
  return kind != FigureKind::op && kind != FigureKind::value && kind != FigureKind::text;
}

/// A number, a list or an object of them.
void check_numbers(const json::Value& value, std::string_view where) {
  if (const auto* list = value.if_array()) {
    for (const json::Value& one : *list) check_numbers(one, where);
  } else if (const auto* object = value.if_object()) {
    for (const auto& one : *object) check_numbers(one.value(), where);
  } else {
    (void)json::decode<double>(value, where);
  }
}

/// Sentences are made of figures, and none says that a number is no number.
void check(const Statements& statements, std::string_view where) {
  for (const Statement& statement : statements) {
    for (const auto& [name, figure] : statement.figures) {
      if (!is_of_numbers(figure.is)) continue;
      check_numbers(figure.value, fmt::format("{}: figure '{}'", where, printable(name)));
    }
  }
}

template <class Judged>
Judged checked(Judged judged, std::string_view where) {
  check(judged.conclusions, where);
  for (const auto& finding : judged.findings) check(finding.reasons, where);
  return judged;
}

/// Parameters of a row of a list.
struct RowParams {
  std::size_t row = 0;
  std::vector<QParams> params;
};

/// Those that stand in columns, taken out of this member of the rows of a record's list.
std::vector<RowParams> take_params(json::Value& record, std::string_view list,
                                   std::string_view member, std::string_view where) {
  std::vector<RowParams> taken;
  auto* object = record.if_object();
  json::Value* found = object != nullptr ? object->if_contains(list) : nullptr;
  auto* rows = found != nullptr ? found->if_array() : nullptr;
  for (std::size_t i = 0; rows != nullptr && i < rows->size(); ++i) {
    auto* row = (*rows)[i].if_object();
    json::Value* params = row != nullptr ? row->if_contains(member) : nullptr;
    if (params == nullptr) continue;
    const std::string place = fmt::format("{}: {}[{}].{}", where, list, i, member);
    if (auto columns = take_columns(*params, place)) taken.push_back({i, *std::move(columns)});
  }
  return taken;
}

template <class Row>
void put_params(std::vector<RowParams> taken, std::vector<QParams> Row::*member,
                std::vector<Row>& rows) {
  for (RowParams& one : taken) rows.at(one.row).*member = std::move(one.params);
}

void name_recipe_fields(json::Value& record, std::string_view member) {
  auto* object = record.if_object();
  json::Value* recipe = object != nullptr ? object->if_contains(member) : nullptr;
  if (recipe != nullptr) to_recipe_fields(*recipe);
}

/// What readers rely on. A scale may be any number: other tools write 0, NaN and less than 0.
void check(const Pairing& pairing, std::string_view where) {
  for (const Change& change : pairing.changes) check(change.reasons, where);
  for (const ValuePair& pair : pairing.pairs) {
    if (!pair.same_as || *pair.same_as < pairing.pairs.size()) continue;
    throw Error(Errc::bad_input,
                fmt::format("{}: '{}' has the elements of pair {}, which there is not; it is "
                            "damaged, so run the verb again",
                            where, printable(pair.reference), *pair.same_as));
  }
}

}  // namespace

template <>
json::Value to_value(const Recipe& record) {
  return recipe_document(record);
}

template <>
json::Value to_value(const Study& record) {
  json::Value value = json::encode(record);
  boost::json::object& study = value.get_object();
  study["start"] = recipe_document(record.start);
  boost::json::array& trials = study["trials"].get_array();
  for (std::size_t i = 0; i < record.trials.size(); ++i) {
    trials[i].get_object()["recipe"] = recipe_document(record.trials[i].recipe);
  }
  return value;
}

template <>
json::Value to_value(const Plan& record) {
  return plan_record(record);
}

template <>
json::Value to_value(const Pairing& record) {
  return in_columns(json::encode(record));
}

template <>
Recipe from_value(const json::Value& value, std::string_view where) {
  return recipe_of_document(value, where);
}

template <>
Study from_value(const json::Value& value, std::string_view where) {
  json::Value record = value;
  name_recipe_fields(record, "start");
  auto* study = record.if_object();
  json::Value* trials = study != nullptr ? study->if_contains("trials") : nullptr;
  if (trials != nullptr && trials->is_array()) {
    for (json::Value& trial : trials->get_array()) name_recipe_fields(trial, "recipe");
  }
  return json::decode<Study>(record, where);
}

template <>
Plan from_value(const json::Value& value, std::string_view where) {
  json::Value record = value;
  auto of_weights = take_params(record, "weights_quantized", "params", where);
  renew_plan_ops(record);
  auto plan = json::decode<Plan>(record, where);
  put_params(std::move(of_weights), &WeightPlan::params, plan.weights_quantized);
  return plan;
}

template <>
Pairing from_value(const json::Value& value, std::string_view where) {
  json::Value record = value;
  auto of_weights = take_params(record, "weights", "params", where);
  auto of_channels = take_params(record, "pairs", "channel_params", where);
  renew_pairing_ops(record);
  auto pairing = json::decode<Pairing>(record, where);
  put_params(std::move(of_weights), &WeightPair::params, pairing.weights);
  put_params(std::move(of_channels), &ValuePair::channel_params, pairing.pairs);
  check(pairing, where);
  return pairing;
}

template <>
Diagnosis from_value(const json::Value& value, std::string_view where) {
  const bool is_before_layout_6 = value.is_object() && value.get_object().contains("verdict");
  if (!is_before_layout_6 && !has_earlier_ops(value)) {
    return checked(json::decode<Diagnosis>(value, where), where);
  }
  json::Value record = value;
  replace_text("verdict", "conclusions", record.get_object());
  if (json::Value* findings = record.get_object().if_contains("findings");
      findings != nullptr && findings->is_array()) {
    for (json::Value& finding : findings->get_array()) {
      if (!finding.is_object()) continue;
      replace_text("because", "reasons", finding.get_object());
      replace_remedy(finding.get_object(), where);
    }
  }
  renew_diagnosis_ops(record);
  return checked(json::decode<Diagnosis>(record, where), where);
}

template <>
AccuracyRecord from_value(const json::Value& value, std::string_view where) {
  return json::decode<AccuracyRecord>(under("quantized", "metric", value), where);
}

template <>
ProfileRecord from_value(const json::Value& value, std::string_view where) {
  json::Value record = under("reference", "nodes", value);
  const bool is_before_layout_7 =
      record.is_object() && !record.get_object().contains("conclusions");
  if (is_before_layout_7) renew_profile(record.get_object(), where);
  return checked(json::decode<ProfileRecord>(record, where), where);
}

template <>
std::string to_file(const TapState& record) {
  return to_bytes(record);
}

template <>
std::string to_file(const Histograms& record) {
  return histograms_to_bytes(record.state, [&](const auto& tell) {
    for (const PairedStats& weight : record.weights) tell(weight);
  });
}

template <>
TapState from_file(std::string_view bytes, std::string_view where) {
  return tap_state_from_bytes(bytes, where);
}

template <>
Histograms from_file(std::string_view bytes, std::string_view where) {
  return histograms_from_bytes(bytes, where);
}

template <>
std::string to_file(const Passes& record) {
  return to_bytes(record);
}

template <>
Passes from_file(std::string_view bytes, std::string_view where) {
  return passes_from_bytes(bytes, where);
}

template <>
std::string to_file(const AccuracyState& record) {
  return to_bytes(record);
}

template <>
AccuracyState from_file(std::string_view bytes, std::string_view where) {
  return accuracy_state_from_bytes(bytes, where);
}

void add_packed_if_long(std::string_view name, json::Value head, StoredRecord& stored) {
  constexpr int kBestLevel = 9;
  std::string json = json::dump(head);
  if (json.size() > kPlainBytes) {
    ChannelLists channels = take_channel_lists(head);
    const std::string shorter = json::dump(head);
    std::string packed = gzip(shorter, kBestLevel);
    if (may_be_unpacked(packed.size(), shorter.size())) {
      stored.channels = std::move(channels);
      stored.files.push_back({fmt::format("{}{}", name, kPackedEnding), std::move(packed)});
      return;
    }
  }
  stored.files.push_back({std::string(name), std::move(json)});
}

std::string trial_folder(std::uint64_t number) {
  return fmt::format("trials/{}", number);
}

namespace exported {

std::string remedy(std::size_t number) {
  return fmt::format("remedy_{}.json", number);
}

}  // namespace exported
}  // namespace quantlens
