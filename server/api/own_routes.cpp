// SPDX-License-Identifier: Apache-2.0
#include "server/api/own_routes.h"

#include <string>

#include "quantlens/base/text.h"
#include "server/api/openapi.h"

namespace quantlens::server {
namespace {

constexpr std::size_t kMostReaders = 256;

}  // namespace

Answer show_openapi(Context&, const Call&) {
  static const std::string kDocument = compact(openapi());
  static const std::string kState = sha256_hex(kDocument);  // another version has another one
  Answer answer;
  answer.state = kState;
  answer.make = [] { return kDocument; };
  return answer;
}

Answer subscribe(Context& context, const Call&) {
  if (context.events.readers() >= kMostReaders)
    return at_once(text_response(503, "Too many readers wait for events; close some."));
  Response response;
  response.type = "text/event-stream";
  response.events = context.events.subscribe();
  return at_once(std::move(response));
}

json::Value document_schema(Schemas&) {
  return schema_detail::of_type("object");
}

}  // namespace quantlens::server
