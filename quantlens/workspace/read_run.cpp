// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/read_run.h"

#include <cstdint>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/graph/kind.h"
#include "quantlens/workspace/read_record.h"

namespace quantlens {
namespace {

/// What those who tell a search rely on: its trials are counted from 1, and name each other so.
void check(const Study& study, const fs::path& file) {
  const std::size_t count = study.trials.size();
  const auto is_there = [&](std::uint64_t number) { return number >= 1 && number <= count; };
  bool is_sound = !study.best || (is_there(*study.best) && study.trials[*study.best - 1].accuracy);
  std::uint64_t number = 0;
  for (const Trial& trial : study.trials) {
    const bool needs_accuracy = trial.judged == Judged::met || trial.judged == Judged::missed;
    is_sound &= trial.number == ++number && (!trial.same_as || is_there(*trial.same_as)) &&
                (!needs_accuracy || trial.accuracy);
  }
  if (is_sound) return;
  throw Error(Errc::bad_input,
              fmt::format("{}: its trials do not go together; it is damaged, so run tune again",
                          printable(file.string())));
}

}  // namespace

LinkCounts links_of(const GraphOutline& graph) {
  LinkCounts links;
  for (const OpOutline& op : graph.ops) {
    if (!op.scope.empty()) continue;
    if (op.kind == Kind::quantize) ++links.quantize;
    if (op.kind == Kind::dequantize) ++links.dequantize;
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
  if (records.study) check(*records.study, reader.path<Study>());
  records.times = reader.get<StudyTimes>().value_or(StudyTimes());
  records.profile = reader.get<ProfileRecord>();
  records.benchmark = reader.get<Benchmark>();
  if (!records.plan && !records.study) {
    if (const auto statistics = reader.get<TapState>())
      records.statistics = summary_of(*statistics, reader.path<TapState>());
  }
  return records;
}

}  // namespace quantlens
