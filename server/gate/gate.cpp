// SPDX-License-Identifier: Apache-2.0
#include "server/gate/gate.h"

#include <fmt/format.h>

#include "server/gate/host.h"
#include "server/token.h"

namespace quantlens::server {
namespace {

/// Browsers keep cookies by host alone, and another server may listen on the next port.
std::string cookie_name(const Peer& peer) {
  return fmt::format("quantlens-{}", peer.local_port);
}

}  // namespace

Gate::Gate(GateOptions options) : options_(std::move(options)) {}

std::optional<Response> Gate::check(Request& request, const Peer& peer) {
  if (!is_own_host(request, options_.names, peer.local_address)) {
    return text_response(403,
                         "This server is not the host that the request names; use the URL "
                         "displayed by the server on startup, or name the host with "
                         "--host-name.");
  }
  if (!is_same_origin(request, options_.is_secure))
    return text_response(403, "Requests from pages of other sites are not answered.");
  if (auto answer = check_prefix(request)) return answer;
  if (request.path == "/" && query_of(request, "token")) return exchange(request, peer);
  if (!request.path.starts_with("/api/")) return std::nullopt;
  const auto shown = shown_secret(request, cookie_name(peer));
  if (shown && is_same_secret(*shown, options_.token)) return std::nullopt;
  return refused(peer, shown.has_value());
}

std::optional<Response> Gate::check_prefix(Request& request) const {
  if (options_.prefix.empty()) return std::nullopt;
  if (request.path == options_.prefix && request.query.empty()) {
    Response response{.status = 308};  // what is relative on the page needs the slash
    response.headers.emplace_back("Location", options_.prefix + "/");
    return response;
  }
  if (request.path == options_.prefix) {
    request.path = "/";
  } else if (request.path.starts_with(options_.prefix + "/")) {
    request.path.erase(0, options_.prefix.size());
  } else {
    return text_response(404, "There is nothing at this address.");
  }
  return std::nullopt;
}

std::optional<Response> Gate::exchange(const Request& request, const Peer& peer) {
  const std::string_view given = *query_of(request, "token");
  if (!is_same_secret(given, options_.token) && !is_once(given)) return refused(peer, true);
  if (request.method != "GET" && request.method != "HEAD")
    return text_response(405, "A token is exchanged by GET alone.");
  Response response{.status = 303};
  response.headers.emplace_back("Location", options_.prefix + "/");
  response.headers.emplace_back(
      "Set-Cookie",
      fmt::format("{}={}; Path={}/; HttpOnly; SameSite=Strict{}", cookie_name(peer), options_.token,
                  options_.prefix, options_.is_secure ? "; Secure" : ""));
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

bool Gate::is_once(std::string_view given) {
  const std::lock_guard lock(mutex_);
  if (!is_same_secret(given, options_.once)) return false;
  options_.once.clear();
  return true;
}

Response Gate::refused(const Peer& peer, bool is_guess) {
  if (is_guess) {
    if (const auto wait = failures_.count(peer.address, std::chrono::steady_clock::now())) {
      Response response = text_response(429, "Too many wrong tokens; try again later.");
      response.headers.emplace_back("Retry-After", std::to_string(wait->count()));
      return response;
    }
  }
  return text_response(403, kWrongToken);
}

}  // namespace quantlens::server
