// SPDX-License-Identifier: Apache-2.0
#include "server/api/workloads.h"

#include <memory>

#include "quantlens/workspace/workspace.h"
#include "server/api/api.h"
#include "server/api/watcher.h"

namespace quantlens::server {
namespace {

fs::path made(Store& store, const fs::path& root) {
  const fs::path folder = root.empty() ? default_workspace() : root;
  store.make_folder(folder);
  return fs::canonical(folder);  // jobs run in folders of their own
}

/// All that answers, in the order of who uses whom.
struct Served {
  Served(const fs::path& root, const JobsOptions& options)
      : workspace(store, made(store, root)),
        jobs(store, workspace, events, options),
        api(store, workspace, events, {.jobs = &jobs}),
        watcher(workspace.root(), api.runs(), events) {}
  DiskStore store;
  Workspace workspace;
  Events events;
  Jobs jobs;
  Api api;
  Watcher watcher;
};

}  // namespace

Endpoint make_api(const fs::path& workspace, const JobsOptions& jobs) {
  const auto served = std::make_shared<Served>(workspace, jobs);
  return {.plan_body = [served](const Request& request) { return served->api.plan_body(request); },
          .answer = [served](const Request& request) { return served->api.answer(request); }};
}

}  // namespace quantlens::server
