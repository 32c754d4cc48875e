// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/read_run.h"

#include <algorithm>
#include <utility>

#include "quantlens/graph/kind.h"
#include "quantlens/workspace/read_record.h"

namespace quantlens {
namespace {

void add_accuracy(AccuracyRecord record, RunRecords& records) {
  if (!record.reference) {
    records.accuracy_alone = std::move(record.quantized);
    return;
  }
  records.accuracy = AccuracyPair{.reference = std::move(*record.reference),
                                  .quantized = std::move(record.quantized),
                                  .difference = record.difference.value_or(0),
                                  .difference_interval = record.difference_interval,
                                  .ratio = record.ratio,
                                  .lost = record.lost,
                                  .gained = record.gained,
                                  .flips = std::move(record.flips)};
}

void add_profile(ProfileRecord record, RunRecords& records) {
  if (!record.quantized) {
    records.profile = std::move(record.reference);
    return;
  }
  records.profiles =
      ProfilePair{.reference = std::move(record.reference),
                  .quantized = std::move(*record.quantized),
                  .ratio = record.ratio.value_or(0),
                  .ratio_interval = record.ratio_interval.value_or(std::array<double, 2>{}),
                  .ops = std::move(record.ops),
                  .findings = std::move(record.findings),
                  .verdict = std::move(record.verdict)};
}

}  // namespace

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
  if (auto accuracy = reader.get<AccuracyRecord>()) add_accuracy(*std::move(accuracy), records);
  records.study = reader.get<Study>();
  records.times = reader.get<StudyTimes>().value_or(StudyTimes());
  if (auto profile = reader.get<ProfileRecord>()) add_profile(*std::move(profile), records);
  records.benchmark = reader.get<Benchmark>();
  return records;
}

}  // namespace quantlens
