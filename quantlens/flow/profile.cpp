// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/profile.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/diagnosis/rules/observation.h"
#include "quantlens/flow/steps/models/destination.h"
#include "quantlens/flow/steps/passes/bare.h"
#include "quantlens/flow/steps/passes/first_batches.h"
#include "quantlens/flow/steps/passes/session_workers.h"
#include "quantlens/flow/steps/remedies/remedies.h"
#include "quantlens/flow/steps/remedies/remedy_bench.h"
#include "quantlens/profiling/import/import.h"
#include "quantlens/profiling/pair/join.h"
#include "quantlens/profiling/pair/speed_findings.h"
#include "quantlens/profiling/pair/try_remedies.h"
#include "quantlens/profiling/trace.h"
#include "quantlens/quantizer/recipe/stored_recipe.h"
#include "quantlens/report/profile_tables.h"
#include "quantlens/report/statement_text.h"
#include "quantlens/runtime/formats.h"

namespace quantlens::flow {
namespace {

ProfileRecord paired(const Profiled& profiled, const Model& reference, const Model& quantized) {
  ProfileRecord pair;
  pair.reference = profiled.profiles[0];
  const Profile& second = pair.quantized.emplace(profiled.profiles[1]);
  pair.ratio = profiled.ratio->value;
  pair.ratio_interval = profiled.ratio->interval;
  pair.ops = join({reference.graph, profiled.graphs[0], profiled.types[0], pair.reference},
                  {quantized.graph, profiled.graphs[1], profiled.types[1], second},
                  quantlens::pair(reference, quantized));
  pair.findings = speed_findings(pair);
  return pair;
}

/// Where timers change what a model computes, which is said first. What is float may round in
/// another way.
std::optional<Statement> departure(const Model& model, const Answers& answers) {
  if (!are_equal(answers.bare, answers.again) || are_equal(answers.bare, answers.timed)) {
    return std::nullopt;
  }
  const std::optional<double> kept_db = outputs_sqnr_db(answers.bare, answers.timed);
  const bool rounds = !uses_codes(model.graph) && kept_db && *kept_db >= kRoundingDb &&
                      outputs_others(answers.bare, answers.timed) == 0;
  if (rounds) return std::nullopt;
  Statement departs{"speed.other_graph", {{"model", figure::text(model.path.string())}}};
  if (kept_db) departs.figures.emplace("kept", figure::decibels(*kept_db));
  return departs;
}

void write_profile(WorkloadWriter& workload, const Profile& profile,
                   const exported::OfProfile& files) {
  workload.write(files.nodes, to_csv(profiling_table(profile, ProfileRows::nodes)));
  workload.write(files.types, to_csv(profiling_table(profile, ProfileRows::types)));
  workload.write(files.trace, trace_json(profile));
  workload.write(files.data, profiling_data(profile));
}

void write_records(WorkloadWriter& workload, const ProfileRecord& record) {
  write_profile(workload, record.reference, exported::kProfile);
  if (record.quantized) {
    write_profile(workload, *record.quantized, exported::kQuantizedProfile);
    workload.write(exported::kJoinedOps, to_csv(joined_table(record)));
  }
  workload.put(record);
  write_remedies(remedies_of(record), workload);
}

void write_trace(const ProfileVerbOptions& options, const ProfileRecord& record,
                 const Session& session) {
  if (options.trace.empty()) return;
  write_atomic(session.store, options.trace, trace_json(record));
}

void check_options(const ProfileVerbOptions& options) {
  const auto refuse = [](const std::string& sentence) { throw Error(Errc::usage, sentence); };
  for (const std::optional<fs::path>& path : {std::optional(options.model), options.other}) {
    if (!options.other || !path || !is_profile(*path)) continue;
    refuse(
        fmt::format("{}: is a profile, which is shown alone; give two models to join their times",
                    printable(path->string())));
  }
}

/// Before minutes of work.
void check_trace(const ProfileVerbOptions& options, const Sources& sources) {
  if (options.trace.empty()) return;
  check_destination({.path = options.trace, .option = "--trace", .is_model = false}, sources);
}

/// What another tool has timed.
ProfileResult imported(const ProfileVerbOptions& options, const Session& session) {
  const char* useless = options.data.is_given()      ? "--data"
                        : options.profile.iterations ? "--iterations"
                        : session.isolation          ? "--isolate"
                        : !session.ends.is_whole()   ? "--inputs and --outputs"
                                                     : nullptr;
  if (useless != nullptr) {
    throw Error(Errc::usage, fmt::format("{}: is a profile, whose runs are over; leave out {}",
                                         printable(options.model.string()), useless));
  }
  check_trace(options, {.files = {options.model}});
  Session named = session;
  if (named.name.empty()) named.name = options.model.stem().string();
  const auto workload = begin_workload(named, "profile", {});
  ProfileResult result;
  result.folder = workload->folder();
  run_recorded(session, *workload, [&](const Session& recorded) {
    result.profile.emplace().reference = import_profile(options.model, recorded.progress);
    write_records(*workload, *result.profile);
    write_trace(options, *result.profile, recorded);
  });
  result.run = workload->workload();
  return result;
}

}  // namespace

ProfileResult profile(const ProfileVerbOptions& options, const Session& session) {
  check_options(options);
  if (is_profile(options.model)) return imported(options, session);
  const Model model = formats(session).read(options.model);
  std::optional<Model> other;
  if (options.other) {
    other = formats(session).read(*options.other);
    check_order(model, *other);
  }
  DataChoice choice = options.data;
  if (!choice.is_given()) choice.data = "random";
  const FittedData data = fit_data(choice, model, session);
  check_trace(options, {.model = &model, .files = {options.other.value_or("")}, .data = {&data}});
  std::vector<std::pair<ModelRole, const Model*>> models{{ModelRole::reference, &model}};
  if (other) models.emplace_back(ModelRole::quantized, &*other);
  const auto workload = begin_workload(session, "profile", models);
  describe_data(*workload, &data);
  ProfileResult result;
  result.folder = workload->folder();
  result.is_ours = other && has_stored_recipe(*other);
  run_recorded(session, *workload, [&](const Session& recorded) {
    const std::vector<Batch> batches = first_batches(data, recorded);
    std::vector<Batch> others;
    std::vector<ToProfile> wanted{{model, batches}};
    if (other) {
      others = renamed(batches, model, *other);
      wanted.push_back({*other, others});
    }
    ProfileOptions how = options.profile;
    const std::shared_ptr<Workers> workers =
        session_workers(session, std::vector<const Model*>{&model, other ? &*other : &model});
    how.threads = session.threads;
    how.workers = workers.get();
    const Profiled profiled = quantlens::profile(wanted, how, recorded.progress);
    Statements conclusions;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto departs = departure(wanted[i].model, profiled.answers[i]);
      if (!departs) continue;
      recorded.progress.note(text_of({&*departs, 1}));
      conclusions.insert(conclusions.end(), {*departs, {"next", {}}});
    }
    if (other) {
      result.profile = paired(profiled, model, *other);
      const Statements compared = speed_conclusions(*result.profile);
      conclusions.insert(conclusions.end(), compared.begin(), compared.end());
      result.profile->conclusions = std::move(conclusions);
      const ProfiledModel in_float{model.graph, profiled.graphs[0], profiled.types[0],
                                   profiled.profiles[0]};
      RemedyBench bench({model, *other, in_float, data, batches}, how, recorded,
                        workload->folder() / "remedy");
      try_remedies(
          model.graph, options.verify,
          [&](const json::Value& remedy) { return bench.time(remedy); }, *result.profile);
    } else {
      result.profile.emplace().reference = profiled.profiles.front();
    }
    write_records(*workload, *result.profile);
    write_trace(options, *result.profile, recorded);
  });
  result.run = workload->workload();
  return result;
}

}  // namespace quantlens::flow
