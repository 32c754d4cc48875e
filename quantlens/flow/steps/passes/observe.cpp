// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/passes/observe.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/diagnosis/error/suspects.h"
#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/flow/steps/models/scratch_folder.h"
#include "quantlens/flow/steps/passes/harmless_taps.h"
#include "quantlens/runtime/closing.h"
#include "quantlens/runtime/feed.h"
#include "quantlens/runtime/open.h"

namespace quantlens::flow {
namespace {

constexpr const char* kChanges =
    "looking at it would change what the runtime computes (rule observation)";
constexpr const char* kUntried =
    "looking at it together with others would change what the runtime computes, and it was not "
    "tried by itself (rule observation)";

/// Lists pairs that are left out, and those that are only moved from them. They are no suspects.
void note_not_tapped(std::span<const NotTapped> not_tapped, Pairing& pairing) {
  for (const NotTapped& missed : not_tapped) {
    for (const ValuePair& pair : pairing.pairs) {
      const ValuePair& source = pair.same_as ? pairing.pairs.at(*pair.same_as) : pair;
      if (source.reference != missed.value || source.quantized != missed.quantized) continue;
      pairing.not_compared.push_back({pair.reference, missed.reason});
      std::erase_if(pairing.suspects, [&](const SuspectPair& suspect) {
        return suspect.value == pair.reference && suspect.quantized == pair.quantized;
      });
    }
  }
}

/// Whether there are pairs that the values of a first sample must speak for.
bool has_doubts(const Pairing& pairing) {
  return std::ranges::any_of(pairing.pairs, needs_proof);
}

using Slots = std::vector<std::size_t>;

TapSpec only(const TapSpec& all, const Slots& slots) {
  TapSpec spec;
  for (const std::size_t slot : slots) spec.pairs.push_back(all.pairs[slot]);
  return spec;
}

class Observer {
 public:
  Observer(const ModelPair& models, Lockstep first, const BareAnswers& bare, const Work& work)
      : models_(models),
        data_(work.data),
        options_(work.options),
        bare_(bare),
        session_(work.session),
        workload_(work.workload),
        pairing_(std::move(first.pairing)),
        taps_(std::move(first.taps)),
        as_one_(std::move(first.run)) {}

  Observed run() {
    RunOptions how = run_options(session_);
    if (auto seen = observed(std::move(as_one_), {}, how)) return *std::move(seen);
    how.apart = true;
    if (auto seen = observed(opened(taps_, how), {}, how)) return *std::move(seen);
    const HarmlessTaps found = harmless_taps(models_, taps_, bare_, how);
    std::vector<NotTapped> left_out;
    add_left_out(found.harmful, kChanges, left_out);
    add_left_out(found.unresolved, kUntried, left_out);
    const TapSpec fewer = only(taps_, found.kept);
    if (auto seen = observed(opened(fewer, how), left_out, how)) {
      tell_unseen(found, how, seen->observation);
      return *std::move(seen);
    }
    is_tolerant_ = true;  // its outputs are others, however it is looked at
    how = run_options(session_);
    Observed seen = *observed(opened(taps_, how), {}, how);
    seen.observation.is_steady = false;
    return seen;
  }

 private:
  std::unique_ptr<Run> opened(const TapSpec& taps, const RunOptions& how) const {
    const Phase opening(session_.phases, "open");
    return open(models_.reference, &models_.quantized, taps, how);
  }

  /// Nothing where the quantized model's outputs are not the bare ones.
  std::optional<Observed> observed(std::unique_ptr<Run> with_taps,
                                   const std::vector<NotTapped>& left_out, const RunOptions& how) {
    const ClosingRun run = closing(std::move(with_taps), session_.phases);
    Observed seen;
    seen.pairing = pairing_;
    Pairing& pairing = seen.pairing;
    note_not_tapped(left_out, pairing);
    BatchReader reader = make_reader(data_, session_, options_.samples);
    const std::size_t not_placed = run->not_tapped().size();
    note_not_tapped(run->not_tapped(), pairing);
    workload_.put(pairing);
    BareCheck check(bare_);
    std::optional<TapState> first;  // of the first batch alone, where it has to be looked at
    const bool look_at_first = has_doubts(pairing);
    try {
      feed(*run, reader, session_.progress, "diagnose",
           [&](const Batch& batch, const Outputs& outputs) {
             note_outputs(outputs, seen.observation);
             if (!is_tolerant_) check.add(batch, outputs);
             if (!look_at_first || first) return;
             first = run->take();
             find_suspects(*first, batch.samples.front(), pairing);
             if (!pairing.suspects.empty()) workload_.put(pairing);
           });
    } catch (const Departed&) {
      if (!observed_sqnr_db_) observed_sqnr_db_ = seen.observation.observed_sqnr_db;
      return std::nullopt;
    }
    report_skipped(reader, session_.progress);
    seen.state = run->take();
    const auto dropped = std::span(run->not_tapped()).subspan(not_placed);
    if (!dropped.empty()) {
      note_not_tapped(dropped, pairing);
      workload_.put(pairing);
    }
    if (first) {
      leave_out(run->not_tapped(), *first);
      merge(seen.state, *first);
    }
    seen.observation.reference_sqnr_db = check.reference_sqnr_db();
    seen.observation.reference_others = check.reference_others();
    seen.observation.apart = how.apart;
    seen.observation.observed_sqnr_db = observed_sqnr_db_;
    if (!bare_.outputs.empty()) {
      seen.observation.bare_sqnr_db =
          outputs_sqnr_db(bare_.outputs[0].reference, bare_.outputs[0].quantized);
    }
    return seen;
  }

  /// Of the first batch: what a run shows that is not the bare one.
  static void note_outputs(const Outputs& outputs, Observation& observation) {
    if (observation.observed_sqnr_db) return;
    observation.observed_sqnr_db = outputs_sqnr_db(outputs.reference, outputs.quantized);
  }

  void add_left_out(const Slots& slots, const char* reason, std::vector<NotTapped>& to) const {
    for (const std::size_t slot : slots) {
      to.push_back({taps_.pairs[slot].reference, taps_.pairs[slot].quantized, reason});
    }
  }

  std::vector<OpRef> ops_at(const Slots& slots) const {
    std::vector<OpRef> ops;
    for (const std::size_t slot : slots) {
      const PairTap& tap = taps_.pairs[slot];
      const auto pair = std::ranges::find_if(pairing_.pairs, [&](const ValuePair& each) {
        return each.reference == tap.reference && each.quantized == tap.quantized;
      });
      if (pair != pairing_.pairs.end()) ops.push_back(pair->op);
    }
    return ops;
  }

  void tell_unseen(const HarmlessTaps& found, const RunOptions& how, Observation& observation) {
    constexpr std::size_t kMostNamed = 3;  // each takes a loading of the quantized model
    observation.unseen = ops_at(found.harmful);
    observation.untried = ops_at(found.unresolved);
    if (found.harmful.empty()) return;
    const ScratchFolder scratch(session_.store, workload_.folder() / "deployed");
    Slots first = found.harmful;
    first.resize(std::min(kMostNamed, first.size()));
    observation.fusions = fusions_at(models_, taps_, first, how, scratch.path());
  }

  const ModelPair& models_;
  const FittedData& data_;
  const MeasureOptions& options_;
  const BareAnswers& bare_;
  const Session& session_;
  WorkloadWriter& workload_;
  const Pairing pairing_;
  const TapSpec taps_;
  std::unique_ptr<Run> as_one_;             // until it is run
  std::optional<double> observed_sqnr_db_;  // of the first run that was not the bare one
  bool is_tolerant_ = false;
};

}  // namespace

Observed observe(const ModelPair& models, std::future<Lockstep> first, const BareAnswers& bare,
                 const Work& work) {
  Lockstep opened = waited_for(std::move(first), work.session);
  std::unique_ptr<const Indexed> reference = std::move(opened.reference);
  std::unique_ptr<const Indexed> quantized = std::move(opened.quantized);
  Observed seen = Observer(models, std::move(opened), bare, work).run();
  seen.reference = std::move(reference);
  seen.quantized = std::move(quantized);
  return seen;
}

}  // namespace quantlens::flow
