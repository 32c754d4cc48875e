// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "quantlens/base/json.h"

namespace quantlens {

/// The JSON of profile.json of layouts 2 to 6 becomes that of layout 7: ops were ids in one list
/// and names in another, or names alone; verdict, reasons, remedies and why a remedy was not tried
/// were texts. Ids that it does not have are looked up by name among its rows, and stay empty where
/// none or several have the name. Throws Errc::bad_input, naming `where`, for a remedy that is no
/// JSON; what is of another type stays as it is, for json::decode to refuse.
void renew_profile(boost::json::object& record, std::string_view where);

}  // namespace quantlens
