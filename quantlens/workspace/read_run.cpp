// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/read_run.h"

#include "quantlens/graph/kind.h"
#include "quantlens/workspace/read_record.h"

namespace quantlens {
LinkCounts links_of(const GraphOutline& graph) {
  LinkCounts links;
  for (const OpOutline& op : graph.ops) {
    if (!op.scope.empty()) continue;
    if (op.kind == to_string(Kind::quantize)) ++links.quantize;
    if (op.kind == to_string(Kind::dequantize)) ++links.dequantize;
  }
  return links;
}

RunRecords read_run(const Store& store, const Workspace& workspace, const std::string& id) {
  RunRecords records;
  records.run = workspace.find(id);
  const WorkloadReader reader(store, workspace.folder(id));
  records.plan = reader.get<Plan>();
  if (records.plan) {
    if (const auto graph = reader.get<QuantizedOutline>()) records.links = links_of(*graph);
  }
  records.float_edit = reader.get<FloatEdit>();
  records.diagnosis = reader.get<Diagnosis>();
  records.accuracy = reader.get<AccuracyRecord>();
  records.study = reader.get<Study>();
  records.times = reader.get<StudyTimes>().value_or(StudyTimes());
  records.profile = reader.get<ProfileRecord>();
  records.benchmark = reader.get<Benchmark>();
  return records;
}

}  // namespace quantlens
