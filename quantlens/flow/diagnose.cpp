// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/diagnose.h"

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/steps/models/drawn.h"
#include "quantlens/flow/steps/models/edit_float.h"
#include "quantlens/flow/steps/passes/measure.h"
#include "quantlens/flow/steps/remedies/remedies.h"
#include "quantlens/quantizer/recipe/stored_recipe.h"

namespace quantlens::flow {

DiagnoseResult diagnose(const DiagnoseOptions& options, const Session& session) {
  const Model reference = formats(session).read(options.reference);
  const Model quantized = formats(session).read(options.quantized);
  check_order(reference, quantized);
  FittedData data = fit_data(options.data, reference, session);
  if (options.metric) check_metric(*options.metric, reference, data);
  look_at(options.part, data);
  const auto workload =
      begin_workload(session, "diagnose",
                     {{ModelRole::reference, &reference}, {ModelRole::quantized, &quantized}});
  describe_data(*workload, &data, options.metric ? metric_text(*options.metric) : "");
  DiagnoseResult result;
  result.folder = workload->folder();
  result.is_ours = has_stored_recipe(quantized);
  run_recorded(session, *workload, [&](const Session& recorded) {
    const auto made_from = quantized.metadata.find(kFloatModelKey);
    if (made_from != quantized.metadata.end() && made_from->second != reference_hash(*workload)) {
      recorded.progress.note(fmt::format(
          "{}: was made from an edited float model: inside the original, channels have other "
          "scales; compare with the file 'edited' of the workload that made it",
          printable(options.quantized.string())));
    }
    const std::optional<Model> like = made_ready_like(quantized, reference, recorded);
    if (like) put_if_other(*like, reference, *workload);
    Measured measured = measure({like ? *like : reference, quantized}, &data,
                                {.diagnose = true,
                                 .metric = options.metric,
                                 .local_samples = options.local_samples,
                                 .original = &reference},
                                recorded, *workload);
    result.diagnosis = std::move(measured.diagnosis);
    result.accuracy = std::move(measured.accuracy);
    write_remedies(remedies_of(*result.diagnosis), *workload);
    if (!uses_codes(quantized.graph)) {
      recorded.progress.note(
          fmt::format("{}: has no quantized op", printable(options.quantized.string())));
    }
    if (uses_codes(reference.graph)) {
      recorded.progress.note(
          fmt::format("{}: has quantized ops: figures compare with a model that "
                      "has lost something already",
                      printable(options.reference.string())));
    }
    if (result.diagnosis->paired == 0) {
      recorded.progress.note(
          "no value of the two models could be paired: is the second one made from the first?");
    }
  });
  result.run = workload->workload();
  return result;
}

}  // namespace quantlens::flow
