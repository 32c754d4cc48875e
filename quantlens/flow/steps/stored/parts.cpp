// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/stored/parts.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "quantlens/accuracy/evaluate.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/record/data_of.h"
#include "quantlens/stats/bytes.h"
#include "quantlens/workspace/read_record.h"

namespace quantlens::flow {
namespace {

/// What one run left.
struct StoredPart {
  StoredRun stored;
  std::optional<Left> left;
  std::optional<AccuracyState> accuracy;

  std::string id() const { return printable(stored.run.id); }
};

std::uint64_t first_sample(const StoredRun& stored) {
  const DataUsed* data = data_of(stored.run, DataRole::samples);
  return data != nullptr && data->part ? data->part->first : 0;
}

[[noreturn]] void refuse_stored(const StoredRun& stored, std::string_view file) {
  throw Error(
      Errc::not_found,
      fmt::format("{}: has no {}: what can be judged again is a whole run of diagnose, of "
                  "evaluate, or of quantize --diagnose; give one (quantlens workloads list)",
                  printable(stored.run.id), file));
}

template <class Record>
Record wanted(const WorkloadReader& reader, const StoredRun& stored) {
  std::optional<Record> record = reader.get<Record>();
  if (!record) refuse_stored(stored, FileOf<Record>::kName);
  return *std::move(record);
}

StoredPart read_part(StoredRun stored, const Store& store) {
  const WorkloadReader reader(store, stored.folder);
  StoredPart part{.stored = std::move(stored), .left = {}, .accuracy = reader.get<AccuracyState>()};
  std::optional<Pairing> pairing = reader.get<Pairing>();
  if (pairing) {
    part.left = Left{.pairing = *std::move(pairing),
                     .histograms = wanted<Histograms>(reader, part.stored),
                     .passes = wanted<Passes>(reader, part.stored)};
  } else if (part.stored.run.verb == "diagnose" ||
             part.stored.run.state == WorkloadState::failure) {
    refuse_stored(part.stored, FileOf<Pairing>::kName);
  } else if (!part.accuracy) {
    refuse_stored(part.stored, fmt::format("{} and no {}", FileOf<Pairing>::kName,
                                           FileOf<AccuracyState>::kName));
  }
  return part;
}

[[noreturn]] void refuse(const StoredPart& first, const StoredPart& other,
                         const std::string& what) {
  throw Error(Errc::bad_input,
              fmt::format("{} and {} are not parts of one run: {}", first.id(), other.id(), what));
}

void check_models(const StoredPart& first, const StoredPart& other) {
  const std::vector<ModelFile>& models = first.stored.run.models;
  if (models.size() != other.stored.run.models.size()) {
    refuse(first, other, "they are of different numbers of models");
  }
  for (std::size_t i = 0; i < models.size(); ++i) {
    const ModelFile& another = other.stored.run.models[i];
    if (models[i].role == another.role && models[i].sha256 == another.sha256) continue;
    refuse(first, other,
           fmt::format("{} and {} are different files", printable(models[i].path),
                       printable(another.path)));
  }
}

/// Whether both can be of one run.
void check_alike(const StoredPart& first, const StoredPart& other) {
  const Workload& one = first.stored.run;
  const Workload& another = other.stored.run;
  if (one.verb != another.verb) {
    refuse(
        first, other,
        fmt::format("one is of {}, the other of {}", printable(one.verb), printable(another.verb)));
  }
  if (one.metric != another.metric) {
    const auto name = [](const std::string& metric) {
      return metric.empty() ? std::string("no metric") : printable(metric);
    };
    refuse(first, other,
           fmt::format("one has {}, the other {}", name(one.metric), name(another.metric)));
  }
  if (one.inputs != another.inputs || one.outputs != another.outputs) {
    refuse(first, other, "their --inputs or --outputs differ");
  }
  check_models(first, other);
  if (first.left.has_value() != other.left.has_value() ||
      first.accuracy.has_value() != other.accuracy.has_value()) {
    refuse(first, other, "they left different records");
  }
}

/// Of one pass: absent where a part has it not, since then it is of fewer samples than the others.
void merge_pass(std::optional<TapState>& all, const std::optional<TapState>& part) {
  if (all && part) {
    merge(*all, *part);
  } else {
    all.reset();
  }
}

void merge_local(LocalStates& all, LocalStates&& part) {
  if (!part.ops) return;
  if (!all.ops) {
    all = std::move(part);
    return;
  }
  merge(*all.ops, *part.ops);
  merge_pass(all.weights, part.weights);
  merge_pass(all.inputs, part.inputs);
}

void unite_samples(std::vector<SampleName>& all, const std::vector<SampleName>& part) {
  std::map<std::uint64_t, std::string> names;
  for (const SampleName& one : all) names.emplace(one.sample, one.name);
  for (const SampleName& one : part) names.emplace(one.sample, one.name);
  all.clear();
  for (auto& [sample, name] : names) all.push_back({sample, std::move(name)});
}

void unite_caveats(std::string& all, const std::string& part) {
  if (part.empty() || all.find(part) != std::string::npos) return;
  all += (all.empty() ? "" : " ") + part;
}

/// Adds a part whose samples come later.
void add(Left& all, Left&& part) {
  merge(all.histograms.state, part.histograms.state);
  merge_local(all.passes.local, std::move(part.passes.local));
  std::ranges::move(part.passes.outputs, std::back_inserter(all.passes.outputs));
  unite_samples(all.passes.samples, part.passes.samples);
  unite_caveats(all.passes.caveat, part.passes.caveat);
}

template <class Sink>
AccuracyState merged(Sink sink, const AccuracyState& one, const AccuracyState& other) {
  sink.merge(one);
  sink.merge(other);
  return sink.state();
}

void add(AccuracyState& all, const AccuracyState& part) {
  const MetricSpec metric = metric_of(all);
  all = all.reference ? merged(AccuracyPairSink(metric, {}), all, part)
                      : merged(AccuracySink(metric), all, part);
}

/// Adds a part whose samples come later.
void add(StoredPart& all, StoredPart&& part, std::vector<std::string>& notes) {
  check_alike(all, part);
  const DataUsed* one = data_of(all.stored.run, DataRole::samples);
  const DataUsed* other = data_of(part.stored.run, DataRole::samples);
  if (one != nullptr && other != nullptr && one->fingerprint != other->fingerprint) {
    notes.push_back(fmt::format("{} and {} looked at different data: {} and {}", all.id(),
                                part.id(), printable(one->data), printable(other->data)));
  }
  try {
    if (all.left) add(*all.left, *std::move(part.left));
    if (all.accuracy) add(*all.accuracy, *part.accuracy);
  } catch (const Error& error) {
    refuse(all, part, error.what());
  }
}

/// Samples between two parts that neither looked at.
void note_gap(const StoredRun& before, const StoredRun& after, std::vector<std::string>& notes) {
  const DataUsed* one = data_of(before.run, DataRole::samples);
  const DataUsed* other = data_of(after.run, DataRole::samples);
  if (one == nullptr || other == nullptr || !one->part || !other->part) return;
  const std::uint64_t end = one->part->first + one->part->count;
  if (other->part->first <= end) return;
  notes.push_back(fmt::format("no run looked at samples {} to {}, which lie between {} and {}", end,
                              other->part->first - 1, printable(before.run.id),
                              printable(after.run.id)));
}

/// That it was not ended well, and what it told of its samples.
void note_run(const StoredRun& stored, std::vector<std::string>& notes) {
  const Workload& run = stored.run;
  if (run.state != WorkloadState::success) {
    notes.push_back(fmt::format("{} was not ended{}{}: what it had gathered by then is judged",
                                printable(run.id), run.message.empty() ? "" : ": ",
                                printable(run.message)));
  }
  for (const std::string& note : run.notes) {
    notes.push_back(fmt::format("{}: {}", printable(run.id), printable(note)));
  }
}

}  // namespace

Parts read_parts(const std::vector<std::string>& names, const Session& session) {
  std::vector<StoredRun> runs;
  runs.reserve(names.size());
  for (const std::string& name : names) runs.push_back(find_run(name, session));
  std::ranges::stable_sort(runs, {}, first_sample);
  std::vector<std::string> notes;
  StoredPart all = read_part(runs.front(), session.store);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    note_gap(runs[i - 1], runs[i], notes);
    add(all, read_part(runs[i], session.store), notes);
  }
  for (const StoredRun& stored : runs) note_run(stored, notes);
  return {.runs = std::move(runs),
          .left = std::move(all.left),
          .accuracy = std::move(all.accuracy),
          .notes = std::move(notes)};
}

}  // namespace quantlens::flow
