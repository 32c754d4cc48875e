// SPDX-License-Identifier: Apache-2.0
#include "server/api/predecessor/ids.h"

#include "quantlens/base/error.h"

namespace quantlens::server::predecessor {

Runs::One run_of(Context& context, const Call& call) {
  const std::string_view id = call.arguments.needed("workload_id", "Could not find workload ID.");
  try {
    return context.runs.find(id);
  } catch (const Error& error) {
    if (error.code() != Errc::not_found) throw;
    throw Error(Errc::not_found, "Could not find workload with specified ID.");
  }
}

}  // namespace quantlens::server::predecessor
