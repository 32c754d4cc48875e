// SPDX-License-Identifier: Apache-2.0
#include "server/serve.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "server/assets/assets.h"
#include "server/gate/gate.h"
#include "server/gate/host.h"
#include "server/own_folder.h"
#include "server/private_file.h"
#include "server/token.h"

namespace quantlens::server {
namespace {

constexpr std::uint16_t kUsualPort = 5000;
constexpr std::uint16_t kTries = 10;
constexpr const char* kTokenFile = "token";  // where the predecessors' clients look for it

std::vector<std::uint16_t> ports_to_try(const std::optional<std::uint16_t>& port) {
  if (port) return {*port};
  std::vector<std::uint16_t> ports;
  for (std::uint16_t i = 0; i < kTries; ++i) ports.push_back(kUsualPort + i);
  ports.push_back(0);
  return ports;
}

std::vector<std::string> checked_names(const std::vector<std::string>& names) {
  std::vector<std::string> checked;
  for (const std::string& each : names) {
    const auto name = host_name(each);
    if (!name || each.find(':') != std::string::npos) {
      throw Error(Errc::usage,
                  fmt::format("'{}' is no name of a host; give --host-name one such as "
                              "build.example.org, without a port",
                              printable(each)));
    }
    checked.push_back(*name);
  }
  return checked;
}

std::optional<Certificate> certificate_for(const ServeOptions& options,
                                           std::vector<std::string> names) {
  if (options.certificate.empty() != options.key.empty())
    throw Error(Errc::usage, "--cert and --key go together; give both or none");
  if (options.is_insecure) return std::nullopt;
  if (!options.certificate.empty()) return read_certificate(options.certificate, options.key);
  if (options.address != "localhost") names.push_back(options.address);
  const auto now = std::chrono::system_clock::now();
  return is_writable(options.workspace) ? own_certificate(options.workspace, names, now)
                                        : make_certificate(names, now);
}

bool is_any(const std::string& address) {
  return address == "0.0.0.0" || address == "::";
}

/// What a browser on this machine calls the server.
std::string shown_address(const std::string& address) {
  if (is_any(address)) return "localhost";
  return address.find(':') == std::string::npos ? address : fmt::format("[{}]", address);
}

bool is_of_api(const Request& request) {
  return request.path.starts_with("/api/");
}

/// Of assets and API, behind the gate.
Service make_service(std::shared_ptr<Gate> gate, Endpoint api, const ServeOptions& options) {
  const auto assets = std::make_shared<const Assets>(built_in_assets(), "index.html");
  return {.admit = [gate = std::move(gate)](
                       Request& request, const Peer& peer) { return gate->check(request, peer); },
          .endpoint = {.plan_body =
                           [plan = std::move(api.plan_body)](const Request& request) {
                             return is_of_api(request) ? plan(request) : BodyPlan();
                           },
                       .answer =
                           [assets, answer = std::move(api.answer)](const Request& request) {
                             return is_of_api(request) ? answer(request) : assets->answer(request);
                           }},
          .log = options.log};
}

}  // namespace

std::string parse_url_prefix(std::string_view text) {
  while (text.starts_with('/')) text.remove_prefix(1);
  while (text.ends_with('/')) text.remove_suffix(1);
  if (text.empty()) return "";
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./";
  const bool is_path = text.find_first_not_of(kAllowed) == std::string_view::npos &&
                       text.find("..") == std::string_view::npos &&
                       text.find("//") == std::string_view::npos &&
                       text.find("/./") == std::string_view::npos;
  if (!is_path || text == "." || text.starts_with("./") || text.ends_with("/.")) {
    throw Error(Errc::usage, fmt::format("'{}' is no prefix of paths; give --url-prefix one of "
                                         "letters, digits, - _ . and / such as /quantlens",
                                         printable(text)));
  }
  return fmt::format("/{}", text);
}

WorkspaceServer::WorkspaceServer(const ServeOptions& options, Endpoint api) {
  const auto names = checked_names(options.host_names);
  GateOptions gate{.token = make_token(),
                   .once = options.opens_browser ? make_token() : std::string(),
                   .names = names,
                   .prefix = parse_url_prefix(options.url_prefix),
                   .is_secure = !options.is_insecure};
  if (is_any(options.address)) gate.names.emplace_back("localhost");
  DiskStore().make_folder(options.workspace);
  server_ = std::make_unique<Server>(
      make_service(std::make_shared<Gate>(gate), std::move(api), options), options.limits,
      ListenOptions{.address = options.address,
                    .ports = ports_to_try(options.port),
                    .threads = options.threads,
                    .certificate = certificate_for(options, names)});
  token_ = gate.token;
  token_file_ = options.workspace / kTokenFile;
  if (is_writable(options.workspace)) write_private(token_file_, token_);
  const std::string base =
      fmt::format("{}://{}:{}{}/?token=", options.is_insecure ? "http" : "https",
                  names.empty() ? shown_address(options.address) : names.front(),
                  options.gui_port.value_or(server_->port()), gate.prefix);
  url_ = base + gate.token;
  if (options.opens_browser) once_url_ = base + gate.once;
}

WorkspaceServer::~WorkspaceServer() {
  try {
    if (read_private(token_file_) == token_) fs::remove(token_file_);
  } catch (const std::exception&) {
    return;  // it is worth nothing from now on
  }
}

}  // namespace quantlens::server
