// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/files.h"

#include <map>
#include <string>

#include <fmt/format.h>

#include "quantlens/record/columns.h"
#include "quantlens/record/recipe_document.h"

namespace quantlens {
namespace {

/// Before layout 6 a verdict was a text, and so was why a finding is one, and its remedy; before
/// layout 7 those of a profile were, too.
void replace_text(std::string_view text, std::string_view statements, boost::json::object& object) {
  const json::Value* words = object.if_contains(text);
  if (words == nullptr || !words->is_string()) return;
  Statements said;
  if (!words->get_string().empty()) said.push_back(said_in_words(words->get_string()));
  object[statements] = json::encode(said);
}

void replace_remedy(boost::json::object& finding, std::string_view where) {
  const json::Value* remedy = finding.if_contains("remedy");
  if (remedy == nullptr || !remedy->is_string()) return;
  finding["remedy"] =
      remedy->get_string().empty() ? json::Value() : json::parse(remedy->get_string(), where);
}

/// Layout 2 had the figures of one model at the top, where now a member has them.
json::Value under(std::string_view member, std::string_view of_layout_2,
                  const json::Value& record) {
  if (!record.is_object() || !record.get_object().contains(of_layout_2)) return record;
  return boost::json::object{{member, record}};
}

/// Nothing where there is no such list.
boost::json::array* list_in(boost::json::object& object, std::string_view name) {
  json::Value* list = object.if_contains(name);
  return list != nullptr && list->is_array() ? &list->get_array() : nullptr;
}

template <class F>
void for_each_in(boost::json::object& object, std::string_view name, F&& change) {
  boost::json::array* list = list_in(object, name);
  if (list == nullptr) return;
  for (json::Value& entry : *list) {
    if (entry.is_object()) change(entry.get_object());
  }
}

/// The profiles of layouts 2 to 6 as layout 7 has them.
class EarlierProfile {
 public:
  EarlierProfile(boost::json::object& record, std::string_view where)
      : record_(record), where_(where) {}

  void renew() {
    replace_text("verdict", "conclusions", record_);
    for (const char* model : {"reference", "quantized"}) {
      json::Value* profile = record_.if_contains(model);
      if (profile != nullptr && profile->is_object()) renew_profile(profile->get_object());
    }
    for_each_in(record_, "ops", [](auto& row) { join_names(row); });
    learn_ids();
    for_each_in(record_, "ops", [&](auto& row) { find_ids(row, "passed_to"); });
    for_each_in(record_, "findings", [&](auto& finding) { renew_finding(finding); });
  }

 private:
  static void renew_profile(boost::json::object& profile) {
    if (const json::Value* source = profile.if_contains("source"); source && *source == "") {
      profile.erase("source");
    }
    for (const char* rows : {"nodes", "types"}) {
      for_each_in(profile, rows, [](auto& row) { join_names(row); });
    }
  }

  void renew_finding(boost::json::object& finding) const {
    find_ids(finding, "ops");
    replace_text("because", "reasons", finding);
    replace_remedy(finding, where_);
    replace_text("not_tried", "not_tried", finding);
    json::Value* trial = finding.if_contains("trial");
    if (trial != nullptr && trial->is_object()) find_ids(trial->get_object(), "ops");
  }

  /// Ids stood in one list and names in another; of an import there were names alone.
  static void join_names(boost::json::object& row) {
    const boost::json::array* names = list_in(row, "names");
    if (names == nullptr) return;
    const boost::json::array* ids = list_in(row, "ops");
    boost::json::array refs;
    for (std::size_t i = 0; i < names->size(); ++i) {
      const bool has_id = ids != nullptr && i < ids->size();
      refs.push_back(boost::json::object{{"id", has_id ? ids->at(i) : json::Value("")},
                                         {"name", names->at(i)}});
    }
    row["ops"] = std::move(refs);
  }

  /// Of the ops of rows, but for names that several have.
  void learn_ids() {
    for_each_in(record_, "ops", [&](auto& row) {
      for_each_in(row, "ops", [&](auto& ref) {
        if (!ref.contains("id") || !ref.contains("name")) return;
        const auto [known, is_new] = ids_.emplace(text_of(ref.at("name")), ref.at("id"));
        if (!is_new) known->second = "";
      });
    });
  }

  /// Where there were names alone.
  void find_ids(boost::json::object& object, std::string_view name) const {
    boost::json::array* list = list_in(object, name);
    if (list == nullptr) return;
    for (json::Value& entry : *list) {
      if (!entry.is_string()) continue;
      const auto known = ids_.find(text_of(entry));
      entry = boost::json::object{{"id", known == ids_.end() ? json::Value("") : known->second},
                                  {"name", entry}};
    }
  }

  static std::string text_of(const json::Value& value) {
    return value.is_string() ? std::string(value.get_string()) : std::string();
  }

  boost::json::object& record_;
  std::string_view where_;
  std::map<std::string, json::Value> ids_;
};

}  // namespace

template <>
json::Value to_value(const Recipe& record) {
  return recipe_document(record);
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
Plan from_value(const json::Value& value, std::string_view where) {
  return json::decode<Plan>(from_columns(value, where), where);
}

template <>
Pairing from_value(const json::Value& value, std::string_view where) {
  return json::decode<Pairing>(from_columns(value, where), where);
}

template <>
Diagnosis from_value(const json::Value& value, std::string_view where) {
  const bool is_before_layout_6 = value.is_object() && value.get_object().contains("verdict");
  if (!is_before_layout_6) return json::decode<Diagnosis>(value, where);
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
  return json::decode<Diagnosis>(record, where);
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
  if (is_before_layout_7) EarlierProfile(record.get_object(), where).renew();
  return json::decode<ProfileRecord>(record, where);
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

namespace exported {

std::string remedy(std::size_t number) {
  return fmt::format("remedy_{}.json", number);
}

}  // namespace exported
}  // namespace quantlens
