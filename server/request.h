// server: a workspace over HTTPS. It reads records and loads no runtime.
// What is asked and answered is this header alone: handlers know no socket, and the transport knows
// no route. Start here, then serve.h (what is put together), gate/gate.h (who may ask) and
// transport/server.h (sockets). SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantlens/base/store.h"
#include "server/events.h"

namespace quantlens::server {

class PartFile;

/// Names and values in the order of arrival; one name may come several times.
using Pairs = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method;  ///< one of kMethods; HEAD is answered as GET is, and its body left out
  std::string path;    ///< "/a/b": percent-decoded UTF-8, without ".", "..", "//" and query
  Pairs query;         ///< percent-decoded UTF-8
  Pairs headers;       ///< names in lower case
  std::string body;
  std::shared_ptr<PartFile> file;  ///< that has the body instead, where a BodyPlan says so
};

struct Response {
  unsigned status = 200;
  std::string type;  ///< media type; empty: there is no body
  Pairs headers;     ///< beside those that every answer has
  std::shared_ptr<const std::string> body;
  std::optional<MappedFile> file;  ///< instead of a body: these bytes, as they lie on the disk
  /// Instead of a body: server-sent events until either side ends them.
  std::shared_ptr<Subscription> events;
};

/// The bytes of body or file; nothing where there is neither.
std::optional<std::string_view> bytes_of(const Response& response);

/// Called by several threads at once. An exception becomes an answer (error_response).
using Handler = std::function<Response(const Request&)>;

/// What becomes of a request's body, by its head.
struct BodyPlan {
  std::uint64_t most_bytes = 0;
  std::shared_ptr<PartFile> file;   ///< takes it as it arrives, so that it is never in memory
  std::optional<Response> refusal;  ///< it is not read, and this is the answer
};

/// Those who know routes. All are called by several threads at once.
struct Endpoint {
  /// Asked for requests that have a body, when their head is read. An exception is a refusal.
  std::function<BodyPlan(const Request&)> plan_body;
  Handler answer;
};

inline constexpr std::string_view kMethods[] = {"GET",   "HEAD",   "POST",   "PUT",
                                                "PATCH", "DELETE", "OPTIONS"};
inline constexpr const char* kAllow = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
inline constexpr std::string_view kText = "text/plain; charset=utf-8";
inline constexpr std::string_view kJson = "application/json";

/// The first of this name; `name` in lower case.
std::optional<std::string_view> header_of(const Request& request, std::string_view name);
std::optional<std::string_view> query_of(const Request& request, std::string_view name);

/// How long the client says that its body is.
std::optional<std::uint64_t> announced_bytes(const Request& request);

/// What is left for the browser is JSON or one sentence in plain text.
Response text_response(unsigned status, std::string_view sentence);
Response json_response(std::string text);
/// Of an exception that a handler threw: its sentence where it is an Error, else a general one.
/// REQUIRES: called while an exception is caught.
Response error_response();

}  // namespace quantlens::server
