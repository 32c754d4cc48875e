// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/output_shares.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "quantlens/diagnosis/view/gathered.h"
#include "quantlens/graph/element_types.h"
#include "quantlens/stats/jackknife.h"

namespace quantlens {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr double kMost = 1e30;  // an error that is not finite

/// Sums over each block and over all of them.
struct BlockSums {
  std::array<double, kBlocks> error{}, energy{}, count{};
  double all_error = 0, all_energy = 0, all_count = 0;

  explicit BlockSums(const PairStats& stats) {
    for (std::size_t b = 0; b < kBlocks; ++b) {
      const PairStats::Block& block = stats.blocks()[b];
      error[b] = std::min(block.ee.value(), kMost);
      energy[b] = std::min(block.xx.value(), kMost);
      count[b] = static_cast<double>(block.finite);
      all_error += error[b];
      all_energy += energy[b];
      all_count += count[b];
    }
  }
  /// Means without a block (kNoBlock: of all); 0 where nothing is left.
  double mean_error(std::size_t without) const { return mean(error, all_error, without); }
  double mean_energy(std::size_t without) const { return mean(energy, all_energy, without); }

 private:
  double mean(const std::array<double, kBlocks>& of, double all, std::size_t without) const {
    const double number = all_count - (without == kNoBlock ? 0 : count[without]);
    return number > 0 ? std::max(0.0, all - (without == kNoBlock ? 0 : of[without])) / number : 0;
  }
};

/// What is known of a value that was compared.
struct Measured {
  ActivationRow* row = nullptr;  // of several quantized sides the one with most error
  BlockSums accumulated;
  std::optional<BlockSums> local;
  double passed_on = 1;  // share of the local error that its inputs' codes make
};

/// What error may do at values that were not compared.
enum class Unknown : std::uint8_t {
  passes,  ///< it comes from what they are computed from
  ends     ///< nobody knows; it goes to none
};

/// Adding keeps absolute errors; of what is multiplied, relative ones add.
bool adds(Kind kind) {
  return kind == Kind::add || kind == Kind::sub || kind == Kind::concat || moves_elements(kind);
}

/// Which values carry an error of their own: integers have none.
class Reals {
 public:
  explicit Reals(const GraphIndex& graph) : types_(element_types(graph)) {}
  bool contains(const std::string& value) const {
    const auto type = types_.find(value);
    return type == types_.end() || is_float(type->second);
  }

 private:
  std::unordered_map<std::string, DType> types_;
};

/// The outputs that an SQNR can be told of; all where there are none, as of a model that gives
/// classes.
std::vector<std::string> counted_outputs(const Graph& graph, const Reals& reals) {
  std::vector<std::string> all, counted;
  for (const ValueInfo& output : graph.outputs) {
    all.push_back(output.name);
    if (reals.contains(output.name)) counted.push_back(output.name);
  }
  return counted.empty() ? all : counted;
}

class Shares {
 public:
  Shares(const GraphIndex& reference, const Reals& reals, std::vector<Measured> measured,
         const std::vector<std::string>& not_compared)
      : measured_(std::move(measured)) {
    const Graph& graph = reference.graph();
    for (const std::size_t n : topological_order(graph)) add(reference, graph.nodes[n]);
    for (const std::string& output : counted_outputs(graph, reals))
      outputs_.push_back(number(output));
    std::vector<std::size_t> at;
    for (const Measured& value : measured_) at.push_back(number(value.row->value));
    measured_at_.assign(numbers_.size(), kNone);
    for (std::size_t m = 0; m < at.size(); ++m) measured_at_[at[m]] = m;
    is_unknown_.resize(numbers_.size());
    for (const std::string& value : not_compared) {
      const auto found = numbers_.find(value);
      if (found != numbers_.end())
        is_unknown_[found->second] = measured_at_[found->second] == kNone;
    }
  }

  /// Shares of the measured values, in their order.
  std::vector<double> without(std::size_t block) const {
    std::vector<double> begun = followed(block, Unknown::passes);
    const double all = std::accumulate(begun.begin(), begun.end(), 0.0);
    if (all > 0) {
      for (double& one : begun) one /= all;
    }
    return begun;
  }

  /// Their parts that no value passes which was not compared; together 1 where there is none.
  std::vector<double> certain() const {
    const std::vector<double> begun = followed(kNoBlock, Unknown::passes);
    std::vector<double> known = followed(kNoBlock, Unknown::ends);
    const double all = std::accumulate(begun.begin(), begun.end(), 0.0);
    if (all > 0) {
      for (double& one : known) one /= all;
    }
    return known;
  }

 private:
  std::vector<double> followed(std::size_t block, Unknown unknown) const {
    std::vector<Noise> noise(numbers_.size());
    for (std::size_t v = 0; v < noise.size(); ++v) {
      if (measured_at_[v] != kNone) noise[v] = noise_of(measured_[measured_at_[v]], block);
    }
    for (const Step& step : steps_) pass_on(step, noise);
    std::vector<double> share(numbers_.size());
    for (const std::size_t output : outputs_) {
      if (noise[output].relative > 0) share[output] += 1;
    }
    std::vector<double> begun(measured_.size());
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
      hand_back(*step, noise, unknown, share, begun);
    for (std::size_t m = 0; m < measured_.size(); ++m) {  // what no node makes: inputs of the graph
      const std::size_t v = numbers_.at(measured_[m].row->value);
      begun[m] += std::exchange(share[v], 0);
    }
    return begun;
  }

  struct Step {
    std::vector<std::size_t> inputs, outputs;  // numbers of values
    bool adds = false;
  };
  struct Noise {
    double absolute = 0, relative = 0;
    double own = 0;  // share of it that begins here
    bool measured = false;
  };

  std::size_t number(const std::string& value) {
    return numbers_.emplace(value, numbers_.size()).first->second;
  }

  void add(const GraphIndex& reference, const Node& node) {
    Step step{.inputs = {}, .outputs = {}, .adds = adds(node.kind)};
    std::vector<std::string> inputs = node.inputs;
    if (!node.subgraphs.empty()) {
      const std::vector<std::string> captured = captured_values(node);
      inputs.insert(inputs.end(), captured.begin(), captured.end());
    }
    for (const std::string& input : inputs) {
      if (!input.empty() && !reference.constant(input)) step.inputs.push_back(number(input));
    }
    for (const std::string& output : node.outputs) {
      if (!output.empty()) step.outputs.push_back(number(output));
    }
    steps_.push_back(std::move(step));
  }

  static Noise noise_of(const Measured& value, std::size_t block) {
    Noise noise{.measured = true};
    noise.absolute = value.accumulated.mean_error(block);
    const double energy = value.accumulated.mean_energy(block);
    noise.relative = energy > 0 ? noise.absolute / energy : noise.absolute > 0 ? 1 : 0;
    if (noise.absolute > 0 && value.local) {
      const double own = value.local->mean_error(block) * (1 - value.passed_on);
      noise.own = std::min(1.0, own / noise.absolute);
    }
    return noise;
  }

  /// What was not measured has the relative errors of what it is computed from.
  static void pass_on(const Step& step, std::vector<Noise>& noise) {
    double relative = 0;
    for (const std::size_t input : step.inputs) relative += noise[input].relative;
    for (const std::size_t output : step.outputs) {
      if (!noise[output].measured) noise[output].relative = std::min(relative, kMost);
    }
  }

  void hand_back(const Step& step, const std::vector<Noise>& noise, Unknown unknown,
                 std::vector<double>& share, std::vector<double>& begun) const {
    double rest = 0;
    std::size_t last = kNone;
    for (const std::size_t output : step.outputs) {
      const double all = std::exchange(share[output], 0);
      if (all == 0 || (unknown == Unknown::ends && is_unknown_[output])) continue;
      if (const std::size_t m = measured_at_[output]; m != kNone) {
        begun[m] += all * noise[output].own;
        last = m;
      }
      rest += all * (1 - noise[output].own);
    }
    if (rest == 0) return;
    const bool absolute = step.adds && std::ranges::all_of(step.inputs, [&](std::size_t input) {
                            return noise[input].measured;
                          });
    const auto error = [&](std::size_t input) {
      return absolute ? noise[input].absolute : noise[input].relative;
    };
    double all = 0;
    for (const std::size_t input : step.inputs) all += error(input);
    if (all > 0) {
      for (const std::size_t input : step.inputs) share[input] += rest * error(input) / all;
    } else if (last != kNone) {
      begun[last] += rest;
    }
  }

  std::vector<Measured> measured_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::size_t> measured_at_;  // by number of a value
  std::vector<bool> is_unknown_;          // likewise: it has a counterpart, which was not compared
  std::vector<Step> steps_;               // in topological order
  std::vector<std::size_t> outputs_;
};

/// The rows that were gathered; of a value with several quantized sides that with most error.
std::vector<Measured> measured_values(const TapState& accumulated, const TapState& local,
                                      Diagnosis& diagnosis) {
  std::map<std::string, Measured> by_value;
  for (ActivationRow& row : diagnosis.activations) {
    const PairedStats* all = gathered_of(accumulated, row.value, row.quantized);
    if (all == nullptr) continue;
    Measured measured{.row = &row, .accumulated = BlockSums(all->pairs), .local = {}};
    const PairedStats* alone = gathered_of(local, row.value, row.quantized);
    if (alone != nullptr && row.local_mse && row.input_mse) {
      measured.local.emplace(alone->pairs);
      measured.passed_on = *row.local_mse > 0 ? *row.input_mse / *row.local_mse : 0;
    }
    const auto [at, is_new] = by_value.emplace(row.value, measured);
    if (!is_new && row.mse > at->second.row->mse) at->second = measured;
  }
  std::vector<Measured> values;
  values.reserve(by_value.size());
  for (const auto& [value, measured] : by_value) values.push_back(measured);
  return values;
}

/// Values of which the quantized model has a counterpart, none of which was compared.
std::vector<std::string> unknown_values(const Reals& reals, const Diagnosis& diagnosis) {
  std::vector<std::string> values;
  std::set<std::string> compared;
  for (const ActivationRow& row : diagnosis.activations) compared.insert(row.value);
  const auto add = [&](const std::string& value) {
    if (!compared.contains(value) && reals.contains(value)) values.push_back(value);
  };
  for (const NotCompared& missed : diagnosis.not_compared) add(missed.value);
  for (const SuspectPair& suspect : diagnosis.suspects) add(suspect.value);
  return values;
}

}  // namespace

SharesWithout add_output_shares(const GraphIndex& reference, const TapState& accumulated,
                                const TapState& local, Diagnosis& diagnosis) {
  std::vector<Measured> measured = measured_values(accumulated, local, diagnosis);
  std::vector<ActivationRow*> rows;
  std::vector<bool> has_own;
  for (const Measured& value : measured) {
    rows.push_back(value.row);
    has_own.push_back(value.local.has_value());
  }
  SampleBlocks blocks;
  blocks.count(local.samples);
  const Reals reals(reference);
  const Shares shares(reference, reals, std::move(measured), unknown_values(reals, diagnosis));
  const std::vector<double> whole = shares.without(kNoBlock);
  const std::vector<double> certain = shares.certain();
  if (std::ranges::any_of(whole, [](double share) { return share > 0; })) {
    diagnosis.unknown_share =
        std::clamp(1 - std::accumulate(certain.begin(), certain.end(), 0.0), 0.0, 1.0);
  }
  std::vector<std::vector<double>> without(rows.size());
  blocks.without_each([&](std::size_t block) {
    const std::vector<double> left = shares.without(block);
    for (std::size_t m = 0; m < rows.size(); ++m) without[m].push_back(left[m]);
    return 0.0;
  });
  SharesWithout shares_without;
  for (std::size_t m = 0; m < rows.size(); ++m) {
    if (!has_own[m]) continue;
    rows[m]->output_share = whole[m];
    std::array<double, 2> interval = jackknife_interval(whole[m], without[m], {0, 1});
    interval[0] = std::max(0.0, interval[0] - std::max(0.0, whole[m] - certain[m]));
    rows[m]->output_share_interval = interval;
    shares_without.emplace(std::pair(rows[m]->value, rows[m]->quantized), std::move(without[m]));
  }
  return shares_without;
}

}  // namespace quantlens
