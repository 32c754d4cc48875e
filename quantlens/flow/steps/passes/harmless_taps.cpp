// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/passes/harmless_taps.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "quantlens/base/error.h"
#include "quantlens/diagnosis/view/fused_node.h"
#include "quantlens/frontend/probe_models.h"
#include "quantlens/runtime/deployed.h"
#include "quantlens/runtime/open.h"

namespace quantlens::flow {
namespace {

using Slots = std::vector<std::size_t>;

/// The quantized model alone, looked at as in a session apart: beside it stands a model of the same
/// inputs that computes next to nothing, or the float model where there can be none.
class Alone {
 public:
  Alone(const ModelPair& models, const TapSpec& taps)
      : models_(models), taps_(taps), beside_(frontend::stand_in(models.reference)) {}

  const Model& reference() const { return beside_ ? *beside_ : models_.reference; }
  const Model& quantized() const { return models_.quantized; }

  TapSpec spec(const Slots& slots) const {
    TapSpec spec;
    std::set<std::string> seen;
    for (const std::size_t slot : slots) {
      const PairTap& tap = taps_.pairs[slot];
      if (beside_ && !seen.insert(tap.quantized).second) continue;
      spec.pairs.push_back(tap);
      spec.pairs.back().histogram = false;
      if (beside_) spec.pairs.back().reference = frontend::kStandInValue;
    }
    return spec;
  }

 private:
  const ModelPair& models_;
  const TapSpec& taps_;
  std::optional<Model> beside_;
};

class Trials {
 public:
  Trials(const ModelPair& models, const TapSpec& taps, const BareAnswers& bare,
         const RunOptions& options)
      : alone_(models, taps), bare_(bare), options_(options) {}

  bool used_up() const { return tries_ >= kMostTries; }

  bool is_harmless(const Slots& slots) {
    ++tries_;
    const auto run = open(alone_.reference(), &alone_.quantized(), alone_.spec(slots), options_);
    for (std::size_t i = 0; i < bare_.batches.size(); ++i) {
      if (!are_equal(run->step(bare_.batches[i]).quantized, bare_.outputs[i].quantized))
        return false;
    }
    return true;
  }

 private:
  const Alone alone_;
  const BareAnswers& bare_;
  const RunOptions& options_;
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

/// Nothing is known of it where the runtime refuses to show it.
Fusion fusion_at(const Alone& alone, const Graph& bare, std::size_t slot, const RunOptions& options,
                 const fs::path& scratch) {
  try {
    const TapSpec spec = alone.spec({slot});
    const Model observed =
        deployed_with(spec, alone.reference(), alone.quantized(), options, scratch);
    const auto found =
        fused_node(alone.quantized().graph, bare, observed.graph, spec.pairs.front().quantized);
    return found ? Fusion{found->node, found->makes_weight} : Fusion{};
  } catch (const Error& error) {
    if (error.code() == Errc::interrupted) throw;
    return {};
  }
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

std::vector<Fusion> fusions_at(const ModelPair& models, const TapSpec& taps,
                               const std::vector<std::size_t>& slots, const RunOptions& options,
                               const fs::path& scratch) {
  std::vector<Fusion> fusions(slots.size());
  try {
    const Model bare = deployed(models.quantized, options);
    const Alone alone(models, taps);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      fusions[i] = fusion_at(alone, bare.graph, slots[i], options, scratch);
    }
  } catch (const Error& error) {
    if (error.code() == Errc::interrupted) throw;  // else they have no names: that is told, too
  }
  return fusions;
}

}  // namespace quantlens::flow
