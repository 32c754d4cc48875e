// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/session_workers.h"

namespace quantlens::flow {

std::unique_ptr<Workers> session_workers(const Session& session) {
  const std::optional<Isolation> isolation = run_options(session).isolation;
  return isolation ? std::make_unique<Workers>(*isolation) : nullptr;
}

}  // namespace quantlens::flow
