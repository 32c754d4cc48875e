// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>

namespace quantlens::server {

/// The OpenAPI 3.1 document of all routes, made of their table and of the described structs.
boost::json::object openapi();

}  // namespace quantlens::server
