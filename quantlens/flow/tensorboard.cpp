// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/tensorboard.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/cores.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/steps/stored/event_folder.h"
#include "quantlens/report/summary_markdown.h"
#include "quantlens/report/tensorboard/event_graph.h"
#include "quantlens/report/tensorboard/event_names.h"
#include "quantlens/report/tensorboard/event_notes.h"
#include "quantlens/report/tensorboard/event_scalars.h"
#include "quantlens/report/tensorboard/event_tensors.h"
#include "quantlens/report/tensorboard/hyper_parameters.h"
#include "quantlens/workspace/read_record.h"
#include "quantlens/workspace/read_run.h"
#include "quantlens/workspace/workload_id.h"

namespace quantlens::flow {
namespace {

using Differences = std::map<std::string, std::vector<HyperParameter>>;

/// What was compared, of the run itself or of one of its trials.
struct ComparedPart {
  std::string part;  ///< folder below the run's; empty: its own
  Diagnosis diagnosis;
  Pairing pairing;
};

/// Where the histograms of one side go, and the step that they have there; null: nowhere.
struct HistogramPlace {
  EventFile* file = nullptr;
  std::int64_t step = 0;
};

/// The histograms of a tensor in either run; empty where it has none.
struct TensorEvents {
  EventSummary reference, quantized;
};

/// What is stored of the networks, and of how they were paired.
struct StoredNetworks {
  GraphOutline reference;
  std::optional<QuantizedOutline> quantized;
  std::optional<Pairing> pairing;
};

StoredNetworks stored_networks(const WorkloadReader& reader) {
  return {reader.get<GraphOutline>().value_or(GraphOutline()), reader.get<QuantizedOutline>(),
          reader.get<Pairing>()};
}

class EventRuns {
 public:
  EventRuns(Store& store, const Workspace& workspace, const RunRecords& records,
            StoredNetworks networks, const TensorboardOptions& options, Cores& cores,
            Progress& progress)
      : store_(store),
        workspace_(workspace),
        records_(records),
        reader_(store, workspace.folder(records.run.id)),
        options_(options),
        progress_(progress),
        networks_(std::move(networks)),
        graph_(networks_.reference),
        names_(graph_),
        seconds_(seconds_of_utc(records.run.created).value_or(0)),
        folder_(store, options.logdir, records.run.id, seconds_),
        cores_(cores) {}

  TensorboardResult write() {
    const bool is_one = records_.accuracy && !records_.accuracy->reference;
    if (records_.study)
      write_search(*records_.study);
    else if (is_one && !records_.plan && !records_.diagnosis)
      write_one();
    else
      write_pair();
    if (together_) folder_.finish(*together_);
    check_still_there(store_, workspace_, records_.run.id);
    folder_.publish();
    note_others();
    TensorboardResult result;
    for (const std::string& run : folder_.written()) result.runs.push_back(folder_.path(run));
    return result;
  }

 private:
  std::optional<ComparedPart> compared(const std::string& part) const {
    // The run's own was read with its other records.
    std::optional<Diagnosis> diagnosis =
        part.empty() ? records_.diagnosis : reader_.get<Diagnosis>(part);
    std::optional<Pairing> pairing = part.empty() ? networks_.pairing : reader_.get<Pairing>(part);
    if (!diagnosis || !pairing) return std::nullopt;
    return ComparedPart{part, *std::move(diagnosis), *std::move(pairing)};
  }

  /// A quantized model, or two models, beside each other: what was counted is read once for both.
  void write_pair() {
    const std::optional<ComparedPart> part = compared("");
    const AccuracyRecord* accuracy = records_.accuracy ? &*records_.accuracy : nullptr;
    const auto reference = accuracy != nullptr ? accuracy->reference : std::nullopt;
    const auto quantized = accuracy != nullptr ? std::optional(accuracy->quantized) : std::nullopt;
    EventFolder::Run baseline = begin_baseline(reference);
    EventFolder::Run tuned = folder_.begin("tune_1" + accuracy_suffix(quantized));
    tuned.events().add_graph(quantized_graph(part ? &*part : nullptr, records_.plan));
    add_accuracy(tuned.events(), quantized);
    if (part) {
      add_by_op(tuned.events(), part->diagnosis, graph_, names_);
      add_histograms(*part, place_of(baseline, 0), place_of(tuned, 1));
    }
    EventSummary text;
    text.text("verdict", summary_markdown(records_));
    tuned.events().add(0, text);
    folder_.finish(baseline);
    folder_.finish(tuned);
  }

  /// One model that was scored by itself.
  void write_one() {
    EventFolder::Run baseline = begin_baseline(records_.accuracy->quantized);
    folder_.finish(baseline);
  }

  void write_search(const Study& study) {
    std::optional<ComparedPart> first =
        study.best ? compared(trial_folder(*study.best)) : std::nullopt;
    for (const Trial& trial : study.trials)
      if (!first) first = compared(trial_folder(trial.number));
    if (!first) first = compared(std::string(kBeforeTrials));
    EventFolder::Run baseline = begin_baseline(study.reference);
    if (first) add_histograms(*first, place_of(baseline, 0), {});
    folder_.finish(baseline);
    std::vector<HyperParameters> parameters;
    for (const Trial& trial : study.trials)
      if (trial.accuracy) parameters.push_back(hyper_parameters(trial.recipe));
    const Differences differences = differing(parameters);
    bool is_first = true;
    for (const Trial& trial : study.trials) {
      if (!trial.accuracy) continue;
      throw_if_stopped(progress_);
      write_trial(study, trial, differences, std::exchange(is_first, false));
    }
  }

  void write_trial(const Study& study, const Trial& trial, const Differences& differences,
                   bool is_first) {
    const std::optional<ComparedPart> part = compared(trial_folder(trial.number));
    const std::string name = fmt::format("tune_{}", trial.number);
    EventFolder::Run run = folder_.begin(name + accuracy_suffix(trial.accuracy));
    EventFile& file = run.events();
    const bool is_best = study.best == trial.number;
    file.add_graph(is_best ? quantized_graph(part ? &*part : nullptr, records_.plan)
                           : planned_graph(reader_.get<Plan>(trial_folder(trial.number))));
    EventSummary session;
    if (is_first)
      session.experiment(differences, {std::string(kAccuracyTag), std::string(kLossTag),
                                       std::string(kInt8ShareTag)});
    HyperParameters own = hyper_parameters(trial.recipe);
    std::erase_if(own, [&](const auto& one) { return !differences.contains(one.first); });
    session.session(own, name, seconds_);
    file.add(0, session);
    add_trial(file, study, trial);
    if (part) {
      add_by_op(file, part->diagnosis, graph_, names_);
      add_histograms(*part, {}, place_of(run, static_cast<std::int64_t>(trial.number)));
    }
    EventSummary text;
    text.text("why", trial.why);
    if (is_best) text.text("verdict", summary_markdown(records_));
    file.add(0, text);
    folder_.finish(run);
  }

  EventFolder::Run begin_baseline(const std::optional<Accuracy>& accuracy) {
    EventFolder::Run run = folder_.begin("baseline" + accuracy_suffix(accuracy));
    run.events().add_graph(graph_def(graph_, names_, {}));
    add_accuracy(run.events(), accuracy);
    return run;
  }

  static void add_accuracy(EventFile& file, const std::optional<Accuracy>& accuracy) {
    if (!accuracy) return;
    EventSummary summary;
    summary.scalar(kAccuracyTag, accuracy->value);
    file.add(0, summary);
  }

  /// Where histograms of a run go: into its own events, or together with those of the others.
  HistogramPlace place_of(EventFolder::Run& run, std::int64_t number) {
    if (options_.tags != TensorboardTags::together) return {&run.events(), 0};
    if (!together_) together_.emplace(folder_.begin("together"));
    return {&together_->events(), number};
  }

  /// All cores make them, and they are written in order.
  void add_histograms(const ComparedPart& part, HistogramPlace reference,
                      HistogramPlace quantized) {
    const fs::path path = reader_.path<Histograms>(part.part);
    const std::optional<MappedFile> mapped = find_file(store_, path);
    if (!mapped) {
      progress_.note(
          fmt::format("{}: is not there, so there are no histograms", printable(path.string())));
      return;
    }
    const HistogramsReader histograms(mapped->text(), printable(path.string()));
    const std::vector<EventTensor> tensors = event_tensors(part.pairing, graph_, names_);
    const ProgressStep step(progress_, "write histograms", tensors.size());
    constexpr std::size_t kAtOnce = 256;
    make_in_order(
        cores_, tensors.size(), kAtOnce,
        [&](std::size_t i) {
          return events_of(tensors[i], histograms, reference.file != nullptr,
                           quantized.file != nullptr);
        },
        [&](std::size_t, const TensorEvents& events) {
          throw_if_stopped(progress_);
          add(events.reference, reference);
          add(events.quantized, quantized);
          progress_.advance(1);
        });
  }

  static void add(const EventSummary& events, const HistogramPlace& place) {
    if (!events.empty()) place.file->add(place.step, events);
  }

  TensorEvents events_of(const EventTensor& tensor, const HistogramsReader& histograms,
                         bool of_reference, bool of_quantized) const {
    TensorEvents events;
    const auto pair = histograms.find(tensor.reference, tensor.quantized);
    if (!pair) return events;
    if (of_reference) add(reference_buckets(*pair), tensor.tag, "/fp32", events.reference);
    if (of_quantized)
      add(quantized_buckets(*pair, tensor.codes), tensor.tag, "/int8", events.quantized);
    return events;
  }

  /// `side`: what the predecessor's tags end in.
  void add(const std::optional<EventBuckets>& buckets, const std::string& tag,
           std::string_view side, EventSummary& summary) const {
    if (!buckets) return;
    const bool is_original = options_.tags == TensorboardTags::original;
    summary.histogram(is_original ? tag + std::string(side) : tag, *buckets);
  }

  /// The stored network of the quantized model, else the reference as the plan changes it.
  std::string quantized_graph(const ComparedPart* part, const std::optional<Plan>& plan) const {
    const std::optional<QuantizedOutline>& graph = networks_.quantized;
    if (!graph) return planned_graph(plan);
    GraphNotes notes;
    if (part != nullptr) notes = notes_of(part->pairing, &part->diagnosis, *graph);
    return graph_def(*graph, EventNames(*graph), notes);
  }

  std::string planned_graph(const std::optional<Plan>& plan) const {
    return graph_def(graph_, names_, plan ? notes_of(*plan, graph_) : GraphNotes());
  }

  void note_others() const {
    if (!folder_.replaced().empty()) {
      progress_.note(fmt::format("{} took the place of those of another run; {} keeps them apart",
                                 fmt::join(folder_.replaced(), ", "), options_.option));
    }
    const std::vector<std::string> others = folder_.others();
    if (others.empty()) return;
    const std::string folder = printable(folder_.path("").parent_path().string());
    progress_.note(
        fmt::format("{0} also holds {1} of earlier, which 'tensorboard --logdir {0}' "
                    "shows beside these",
                    folder, fmt::join(others, ", ")));
  }

  Store& store_;
  const Workspace& workspace_;
  const RunRecords& records_;
  WorkloadReader reader_;
  const TensorboardOptions& options_;
  Progress& progress_;
  StoredNetworks networks_;
  const GraphOutline& graph_;
  EventNames names_;
  double seconds_;
  EventFolder folder_;
  std::optional<EventFolder::Run> together_;
  Cores& cores_;
};

}  // namespace

void check_tags(bool are_named, bool events_are_wanted) {
  if (are_named && !events_are_wanted)
    throw Error(Errc::usage, "--tensorboard-tags has no effect without --tensorboard; give both");
}

void check_events_folder(Store& store, const TensorboardOptions& options, bool has_accuracies) {
  EventFolder folder(store, options.logdir);
  if (options.tags == TensorboardTags::together) folder.check("together");
  if (!has_accuracies)
    for (const char* run : {"baseline", "tune_1"}) folder.check(run);
  folder.make();
}

TensorboardResult tensorboard(Store& store, const Workspace& workspace, const std::string& id,
                              const TensorboardOptions& options, Progress& progress) {
  const std::string whole_id = workspace.find(id).id;  // of "last" it might be another one later
  const fs::path folder = workspace.folder(whole_id);
  RunRecords records;
  StoredNetworks networks;
  Cores cores;
  cores.parallel_for(2, [&](std::size_t part) {  // of a large network each takes a while
    if (part == 0)
      records = read_run(store, workspace, whole_id, &cores);
    else
      networks = stored_networks(WorkloadReader(store, folder));
  });
  check_ended(records.run.id, records.run.state, "ask for");
  if (!records.plan && !records.diagnosis && !records.accuracy && !records.study) {
    const bool is_failed = records.run.state != WorkloadState::success;
    throw Error(Errc::unsupported,
                is_failed
                    ? fmt::format("{} did not succeed ({}), so there is nothing to show; run it "
                                  "again or name another run",
                                  records.run.id, printable(records.run.message))
                    : fmt::format("{} quantized, compared and scored nothing, so there is nothing "
                                  "to show; name a run of quantize, diagnose, evaluate or tune",
                                  records.run.id));
  }
  if (const std::string note = unfinished_note(records.run); !note.empty()) progress.note(note);
  return EventRuns(store, workspace, records, std::move(networks), options, cores, progress)
      .write();
}

}  // namespace quantlens::flow
