// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/earlier_profile.h"

#include <string>

#include "quantlens/record/earlier_ops.h"
#include "quantlens/record/known_ops.h"

namespace quantlens {
namespace {

using earlier::for_each_object;
using earlier::KnownOps;
using earlier::text_in;

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
    for_each_object(record_, "ops", [](auto& row) { join_names(row); });
    learn_ids();
    for_each_object(record_, "ops", [&](auto& row) { find_ids(row, "passed_to"); });
    for_each_object(record_, "findings", [&](auto& finding) { renew_finding(finding); });
  }

 private:
  static void renew_profile(boost::json::object& profile) {
    if (const json::Value* source = profile.if_contains("source"); source && *source == "") {
      profile.erase("source");
    }
    for (const char* rows : {"nodes", "types"}) {
      for_each_object(profile, rows, [](auto& row) { join_names(row); });
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
    const json::Value* told = row.if_contains("names");
    const auto* names = told != nullptr ? told->if_array() : nullptr;
    if (names == nullptr) return;
    const json::Value* beside = row.if_contains("ops");
    const auto* ids = beside != nullptr ? beside->if_array() : nullptr;
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
    for_each_object(record_, "ops", [&](auto& row) {
      for_each_object(row, "ops", [&](auto& ref) {
        known_.add(std::string(text_in(ref, "id")), std::string(text_in(ref, "name")));
      });
    });
  }

  /// Where there were names alone.
  void find_ids(boost::json::object& object, std::string_view name) const {
    json::Value* names = object.if_contains(name);
    if (names != nullptr && names->is_array()) known_.renew_names(*names);
  }

  boost::json::object& record_;
  std::string_view where_;
  KnownOps known_;
};

}  // namespace

void renew_profile(boost::json::object& record, std::string_view where) {
  EarlierProfile(record, where).renew();
}

}  // namespace quantlens
