// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/passes/session_workers.h"

namespace quantlens::flow {

std::shared_ptr<Workers> session_workers(const Session& session, const Model& model) {
  const std::optional<Isolation> isolation = run_options(session).isolation;
  if (!isolation && !formats(session).is_apart(model)) return nullptr;
  return session.workers || !isolation ? session.workers : std::make_shared<Workers>(*isolation);
}

}  // namespace quantlens::flow
