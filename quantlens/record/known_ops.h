// JSON of records whose ops had no reference yet, for earlier_ops.h and earlier_profile.h alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "quantlens/base/json.h"
#include "quantlens/record/op_ref.h"

namespace quantlens::earlier {

inline json::Value ref(std::string_view id, std::string_view name) {
  return json::encode(OpRef{.id = std::string(id), .name = std::string(name)});
}

/// The text of a member; empty where it has none.
inline std::string_view text_in(const boost::json::object& object, std::string_view key) {
  const json::Value* found = object.if_contains(key);
  return found != nullptr && found->is_string() ? std::string_view(found->get_string())
                                                : std::string_view();
}

inline bool has_text(const boost::json::object& object, std::string_view key) {
  const json::Value* found = object.if_contains(key);
  return found != nullptr && found->is_string();
}

/// Calls `visit` with each object of a list that is a member of `record`.
template <class Visit>
void for_each_object(boost::json::object& record, std::string_view list, const Visit& visit) {
  json::Value* found = record.if_contains(list);
  auto* all = found != nullptr ? found->if_array() : nullptr;
  if (all == nullptr) return;
  for (json::Value& one : *all) {
    if (auto* row = one.if_object()) visit(*row);
  }
}
template <class Visit>
void for_each_object(json::Value& record, std::string_view list, const Visit& visit) {
  if (auto* object = record.if_object()) for_each_object(*object, list, visit);
}

/// What a record knows of its ops.
class KnownOps {
 public:
  void add(const std::string& id, const std::string& name) {
    names_.emplace(id, name);
    const auto [found, is_new] = ids_.emplace(name, id);
    if (!is_new && found->second != id) found->second.clear();
  }
  /// Empty where none or several have the name.
  std::string_view id_of(std::string_view name) const { return found(ids_, name); }
  std::string_view name_of(std::string_view id) const { return found(names_, id); }

  json::Value named(std::string_view name) const { return ref(id_of(name), name); }
  void renew_names(json::Value& names) const {
    if (names.is_string()) names = named(std::string(names.get_string()));
    if (auto* all = names.if_array()) {
      for (json::Value& one : *all) {
        if (one.is_string()) one = named(std::string(one.get_string()));
      }
    }
  }

 private:
  using Texts = std::unordered_map<std::string, std::string>;
  static std::string_view found(const Texts& texts, std::string_view key) {
    const auto at = texts.find(std::string(key));
    return at == texts.end() ? std::string_view() : std::string_view(at->second);
  }
  Texts ids_, names_;
};

}  // namespace quantlens::earlier
