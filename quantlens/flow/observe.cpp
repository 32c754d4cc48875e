// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/observe.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/base/json.h"
#include "quantlens/diagnosis/pair.h"
#include "quantlens/diagnosis/suspects.h"
#include "quantlens/record/columns.h"
#include "quantlens/runtime/feed.h"
#include "quantlens/runtime/open.h"

namespace quantlens::flow {
namespace {

constexpr const char* kChanges =
    "looking at it would change what the runtime computes (rule observation)";

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

/// Finds the taps that change what the quantized model computes, by trying.
class Search {
 public:
  Search(const ModelPair& models, const TapSpec& all, const BareAnswers& bare, RunOptions options)
      : models_(models), all_(all), bare_(bare), options_(std::move(options)) {
    options_.apart = true;
  }

  /// Those that may stay.
  Slots harmless() {
    Slots kept(all_.pairs.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    constexpr int kMostRounds = 3;
    for (int round = 0; round < kMostRounds; ++round) {
      const Slots harmful = harmful_of(kept);
      if (harmful.empty()) return kept;
      std::erase_if(kept,
                    [&](std::size_t slot) { return std::ranges::binary_search(harmful, slot); });
    }
    return is_harmless(kept) ? kept : Slots();
  }

 private:
  bool is_harmless(const Slots& slots) {
    ++tries_;
    const auto run = open(models_.reference, &models_.quantized, only(all_, slots), options_);
    for (std::size_t i = 0; i < bare_.batches.size(); ++i) {
      if (!are_equal(run->step(bare_.batches[i]).quantized, bare_.outputs[i].quantized))
        return false;
    }
    return true;
  }

  /// In ascending order. Of two halves that only change something together, the second.
  Slots harmful_of(const Slots& slots) {
    constexpr int kMostTries = 100;
    if (slots.empty() || is_harmless(slots)) return {};
    if (slots.size() == 1 || tries_ >= kMostTries) return slots;
    const auto middle = slots.begin() + static_cast<std::ptrdiff_t>(slots.size() / 2);
    const Slots left(slots.begin(), middle), right(middle, slots.end());
    Slots harmful = harmful_of(left);
    const Slots more = harmful_of(right);
    harmful.insert(harmful.end(), more.begin(), more.end());
    return harmful.empty() ? right : harmful;
  }

  const ModelPair& models_;
  const TapSpec& all_;
  const BareAnswers& bare_;
  RunOptions options_;
  int tries_ = 0;
};

class Observer {
 public:
  Observer(const ModelPair& models, const BareAnswers& bare, const Work& work)
      : models_(models),
        data_(work.data),
        options_(work.options),
        bare_(bare),
        session_(work.session),
        workload_(work.workload),
        pairing_(paired(models, work.session)),
        taps_(taps_for(pairing_)) {}

  Observed run() {
    RunOptions how = run_options(session_);
    if (auto seen = observed(taps_, {}, how)) return *std::move(seen);
    how.apart = true;
    if (auto seen = observed(taps_, {}, how)) return *std::move(seen);
    const Slots kept = Search(models_, taps_, bare_, how).harmless();
    std::vector<NotTapped> left_out;
    for (std::size_t slot = 0; slot < taps_.pairs.size(); ++slot) {
      if (std::ranges::binary_search(kept, slot)) continue;
      left_out.push_back({taps_.pairs[slot].reference, taps_.pairs[slot].quantized, kChanges});
    }
    const TapSpec fewer = only(taps_, kept);
    if (auto seen = observed(fewer, left_out, how)) {
      tell_unseen(left_out, seen->observation);
      return *std::move(seen);
    }
    is_tolerant_ = true;  // its outputs are others, however it is looked at
    Observed seen = *observed(taps_, {}, run_options(session_));
    seen.observation.is_steady = false;
    return seen;
  }

 private:
  static Pairing paired(const ModelPair& models, const Session& session) {
    const Phase pairing_up(session.phases, "pair");
    return pair(models.reference, models.quantized);
  }

  /// Nothing where the quantized model's outputs are not the bare ones.
  std::optional<Observed> observed(const TapSpec& taps, const std::vector<NotTapped>& left_out,
                                   const RunOptions& how) {
    Observed seen{.pairing = pairing_, .state = {}, .observation = {}};
    Pairing& pairing = seen.pairing;
    note_not_tapped(left_out, pairing);
    BatchReader reader =
        make_reader(data_, session_, options_.samples);  // reads while models are opened
    Phase opening(session_.phases, "open");
    const auto run = open(models_.reference, &models_.quantized, taps, how);
    opening.end();
    const std::size_t not_placed = run->not_tapped().size();
    note_not_tapped(run->not_tapped(), pairing);
    write(pairing);
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
             if (!pairing.suspects.empty()) write(pairing);
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
      write(pairing);
    }
    if (first) {
      leave_out(run->not_tapped(), *first);
      merge(seen.state, *first);
    }
    seen.observation.reference_sqnr_db = check.reference_sqnr_db();
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

  void tell_unseen(const std::vector<NotTapped>& left_out, Observation& observation) const {
    for (const NotTapped& one : left_out) {
      const auto pair = std::ranges::find_if(pairing_.pairs, [&](const ValuePair& each) {
        return each.reference == one.value && each.quantized == one.quantized;
      });
      if (pair != pairing_.pairs.end()) observation.unseen.push_back(pair->op_name);
    }
  }

  void write(const Pairing& pairing) {
    workload_.write("pairing.json", json::dump(in_columns(json::encode(pairing))));
  }

  const ModelPair& models_;
  const FittedData& data_;
  const MeasureOptions& options_;
  const BareAnswers& bare_;
  const Session& session_;
  WorkloadWriter& workload_;
  const Pairing pairing_;
  const TapSpec taps_;
  std::optional<double> observed_sqnr_db_;  // of the first run that was not the bare one
  bool is_tolerant_ = false;
};

}  // namespace

Observed observe(const ModelPair& models, const BareAnswers& bare, const Work& work) {
  return Observer(models, bare, work).run();
}

}  // namespace quantlens::flow
