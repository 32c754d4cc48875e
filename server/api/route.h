// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/api/answer.h"
#include "server/api/arguments.h"
#include "server/api/context.h"
#include "server/api/schema.h"

namespace quantlens::server {

/// A request whose route is known.
struct Call {
  const Request& request;
  Arguments arguments;
  std::vector<std::string_view> in_path;  ///< what stands for each {name} of the route, in order
};

struct Parameter {
  std::string_view name;
  std::string_view type;  ///< "string", "integer"
  std::string_view meaning;
  bool is_needed = false;
};

/// A line of the table of routes: who answers, and what the OpenAPI document says of it.
struct Route {
  std::string_view methods;  ///< "GET", or several with a space between; HEAD goes with GET
  std::string_view path;     ///< "/api/v1/workloads/{id}"
  std::string_view summary;
  std::vector<Parameter> parameters;    ///< of the query; of a POST in its body
  json::Value (*schema)(Schemas& all);  ///< of the answer; null: it is no JSON
  std::string_view type;                ///< of an answer that is no JSON
  Answer (*answer)(Context&, const Call&);
  json::Value (*body)(Schemas& all) = nullptr;  ///< of a PUT, and of a POST without arguments
  std::string_view body_type = kJson;
  unsigned status = 200;  ///< of an answer that is well
  /// Where a body goes that is not read into memory; null: at most 1 MB is.
  BodyPlan (*plan_body)(Context&, const Call&) = nullptr;
};

/// What stands for {names}, or nothing where the path is another one.
std::optional<std::vector<std::string_view>> match(std::string_view route, std::string_view path);
bool has_method(const Route& route, std::string_view method);
/// "{id}" and the like, in order.
std::vector<std::string_view> names_in(std::string_view path);

/// All of them; the predecessors' ones first.
const std::vector<Route>& routes();

}  // namespace quantlens::server
