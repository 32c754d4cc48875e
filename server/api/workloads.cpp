// SPDX-License-Identifier: Apache-2.0
#include "server/api/workloads.h"

#include <memory>

#include "quantlens/workspace/workspace.h"
#include "server/api/api.h"
#include "server/api/watcher.h"

namespace quantlens::server {
namespace {

/// All that answers, in the order of who uses whom.
struct Served {
  explicit Served(const fs::path& root)
      : workspace(store, root),
        api(store, workspace, events),
        watcher(workspace.root(), api.runs(), events) {}
  DiskStore store;
  Workspace workspace;
  Events events;
  Api api;
  Watcher watcher;
};

}  // namespace

Handler make_api(const fs::path& workspace) {
  return [served = std::make_shared<Served>(workspace)](const Request& request) {
    return served->api.answer(request);
  };
}

}  // namespace quantlens::server
