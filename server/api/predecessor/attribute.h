// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace quantlens::server {

/// {"name", "attribute_type", "value"} of an attribute that graph.json has as text. The type is
/// that of the file: int64, float32, or string; a list has that of its items.
boost::json::object attribute_of(std::string_view name, std::string_view text);

}  // namespace quantlens::server
