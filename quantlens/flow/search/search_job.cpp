// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/search/search_job.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/flow/search/pricing.h"
#include "quantlens/record/op_counts.h"
#include "quantlens/tuning/goal.h"
#include "quantlens/tuning/prices.h"

namespace quantlens::flow {
namespace {

/// A trial that answers a proposal.
bool answers(const Trial& trial, Look look) {
  if (trial.judged == Judged::failed) return true;
  if (look == Look::outputs) return trial.judged == Judged::output_error;
  if (look == Look::early) return trial.judged != Judged::output_error;
  return trial.judged == Judged::whole;
}

bool ended_early(const Trial& trial) {
  return trial.judged == Judged::met || trial.judged == Judged::missed;
}

/// What a copy of an earlier trial's figures says of the same model.
void copy_figures(const Trial& from, Trial& to) {
  to.same_as = from.same_as.value_or(from.number);
  to.judged = from.judged;
  to.accuracy = from.accuracy;
  to.difference = from.difference;
  to.difference_interval = from.difference_interval;
  to.loss = from.loss;
  to.reached = from.reached;
  to.output_error = from.output_error;
  to.bytes = from.bytes;
  to.sha256 = from.sha256;
}

}  // namespace

SearchJob::SearchJob(const TuneOptions& options, Task task, const Place& place)
    : Search(std::move(task)),
      options_(options),
      bench_(place.bench),
      session_(place.session),
      workload_(place.workload),
      result_(place.result),
      recorded_(std::exchange(place.result.study->trials, {})),
      recorded_times_(std::exchange(place.result.times.trials, {})) {
  // asking again takes a while: until then the earlier run's best model is what there is
  const auto earlier = std::exchange(study().best, std::nullopt);
  study().reached = false;
  if (earlier && *earlier > 0 && *earlier <= recorded_.size()) restore(recorded_[*earlier - 1]);
}

const Trial* SearchJob::known(const Proposal& proposal) const {
  for (const Trial& trial : study().trials) {
    if (trial.recipe == proposal.recipe && answers(trial, proposal.look)) return &trial;
  }
  return nullptr;
}

bool SearchJob::is_at_limit(Look look) const {
  return look != Look::outputs && evaluations(study()) >= options_.max_trials;
}

/// Asks again what an earlier run has asked. Where that had another limit, its last trials, which
/// closed it, are none of this search.
std::optional<Trial> SearchJob::recorded(const Proposal& proposal, bool is_closing) {
  const std::size_t at = study().trials.size();
  if (at < recorded_.size() && recorded_[at].closing != is_closing) recorded_.resize(at);
  if (at >= recorded_.size()) return std::nullopt;
  const Trial& trial = recorded_[at];
  const bool is_next = trial.number == at + 1 && trial.why == proposal.why;
  if (is_next && trial.recipe == proposal.recipe) return trial;
  throw Error(Errc::bad_input,
              fmt::format("{}: trial {} is not what this search tries next: was it made by another "
                          "version of quantlens? Begin anew, without --resume",
                          printable((result_.folder / FileOf<Study>::kName).string()), at + 1));
}

std::optional<Trial> SearchJob::run(const Proposal& proposal) {
  throw_if_stopped(session_.progress);
  if (const Trial* trial = known(proposal)) return *trial;
  std::optional<Trial> trial;
  if (!is_at_limit(proposal.look)) trial = answered(proposal, false);
  study().is_limited = !trial;
  return trial;
}

std::optional<Trial> SearchJob::answered(const Proposal& proposal, bool is_closing) {
  candidate_.reset();
  if (std::optional<Trial> trial = recorded(proposal, is_closing)) {
    const std::size_t at = study().trials.size();
    keep(*trial, at < recorded_times_.size() ? recorded_times_[at] : 0, false);
    return trial;
  }
  const double passed = std::chrono::duration<double>(Clock::now() - begin_).count();
  if (!is_closing && options_.timeout > 0 && passed >= options_.timeout) return std::nullopt;
  if (!is_restored_ && study().best) restore(best());
  is_restored_ = true;
  double seconds = 0;
  Trial trial = tried(proposal, is_closing, seconds);
  keep(trial, seconds, true);
  return trial;
}

Trial SearchJob::tried(const Proposal& proposal, bool is_closing, double& seconds) {
  Trial trial;
  trial.number = study().trials.size() + 1;
  trial.why = proposal.why;
  trial.recipe = proposal.recipe;
  trial.closing = is_closing;
  try {
    candidate_ = bench_.plan(proposal.recipe);
    const Plan& plan = candidate_->planned.plan;
    if (trial.number == 1) {
      for (const std::string& note : candidate_->planned.notes) session_.progress.note(note);
    }
    trial.fingerprint = candidate_->fingerprint;
    trial.multiply_adds_quantized = multiply_adds_quantized(plan, bench_.multiply_adds());
    trial.compute_quantized = compute_quantized(plan, bench_.able());
    if (prices_) trial.predicted_us = predict_us(*prices_, quantized_ops(plan));
    const OpCounts ops = op_counts(plan.ops);
    trial.ops_quantized = ops.quantized;
    trial.ops_float = ops.in_float;
    const auto same = std::ranges::find_if(study().trials, [&](const Trial& earlier) {
      return earlier.fingerprint == trial.fingerprint && earlier.judged != Judged::failed &&
             answers(earlier, proposal.look);
    });
    if (same != study().trials.end()) {
      copy_figures(*same, trial);
      seconds = result_.times.trials.at(same->number - 1);
    } else {
      seconds = bench_.judge(*candidate_, proposal.look, trial);
    }
  } catch (const Error& error) {
    const bool is_ours = error.code() == Errc::interrupted || error.code() == Errc::io;
    if (is_ours) throw;
    trial.judged = Judged::failed;
    trial.failure = error.what();
  }
  return trial;
}

void SearchJob::set_prices(Prices prices) {
  prices_ = std::move(prices);
  if (!study().best) return;
  Trial& trial = study().trials.at(*study().best - 1);
  trial.predicted_us = predict_us(*prices_, quantized_ops(bench_.plan(trial.recipe).planned.plan));
}

void SearchJob::emit(const Recipe& recipe) const {
  if (options_.emit_recipe.empty()) return;
  write_atomic(session_.store, options_.emit_recipe, to_file(recipe));
}

void SearchJob::keep(Trial trial, double seconds, bool is_new) {
  const bool counts = trial.judged == Judged::whole && trial.accuracy.has_value();
  const bool is_best = counts && (!study().best || is_better(task().goal, trial, best()));
  if (is_best) {
    study().best = trial.number;
    study().reached = trial.reached;
  }
  if (is_best && is_new) write_best(*candidate_);
  study().trials.push_back(std::move(trial));
  result_.times.trials.push_back(seconds);
  if (is_new) {
    const Trial& last = study().trials.back();
    {
      const WorkloadWriter::Part writing(workload_, trial_folder(last.number));
      workload_.put(last.recipe);
      if (candidate_ && last.judged != Judged::output_error) {
        workload_.put(candidate_->planned.plan);
        if (candidate_->float_edit) workload_.put(*candidate_->float_edit);
      }
    }
    constexpr std::uint64_t kAtOnce = 16;  // comparisons of outputs are many, and cheap to repeat
    if (last.judged != Judged::output_error || last.number % kAtOnce == 0) record();
  }
  if (options_.on_trial) options_.on_trial(study(), result_.times);
}

/// In this order: the record never names a model that is not there.
void SearchJob::write_best(const Candidate& candidate) {
  bench_.write(candidate, result_.output);
  bench_.keep_edited(candidate);
  emit(candidate.recipe);
  workload_.put(candidate.planned.plan);
}

void SearchJob::record() {
  workload_.put(result_.times);
  workload_.put(study());
}

std::string SearchJob::folder_of(const Recipe& recipe) const {
  const auto trial = std::ranges::find(study().trials, recipe, &Trial::recipe);
  if (trial == study().trials.end()) return std::string(kBeforeTrials);
  return trial_folder(trial->number);
}

const Diagnosis* SearchJob::diagnose(const Recipe& recipe) {
  const std::string key = json::dump(json::encode(recipe));
  const auto found = diagnoses_.find(key);
  if (found != diagnoses_.end()) return &found->second;
  try {
    const Diagnosis made = bench_.diagnose(bench_.plan(recipe), folder_of(recipe));
    return &diagnoses_.emplace(key, made).first->second;
  } catch (const Error& error) {
    if (error.code() == Errc::interrupted || error.code() == Errc::io) throw;
    session_.progress.note(fmt::format("ops are not ranked by a diagnosis: {}", error.what()));
    return nullptr;
  }
}

/// Of those that ended early, the one that seems to lose least, where its interval does not rule
/// out that it loses less than the best one; null where there is none.
const Trial* SearchJob::hopeful() const {
  const Trial* hopeful = nullptr;
  for (const Trial& trial : study().trials) {
    if (!ended_early(trial) || (hopeful && trial.loss >= hopeful->loss)) continue;
    const bool is_known = std::ranges::any_of(study().trials, [&](const Trial& other) {
      return other.fingerprint == trial.fingerprint && answers(other, Look::whole);
    });
    if (is_known) continue;
    const double least = least_loss(task().goal, study().reference, trial.difference_interval);
    if (!study().best || least < best().loss) hopeful = &trial;
  }
  return hopeful;
}

void SearchJob::close() {
  constexpr int kMost = 3;
  for (int i = 0; i < kMost && !study().reached; ++i) {
    throw_if_stopped(session_.progress);
    const Trial* trial = hopeful();
    if (!trial) break;
    answered(
        {.recipe = trial->recipe,
         .why = fmt::format("trial {}, which may lose the least, over all samples", trial->number)},
        true);
  }
  if (study().best) return;
  const auto failed = std::ranges::find(study().trials, Judged::failed, &Trial::judged);
  if (failed == study().trials.end()) return;
  throw Error(Errc::failed, fmt::format("none of {} trials gave a model that runs; trial {}: {}",
                                        evaluations(study()), failed->number, failed->failure));
}

/// Writes it unless it is there: the run before this one may have ended between two files, or had
/// another -o, or more trials.
void SearchJob::restore(const Trial& best) {
  std::string there;
  try {
    there = sums_of(formats(session_).read(result_.output), session_.store).sha256;
  } catch (const Error&) {
    there.clear();  // it is written now
  }
  if (there != best.sha256) {
    write_best(bench_.plan(best.recipe));
  } else {
    emit(best.recipe);
  }
}

void SearchJob::finish() {
  record();
  if (!study().best) return;
  restore(best());
  workload_.put(best().recipe);
  const Model quantized = formats(session_).read(result_.output);
  workload_.add_model(model_file(ModelRole::quantized, quantized));
  workload_.put(QuantizedOutline{outline(quantized.graph)});
}

}  // namespace quantlens::flow
