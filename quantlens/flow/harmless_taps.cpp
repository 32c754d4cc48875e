// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/harmless_taps.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "quantlens/base/error.h"
#include "quantlens/diagnosis/fused_node.h"
#include "quantlens/runtime/deployed.h"
#include "quantlens/runtime/open.h"
#include "quantlens/runtime/stand_in.h"

namespace quantlens::flow {
namespace {

using Slots = std::vector<std::size_t>;

/// The quantized model alone, looked at as in a session apart: beside it stands a model of the same
/// inputs that computes next to nothing.
class Trials {
 public:
  Trials(const ModelPair& models, const TapSpec& taps, const BareAnswers& bare, RunOptions options)
      : models_(models), taps_(taps), bare_(bare), options_(std::move(options)) {
    beside_ = stand_in(models.reference);
  }

  bool used_up() const { return tries_ >= kMostTries; }

  bool is_harmless(const Slots& slots) {
    ++tries_;
    TapSpec spec;
    std::set<std::string> seen;
    for (const std::size_t slot : slots) {
      const PairTap& tap = taps_.pairs[slot];
      if (beside_ && !seen.insert(tap.quantized).second) continue;
      spec.pairs.push_back(tap);
      spec.pairs.back().histogram = false;
      if (beside_) spec.pairs.back().reference = kStandInValue;
    }
    const auto run =
        open(beside_ ? *beside_ : models_.reference, &models_.quantized, spec, options_);
    for (std::size_t i = 0; i < bare_.batches.size(); ++i) {
      if (!are_equal(run->step(bare_.batches[i]).quantized, bare_.outputs[i].quantized))
        return false;
    }
    return true;
  }

 private:
  const ModelPair& models_;
  const TapSpec& taps_;
  const BareAnswers& bare_;
  RunOptions options_;
  std::optional<Model> beside_;
  int tries_ = 0;
};

/// Values that the bare graph computes, too, before those that it has fused away: looking at the
/// former seldom changes anything, so that groups of them are kept at the first try.
Slots likely_first(const ModelPair& models, const TapSpec& taps, const RunOptions& options) {
  Slots slots(taps.pairs.size());
  std::iota(slots.begin(), slots.end(), std::size_t{0});
  std::unordered_set<std::string> computed;
  try {
    for (const ValueInfo& input : models.quantized.graph.inputs) computed.insert(input.name);
    for (const Node& node : deployed(models.quantized, options).graph.nodes) {
      computed.insert(node.outputs.begin(), node.outputs.end());
    }
  } catch (const Error& error) {
    if (error.code() == Errc::interrupted) throw;  // else the order is any
  }
  std::stable_partition(slots.begin(), slots.end(), [&](std::size_t slot) {
    return computed.contains(taps.pairs[slot].quantized);
  });
  return slots;
}

}  // namespace

HarmlessTaps harmless_taps(const ModelPair& models, const TapSpec& taps, const BareAnswers& bare,
                           const RunOptions& options) {
  Trials trials(models, taps, bare, options);
  HarmlessTaps found;
  const auto with_kept = [&](const Slots& group) {
    Slots all = found.kept;
    all.insert(all.end(), group.begin(), group.end());
    std::ranges::sort(all);
    return all;
  };
  std::deque<Slots> groups{likely_first(models, taps, options)};
  while (!groups.empty()) {
    const Slots group = std::move(groups.front());
    groups.pop_front();
    if (group.empty()) continue;
    if (trials.used_up()) {
      found.unresolved.insert(found.unresolved.end(), group.begin(), group.end());
    } else if (Slots all = with_kept(group); trials.is_harmless(all)) {
      found.kept = std::move(all);
    } else if (group.size() == 1) {
      found.harmful.push_back(group.front());
    } else {
      const auto middle = group.begin() + static_cast<std::ptrdiff_t>((group.size() + 1) / 2);
      groups.emplace_back(group.begin(), middle);
      groups.emplace_back(middle, group.end());
    }
  }
  std::ranges::sort(found.harmful);
  std::ranges::sort(found.unresolved);
  return found;
}

Fusion fusion_at(const ModelPair& models, const PairTap& tap, const RunOptions& options,
                 const fs::path& scratch) {
  Fusion fusion;
  try {
    const Model bare = deployed(models.quantized, options);
    const std::optional<Model> beside = stand_in(models.reference);
    TapSpec spec;
    spec.pairs.push_back(tap);
    if (beside) spec.pairs.back().reference = kStandInValue;
    const Model observed = deployed_with(spec, beside ? *beside : models.reference,
                                         models.quantized, options, scratch);
    const auto found =
        fused_node(models.quantized.graph, bare.graph, observed.graph, tap.quantized);
    if (!found) return fusion;
    fusion.node = found->node;
    fusion.makes_weight = found->makes_weight;
  } catch (const Error& error) {
    if (error.code() == Errc::interrupted) throw;  // else it has no name: that is told, too
  }
  return fusion;
}

}  // namespace quantlens::flow
