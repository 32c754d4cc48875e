// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/evaluate.h"

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/flow/steps/passes/measure.h"

namespace quantlens::flow {

void check_options(const EvaluateOptions& options) {
  if (needs_data(options.metric) && !options.data.is_given()) {
    throw Error(Errc::usage, fmt::format("--data is required for --metric {}; only "
                                         "command:PROGRAM needs none",
                                         options.metric.name));
  }
}

EvaluateResult evaluate(const EvaluateOptions& options, const Session& session) {
  check_options(options);
  const Model model = formats(session).read(options.model);
  std::optional<Model> against;
  if (options.against) against = formats(session).read(*options.against);
  std::optional<FittedData> data;
  if (needs_data(options.metric)) {
    data = fit_data(options.data, model, session);
    check_metric(options.metric, model, *data);
    look_at(options.part, *data);
  } else if (options.data.is_given()) {
    session.progress.note("--data has no effect: the program has its own");
  }
  if (!data && !std::holds_alternative<std::monostate>(options.part)) {
    session.progress.note("--shard and --samples have no effect: the program has its own data");
  }
  std::vector<std::pair<ModelRole, const Model*>> models{{ModelRole::quantized, &model}};
  if (against) models.insert(models.begin(), {ModelRole::reference, &*against});
  Session named = session;  // after what is evaluated, not what it is held against
  if (named.name.empty()) named.name = options.model.stem().string();
  const auto workload = begin_workload(named, "evaluate", models);
  describe_data(*workload, data ? &*data : nullptr, metric_text(options.metric));
  EvaluateResult result;
  result.folder = workload->folder();
  run_recorded(session, *workload, [&](const Session& recorded) {
    if (against) {
      const MeasureOptions wanted{.diagnose = false, .metric = options.metric};
      result.accuracy =
          measure({*against, model}, data ? &*data : nullptr, wanted, recorded, *workload).accuracy;
    } else {
      ScoredAlone scored = score_alone(model, data ? &*data : nullptr, options.metric, recorded);
      result.accuracy.emplace().quantized = std::move(scored.accuracy);
      warn_of_classes(result.accuracy->quantized, options.metric, recorded.progress);
      workload->put(*result.accuracy);
      if (scored.state) workload->put(*scored.state);
    }
  });
  result.run = workload->workload();
  return result;
}

}  // namespace quantlens::flow
