// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "quantlens/base/json.h"

namespace quantlens {

// Before layout 7 a record had an op's id in one place, its name in another, or both in two fields.
// Here its JSON becomes that of OpRefs; ids that it does not have are looked up by name among its
// other ops, and stay empty where none or several have the name. What is of another type stays as
// it is, for json::decode to refuse.

/// Whether any of this is to be done: whether an op is a text.
bool has_earlier_ops(const json::Value& record);

void renew_plan_ops(json::Value& plan);
void renew_pairing_ops(json::Value& pairing);
/// REQUIRES: reasons and conclusions are statements.
void renew_diagnosis_ops(json::Value& diagnosis);
/// A list of names.
void renew_names(json::Value& names);

/// Before layout 6 a verdict was a text, and so was why a finding is one; before layout 7 what
/// differs of a change. Where `object` has such a text, its member `statements` says it.
void replace_text(std::string_view text, std::string_view statements, boost::json::object& object);

/// Before layout 6 the remedy of a finding was a text (layout 7 of a profile's). Throws
/// Errc::bad_input, naming `where`, where that is no JSON.
void replace_remedy(boost::json::object& finding, std::string_view where);

}  // namespace quantlens
