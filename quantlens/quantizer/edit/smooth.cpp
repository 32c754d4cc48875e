// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/edit/smooth.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "quantlens/graph/order.h"
#include "quantlens/graph/ranks.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quantizer/analyze/weight_layout.h"
#include "quantlens/quantizer/plan/make_plan.h"
#include "quantlens/quantizer/plan/parameters.h"
#include "quantlens/record/op_refs.h"

namespace quantlens {
namespace {

using Doubles = std::vector<double>;

/// An op's weight, a row an input channel.
struct Product {
  const Node* node = nullptr;
  WeightLayout layout;
  Tensor weight;

  double at(std::size_t o, std::size_t i) const { return weight.data<float>()[layout.at(o, i, 0)]; }
};

/// Ops that read one value.
struct Group {
  std::string value;
  std::vector<Product> products;
};

/// What is known of a value's channels.
struct Channels {
  Doubles least, greatest, mean_square;
};

std::optional<Channels> channels_of(const ValueStats& stats) {
  Channels channels;
  for (const ChannelMoments::Channel& one : stats.channels.channels()) {
    if (one.finite == 0 || one.nonfinite > 0) return std::nullopt;
    channels.least.push_back(one.min);
    channels.greatest.push_back(one.max);
    channels.mean_square.push_back(one.variance() + one.mean() * one.mean());
  }
  return channels;
}

/// s for one a; 1 for channels that are zero throughout, and around 1 for the others.
Doubles factors(const Channels& channels, const Doubles& rows, double a) {
  Doubles logs(rows.size(), 0.0);
  double sum = 0;
  std::size_t count = 0;
  std::vector<bool> counts(rows.size(), false);
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const double x = std::max(channels.greatest[c], -channels.least[c]);
    if (!(x > 0) || !(rows[c] > 0)) continue;
    logs[c] = a * std::log(x) - (1 - a) * std::log(rows[c]);
    sum += logs[c];
    ++count;
    counts[c] = true;
  }
  Doubles result(rows.size(), 1.0);
  for (std::size_t c = 0; c < rows.size(); ++c) {
    if (counts[c]) result[c] = std::exp(logs[c] - sum / static_cast<double>(count));
  }
  return result;
}

/// The squared error of a row of products that codes of 8 bits are expected to make, but for a
/// factor that is the same for all `s`.
double expected_error(const Group& group, const Channels& channels, const Doubles& s,
                      bool by_channel) {
  double least = 0;
  double greatest = 0;
  double energy = 0;
  for (std::size_t c = 0; c < s.size(); ++c) {
    least = std::min(least, channels.least[c] / s[c]);
    greatest = std::max(greatest, channels.greatest[c] / s[c]);
    energy += channels.mean_square[c] / (s[c] * s[c]);
  }
  const double step = (greatest - least) / 255;
  double error = 0;
  for (const Product& product : group.products) {
    double squares = 0;
    Doubles widest(product.layout.outputs, 0.0);
    for (std::size_t o = 0; o < widest.size(); ++o) {
      for (std::size_t c = 0; c < s.size(); ++c) {
        const double w = product.at(o, c) * s[c];
        squares += w * w;
        widest[o] = std::max(widest[o], std::abs(w));
      }
    }
    if (!by_channel) std::ranges::fill(widest, *std::ranges::max_element(widest));
    error += step * step * squares;
    for (const double range : widest) error += range / 127 * (range / 127) * energy;
  }
  return error;
}

class Smoother {
 public:
  explicit Smoother(const Draft& draft)
      : graph_(draft.analyzed().model.graph),
        recipe_(draft.recipe()),
        index_(draft.analyzed().index) {
    const Prepared& prepared = draft.analyzed().prepared;
    const std::vector<std::string> values = draft.values_to_calibrate();
    const std::set<std::string> calibrated(values.begin(), values.end());
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!prepared.kept_float.contains(n)) add(graph_.nodes[n], calibrated);
    }
  }

  std::vector<ValueChannels> wanted() const {
    const auto ranks = quantlens::ranks(index_);
    std::vector<ValueChannels> all;
    for (const Group& group : groups_) {
      const auto rank = ranks.find(group.value);
      const bool is_gemm = group.products.front().node->kind == Kind::gemm;
      if (!is_gemm && (rank == ranks.end() || rank->second == 0)) continue;
      all.push_back({group.value, is_gemm ? 1 : static_cast<int>(rank->second) - 1});
    }
    return all;
  }

  Plan run(const TapState& statistics) const {
    std::unordered_map<std::string, const ValueStats*> known;
    for (const ValueStats& stats : statistics.values) known[stats.value] = &stats;
    Plan plan;
    for (const Group& group : groups_) {
      const auto stats = known.find(group.value);
      if (stats == known.end()) continue;
      const auto channels = channels_of(*stats->second);
      if (channels && channels->least.size() == group.products.front().layout.inputs) {
        smooth(group, *channels, plan);
      }
    }
    return plan;
  }

 private:
  void add(const Node& node, const std::set<std::string>& calibrated) {
    if ((node.kind != Kind::matmul && node.kind != Kind::gemm) || node.inputs.size() < 2) return;
    const Tensor* weight = index_.constant(weight_of(node));
    if (weight == nullptr || weight->dtype() != DType::float32 ||
        index_.uses(weight_of(node)).size() != 1) {
      return;
    }
    const auto layout = weight_layout(node, weight->shape());
    const std::string& value = data_of(node);
    if (!layout || index_.constant(value) || !calibrated.contains(range_source(index_, value))) {
      return;
    }
    const auto [at, is_new] = places_.try_emplace(value, groups_.size());
    if (is_new) groups_.push_back({.value = value, .products = {}});
    Group& group = groups_[at->second];
    if (!is_new && group.products.front().layout.inputs != layout->inputs) return;
    group.products.push_back({.node = &node, .layout = *layout, .weight = aligned(*weight)});
  }

  void smooth(const Group& group, const Channels& channels, Plan& plan) const {
    Doubles rows(channels.least.size(), 0.0);
    for (const Product& product : group.products) {
      for (std::size_t o = 0; o < product.layout.outputs; ++o) {
        for (std::size_t c = 0; c < rows.size(); ++c)
          rows[c] = std::max(rows[c], std::abs(product.at(o, c)));
      }
    }
    const bool by_channel = recipe_.weight.granularity == Granularity::per_channel;
    Doubles usual(rows.size(), 1.0);
    const double before = expected_error(group, channels, usual, by_channel);
    double least = before;
    Doubles best;
    for (const double a : alphas()) {
      Doubles s = factors(channels, rows, a);
      const double error = expected_error(group, channels, s, by_channel);
      if (!(error < least)) continue;
      least = error;
      best = std::move(s);
    }
    if (best.empty() || !(least > 0) || !std::isfinite(before)) return;
    const double gain = 10 * std::log10(before / least);
    if (gain >= kLeastGainDb) store(group, best, gain, plan);
  }

  Doubles alphas() const {
    if (!recipe_.recipes.smooth_quant_alphas.empty()) return recipe_.recipes.smooth_quant_alphas;
    return {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
  }

  static void store(const Group& group, const Doubles& s, double gain, Plan& plan) {
    std::vector<float> inverse(s.size());
    std::ranges::transform(s, inverse.begin(),
                           [](double one) { return static_cast<float>(1 / one); });
    std::vector<Tensor> weights;
    for (const Product& product : group.products) {
      const auto before = product.weight.data<float>();
      std::vector<float> values(before.size());
      for (std::size_t o = 0; o < product.layout.outputs; ++o) {
        for (std::size_t c = 0; c < s.size(); ++c) {
          const std::size_t at = product.layout.at(o, c, 0);
          values[at] = static_cast<float>(before[at] / static_cast<double>(inverse[c]));
        }
      }
      if (!std::ranges::all_of(values, [](float one) { return std::isfinite(one); })) return;
      weights.push_back(Tensor::from<float>(product.weight.shape(), std::move(values)));
    }
    if (!std::ranges::all_of(inverse, [](float one) { return std::isnormal(one); })) return;
    const std::string factor = group.value + "/smoothing";
    const auto channels = static_cast<std::int64_t>(s.size());
    plan.weights.emplace(factor, Tensor::from<float>({channels}, std::move(inverse)));
    Scaling scaling{.value = group.value, .factor = factor, .uses = {}};
    for (std::size_t p = 0; p < group.products.size(); ++p) {
      const Node& node = *group.products[p].node;
      const roles::Operands& operands = *operands_of(node);
      const std::string name = weight_of(node) + "/smoothed";
      plan.weights.emplace(name, std::move(weights[p]));
      plan.input_edits.push_back(
          {.use = {op_id(node), operands.weight}, .weight = name, .original = weight_of(node)});
      plan.effects.push_back(
          {.algorithm = AccuracyAlgorithm::smooth_quant, .op = ref_of(node), .gain_db = gain});
      scaling.uses.push_back({op_id(node), operands.data});
    }
    plan.scalings.push_back(std::move(scaling));
  }

  const Graph& graph_;
  const Recipe& recipe_;
  const GraphIndex& index_;
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace

std::vector<ValueChannels> channels_for_smoothing(const Draft& draft) {
  return Smoother(draft).wanted();
}

Plan smooth(const Draft& draft, const TapState& statistics) {
  return Smoother(draft).run(statistics);
}

}  // namespace quantlens
