// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/earlier_profile.h"

#include <map>
#include <string>

#include "quantlens/record/earlier_ops.h"

namespace quantlens {
namespace {

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

void renew_profile(boost::json::object& record, std::string_view where) {
  EarlierProfile(record, where).renew();
}

}  // namespace quantlens
