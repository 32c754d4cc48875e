// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/store.h"
#include "server/request.h"
#include "server/transport/limits.h"
#include "server/transport/server.h"

namespace quantlens::server {

struct ServeOptions {
  fs::path workspace;                     ///< its folder, which is made where it is absent
  std::string address = "127.0.0.1";      ///< of IP, as numbers
  std::optional<std::uint16_t> port;      ///< absent: 5000, or one that is free
  std::optional<std::uint16_t> gui_port;  ///< in the URL that people open, where a proxy is between
  std::string url_prefix;                 ///< "/a/b", slashes at either end are optional
  std::vector<std::string> host_names;    ///< that clients call it by, beside its address
  bool is_insecure = false;               ///< HTTP instead of HTTPS
  std::string certificate, key;           ///< of the user; empty: the workspace's own
  unsigned threads = 2;
  bool opens_browser = false;  ///< then `once_url` has a token that is taken once
  Limits limits;
  std::function<void(std::string_view)> log = [](std::string_view) {};
};

/// The server of a workspace, listening from the moment it is made. In a workspace that cannot be
/// written it keeps its token and its certificate to itself.
class WorkspaceServer {
 public:
  /// `api` answers what is below /api/ and is let in; elsewhere no body is read. Throws Errc::usage
  /// for options that do not go together, Errc::failed where no port is free, Errc::io and what
  /// read_certificate throws.
  WorkspaceServer(const ServeOptions& options, Endpoint api);
  WorkspaceServer(const WorkspaceServer&) = delete;
  WorkspaceServer& operator=(const WorkspaceServer&) = delete;
  ~WorkspaceServer();  ///< takes its token out of the workspace

  /// "https://127.0.0.1:5000/?token=..."
  const std::string& url() const { return url_; }
  /// The same with a token that opens one browser and is then worth nothing: a command line is
  /// seen by others on this machine.
  const std::string& once_url() const { return once_url_; }
  Server& server() { return *server_; }

 private:
  fs::path token_file_;
  std::string token_;
  std::string url_, once_url_;
  std::unique_ptr<Server> server_;
};

/// "/a/b", or "" for the root. Throws Errc::usage where it is no path.
std::string parse_url_prefix(std::string_view text);

}  // namespace quantlens::server
