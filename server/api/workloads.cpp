// SPDX-License-Identifier: Apache-2.0
#include "server/api/workloads.h"

#include <boost/describe.hpp>

#include "quantlens/base/json.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens::server {
namespace {

struct WorkloadList {
  std::vector<Workload> workloads;  ///< newest first
};
BOOST_DESCRIBE_STRUCT(WorkloadList, (), (workloads))

Response list_workloads(const fs::path& folder) {
  DiskStore store;
  const Workspace workspace(store, folder);
  return json_response(json::dump(json::encode(WorkloadList{workspace.list()})));
}

}  // namespace

Handler make_api(const fs::path& workspace) {
  return [workspace](const Request& request) -> Response {
    if (request.path != "/api/v1/workloads") {
      return text_response(404, "There is no such address; /api/v1/workloads lists the workloads.");
    }
    if (request.method == "GET" || request.method == "HEAD") return list_workloads(workspace);
    Response response = text_response(405, "The list of workloads is read by GET alone.");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  };
}

}  // namespace quantlens::server
