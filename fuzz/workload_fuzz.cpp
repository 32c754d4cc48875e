// SPDX-License-Identifier: Apache-2.0
// Any bytes as a workload.json: the workspace lists it, with its record or with the reason why not,
// and it can be found and removed.
#include <cstdint>
#include <cstdlib>

#include "quantlens/base/error.h"
#include "quantlens/base/memory_store.h"
#include "quantlens/workspace/workspace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quantlens;
  const std::string id = "20261121-113045-quantize-mobilenet-3f2a";
  MemoryStore store;
  write_atomic(store, fs::path("w/workloads") / id / "workload.json",
               {reinterpret_cast<const char*>(data), size});
  Workspace workspace(store, "w");
  const std::vector<Workload> all = workspace.list();
  if (all.size() != 1 || all.front().id != id) std::abort();
  try {
    if (workspace.find("2026").id != id) std::abort();
  } catch (const Error& error) {
    if (error.code() != Errc::unsupported) std::abort();  // a newer format
  }
  workspace.remove("last");
  if (!workspace.list().empty()) std::abort();
  return 0;
}
