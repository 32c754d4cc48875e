// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/passes/output_errors.h"

#include <utility>

#include "quantlens/diagnosis/match/output_pairs.h"
#include "quantlens/runtime/closing.h"
#include "quantlens/runtime/feed.h"
#include "quantlens/runtime/open.h"

namespace quantlens::flow {

TapSpec paired_outputs(const ModelPair& models) {
  TapSpec spec;
  const std::vector<ValueInfo>& outputs = models.reference.graph.outputs;
  const std::vector<ValueInfo>& others = models.quantized.graph.outputs;
  for (const OutputPair& one : output_pairs(models.reference.graph, models.quantized.graph)) {
    if (!is_float(*outputs[one.reference].dtype)) continue;
    PairTap tap;
    tap.reference = outputs[one.reference].name;
    tap.quantized = others[one.quantized].name;
    tap.histogram = false;
    spec.pairs.push_back(std::move(tap));
  }
  return spec;
}

TapState output_errors(const ModelPair& models, const FittedData& data, const Samples& samples,
                       const Session& session, const std::string& step) {
  RunOptions how = run_options(session);
  how.apart = true;  // each computes what it computes bare (ADR 30)
  const ClosingRun run = closing(
      open(models.reference, &models.quantized, paired_outputs(models), how), session.phases);
  BatchReader reader = make_reader(data, session, samples.count, samples.first);
  feed(*run, reader, session.progress, step);
  report_skipped(reader, session.progress);
  return run->take();
}

}  // namespace quantlens::flow
