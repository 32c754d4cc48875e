// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/listed_run.h"

#include <filesystem>

namespace quantlens {

ListedRun listed_run(const Workload& run, const std::optional<AccuracySummary>& accuracy) {
  const ModelFile* model = file_of(run, ModelRole::reference);
  if (model == nullptr && !run.models.empty()) model = &run.models.front();
  return {run, model == nullptr ? "" : std::filesystem::path(model->path).filename().string(),
          accuracy};
}

}  // namespace quantlens
