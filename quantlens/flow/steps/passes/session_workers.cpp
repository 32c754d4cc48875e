// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/passes/session_workers.h"

#include <algorithm>

namespace quantlens::flow {

std::shared_ptr<Workers> session_workers(const Session& session,
                                         std::span<const Model* const> models) {
  const std::optional<Isolation> isolation = run_options(session).isolation;
  const Formats known = formats(session);
  const auto runs_apart = [&](const Model* model) { return known.runs_apart(*model); };
  if (!isolation && std::ranges::none_of(models, runs_apart)) return nullptr;
  return session.workers || !isolation ? session.workers : std::make_shared<Workers>(*isolation);
}

}  // namespace quantlens::flow
