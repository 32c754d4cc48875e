// SPDX-License-Identifier: Apache-2.0
#include "server/api/api.h"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/gzip.h"
#include "quantlens/base/lost_pages.h"
#include "quantlens/base/text.h"
#include "server/api/route.h"
#include "server/assets/assets.h"
#include "server/jobs/refusal.h"
#include "server/shown.h"

namespace quantlens::server {
namespace {

/// Part of each ETag: to be counted up where equal files make other answers than before.
constexpr std::string_view kForm = "2";
constexpr std::size_t kLeastCompressed = 1024;
constexpr std::size_t kMostCompressed = std::size_t{32} << 20;
constexpr std::size_t kTagDigits = 32;
constexpr std::string_view kZipped = "-gzip";

unsigned status_of(Errc code) {
  constexpr unsigned kWrongRequest = 400, kNotThere = 404, kNotDone = 422, kFailed = 500;
  switch (code) {
    case Errc::usage:
    case Errc::bad_input:
      return kWrongRequest;
    case Errc::not_found:
      return kNotThere;
    case Errc::unsupported:
      return kNotDone;
    case Errc::failed:
    case Errc::io:
    case Errc::interrupted:
      break;
  }
  return kFailed;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

/// Whether a client has this answer, compressed or not.
bool has_tag(std::string_view list, std::string_view digits) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string_view one = trimmed(list.substr(0, end));
    if (one == "*") return true;
    if (one.starts_with("W/")) one.remove_prefix(2);  // a GET compares weakly
    if (one.size() > 1 && one.starts_with('"') && one.ends_with('"')) {
      one = one.substr(1, one.size() - 2);
      if (one.ends_with(kZipped)) one.remove_suffix(kZipped.size());
      if (one == digits) return true;
    }
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

bool is_text(std::string_view type) {
  return type.starts_with("text/") || type == kJson;
}

bool takes_gzip(const Request& request) {
  const auto accepted = header_of(request, "accept-encoding");
  return accepted && accepts_coding(*accepted, "gzip");
}

/// Fast rather than small where the text is long.
std::string zipped_text(std::string_view text) {
  constexpr std::size_t kLong = 1 << 20;
  constexpr int kLevel = 5, kLevelOfLong = 2;
  return gzip(text, text.size() > kLong ? kLevelOfLong : kLevel);
}

Response not_found(std::string_view path) {
  path.remove_prefix(std::min(path.size(), std::string_view("/api/").size()));
  return text_response(404, fmt::format("Unable to find {}", shown(path)));
}

/// What a path that is there may be asked.
std::string allowed(const std::vector<const Route*>& there) {
  std::string all;
  for (const std::string_view method : kMethods) {
    const bool taken = method == "OPTIONS" || std::ranges::any_of(there, [&](const Route* route) {
                         return has_method(*route, method);
                       });
    if (taken) all += fmt::format("{}{}", all.empty() ? "" : ", ", method);
  }
  return all;
}

Response other_method(const Request& request, const std::vector<const Route*>& there) {
  const std::string allow = allowed(there);
  Response response = request.method == "OPTIONS"
                          ? text_response(200, "OK")
                          : text_response(405, fmt::format("This address takes {} alone.", allow));
  response.headers.emplace_back("Allow", allow);
  return response;
}

}  // namespace

Api::Api(Store& store, Workspace& workspace, Events& events, const ApiOptions& options)
    : workspace_(workspace),
      runs_(store, workspace),
      labels_(store, workspace.root()),
      indexes_(store),
      samples_(store),
      context_{store, workspace, runs_, labels_, rows_, indexes_, samples_, events, options.jobs},
      cache_(options.most_cached_bytes) {}

Response Api::told(unsigned status, std::string sentence) const {
  // Where the workspace lies on this machine is no client's business.
  const std::string root = printable((workspace_.root() / "").string());
  for (std::size_t at = sentence.find(root); at != std::string::npos; at = sentence.find(root, at))
    sentence.erase(at, root.size());
  return text_response(status, sentence);
}

/// Of what a route threw. REQUIRES: called while an exception is caught.
Response Api::refusal() const {
  try {
    throw;
  } catch (const Refusal& refused) {
    return text_response(refused.status(), refused.what());
  } catch (const Error& error) {
    return told(status_of(error.code()), error.what());
  } catch (...) {
    return error_response();
  }
}

BodyPlan Api::plan_body(const Request& request) {
  constexpr std::uint64_t kUsual = 1 << 20;
  for (const Route& route : routes()) {
    if (route.plan_body == nullptr || !has_method(route, request.method)) continue;
    auto in_path = match(route.path, request.path);
    if (!in_path) continue;
    try {
      return route.plan_body(context_, {request, Arguments(request.query), *std::move(in_path)});
    } catch (...) {
      return {.most_bytes = 0, .file = {}, .refusal = refusal()};
    }
  }
  return {.most_bytes = kUsual, .file = {}, .refusal = {}};
}

Response Api::answer(const Request& request) {
  try {
    const std::uint64_t lost = lost_pages();
    Response response = routed(request);
    if (lost_pages() != lost)
      throw Error(Errc::io,
                  "a file became shorter while it was read; leave the files alone and ask again");
    return response;
  } catch (...) {
    return refusal();
  }
}

Response Api::routed(const Request& request) {
  std::vector<const Route*> there;
  for (const Route& route : routes()) {
    auto in_path = match(route.path, request.path);
    if (!in_path) continue;
    there.push_back(&route);
    if (!has_method(route, request.method)) continue;
    // A body that a route describes is its own to read.
    const Arguments arguments = route.body ? Arguments(request.query) : Arguments(request);
    const Call call{request, arguments, *std::move(in_path)};
    return finished(route.answer(context_, call), request, call.arguments.canonical());
  }
  return there.empty() ? not_found(request.path) : other_method(request, there);
}

Response Api::finished(const Answer& answer, const Request& request, const std::string& asked) {
  if (answer.ready) return *answer.ready;
  Response response{.type = answer.type, .headers = answer.headers};
  const bool zipped = is_text(answer.type) && takes_gzip(request);
  std::string key;
  if (!answer.state.empty()) {
    const std::string made_of =
        fmt::format("{}\n{}\n{}\n{}", kForm, request.path, asked, answer.state);
    const std::string digits = sha256_hex(made_of).substr(0, kTagDigits);
    key = digits + std::string(zipped ? kZipped : "");
    response.headers.emplace_back("ETag", fmt::format("\"{}\"", key));
    response.headers.emplace_back("Cache-Control", "private, no-cache");
    response.headers.emplace_back("Vary", "Accept-Encoding");
    const auto known = header_of(request, "if-none-match");
    if (known && has_tag(*known, digits)) {
      response.status = 304;
      response.type.clear();
      return response;
    }
    response.body = cache_.find(key);
  }
  if (!response.body) {
    const std::uint64_t lost = lost_pages();
    std::string text = answer.make();
    if (lost_pages() != lost) key.clear();  // nobody is to have it again
    if (zipped && text.size() > kLeastCompressed && text.size() <= kMostCompressed)
      text = zipped_text(text);
    response.body = std::make_shared<const std::string>(std::move(text));
    if (!key.empty()) cache_.put(key, response.body);
  }
  if (zipped && response.body->starts_with("\x1f\x8b"))
    response.headers.emplace_back("Content-Encoding", "gzip");
  return response;
}

}  // namespace quantlens::server
