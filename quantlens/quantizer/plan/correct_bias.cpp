// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/plan/correct_bias.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "quantlens/graph/order.h"
#include "quantlens/graph/ranks.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quant/params.h"
#include "quantlens/quantizer/analyze/weight_layout.h"
#include "quantlens/quantizer/plan/parameters.h"
#include "quantlens/record/op_refs.h"

namespace quantlens {
namespace {

/// Mean and mean square of what rounding a weight adds to one output channel.
struct Shift {
  double mean = 0;
  double variance = 0;
};

std::vector<Shift> shifts_of(const WeightLayout& layout, std::span<const float> before,
                             std::span<const float> after,
                             const std::vector<ChannelMoments::Channel>& channels) {
  std::vector<double> means;
  std::vector<double> variances;
  for (const ChannelMoments::Channel& channel : channels) {
    means.push_back(channel.finite == 0 ? 0 : channel.mean());
    variances.push_back(channel.finite == 0 ? 0 : channel.variance());
  }
  std::vector<Shift> shifts(layout.outputs);
  for (std::size_t o = 0; o < layout.outputs; ++o) {
    for (std::size_t i = 0; i < layout.inputs; ++i) {
      const std::size_t channel = layout.first_input(o) + i;
      double sum = 0;
      double squares = 0;
      for (std::size_t k = 0; k < layout.taps; ++k) {
        const std::size_t at = layout.at(o, i, k);
        const double error = static_cast<double>(after[at]) - before[at];
        sum += error;
        squares += error * error;
      }
      shifts[o].mean += sum * means[channel];
      shifts[o].variance += squares * variances[channel];
    }
  }
  return shifts;
}

/// By how much the mean square falls when the means go.
double gain_db(const std::vector<Shift>& shifts) {
  double means = 0;
  double variances = 0;
  for (const Shift& shift : shifts) {
    means += shift.mean * shift.mean;
    variances += shift.variance;
  }
  constexpr double kMost = 100;  // a constant input leaves no variance at all
  if (means == 0) return 0;
  return variances == 0 ? kMost : std::min(kMost, 10 * std::log10(1 + means / variances));
}

/// The constants of a plan by the input that reads them.
class Readers {
 public:
  explicit Readers(Plan& plan) : plan_(plan) {
    for (std::size_t w = 0; w < plan.weights_quantized.size(); ++w) {
      for (const ValueUse& use : plan.weights_quantized[w].uses) codes_[key(use)] = w;
    }
    for (std::size_t e = 0; e < plan.input_edits.size(); ++e) {
      edits_[key(plan.input_edits[e].use)] = e;
    }
  }

  /// The codes that are read there; null: none.
  const WeightPlan* codes(const ValueUse& use) const {
    const auto found = codes_.find(key(use));
    return found == codes_.end() ? nullptr : &plan_.weights_quantized[found->second];
  }

  /// From now on that input reads these codes, and no others.
  void read_codes(const ValueUse& use, WeightPlan codes) {
    codes.uses = {use};
    if (const auto found = codes_.find(key(use)); found != codes_.end()) {
      WeightPlan& before = plan_.weights_quantized[found->second];
      if (before.uses.size() == 1) {
        before = std::move(codes);
        return;
      }
      std::erase(before.uses, use);
    }
    codes_[key(use)] = plan_.weights_quantized.size();
    plan_.weights_quantized.push_back(std::move(codes));
  }

  /// From now on that input of `node` reads this float tensor.
  void read_weight(const ValueUse& use, const Node& node, const std::string& name) {
    if (const auto found = edits_.find(key(use)); found != edits_.end()) {
      plan_.input_edits[found->second].weight = name;
      return;
    }
    edits_[key(use)] = plan_.input_edits.size();
    plan_.input_edits.push_back(
        {.use = use,
         .weight = name,
         .original = use.input < node.inputs.size() ? node.inputs[use.input] : ""});
  }

 private:
  using Key = std::pair<std::string, std::uint64_t>;
  static Key key(const ValueUse& use) { return {use.op, use.input}; }

  Plan& plan_;
  std::map<Key, std::size_t> codes_, edits_;
};

/// Where a pattern's bias is read: an input of its op, or of the Add behind a MatMul.
struct BiasPlace {
  const Node* node = nullptr;
  std::size_t input = 0;
  ValueUse use() const { return {op_id(*node), input}; }
};

/// A bias and what becomes of it.
struct Change {
  Tensor before, after;
};

class Corrector {
 public:
  explicit Corrector(const Analyzed& analyzed)
      : graph_(analyzed.model.graph), prepared_(analyzed.prepared), index_(analyzed.index) {}

  std::vector<ValueChannels> wanted(const std::set<std::string>& calibrated) const {
    const std::unordered_map<std::string, std::size_t> ranks = quantlens::ranks(index_);
    std::vector<ValueChannels> all;
    std::set<std::string> seen;
    for (const Pattern& pattern : prepared_.patterns) {
      const Node& node = graph_.nodes[pattern.anchor];
      const Tensor* weight = weight_of(node);
      if (weight == nullptr || !weight_layout(node, weight->shape()) || !bias_place(pattern))
        continue;
      const std::string& value = node.inputs[0];
      const std::optional<int> axis = channel_axis(node, ranks);
      if (!axis || !calibrated.contains(range_source(index_, value))) continue;
      if (seen.insert(value).second) all.push_back({value, *axis});
    }
    return all;
  }

  void correct(const TapState& statistics, Plan& plan) {
    for (const ValueStats& stats : statistics.values) {
      if (stats.channel_axis >= 0) channels_[stats.value] = &stats.channels.channels();
    }
    for (const ActivationPlan& one : plan.activations) input_scales_[one.value] = one.params.scale;
    Readers readers(plan);
    for (const Pattern& pattern : prepared_.patterns) correct(pattern, readers, plan);
  }

 private:
  /// Of the channels of what `node` multiplies; nothing where that is not known.
  static std::optional<int> channel_axis(
      const Node& node, const std::unordered_map<std::string, std::size_t>& ranks) {
    if (const auto* convolution = role<roles::Convolution>(node))
      return static_cast<int>(convolution->channel_axis);
    if (node.kind == Kind::gemm) return 1;
    const auto rank = ranks.find(node.inputs[0]);
    if (rank == ranks.end() || rank->second == 0) return std::nullopt;
    return static_cast<int>(rank->second) - 1;
  }

  const Tensor* weight_of(const Node& node) const {
    const Tensor* weight = constant_weight(prepared_, index_, node);
    return weight && weight->dtype() == DType::float32 ? weight : nullptr;
  }

  std::optional<BiasPlace> bias_place(const Pattern& pattern) const {
    const Node& node = graph_.nodes[pattern.anchor];
    if (node.kind != Kind::matmul) {
      const std::optional<std::size_t> input = operands_of(node)->bias;
      return input ? std::optional(BiasPlace{&node, *input}) : std::nullopt;
    }
    const std::optional<std::size_t> add = bias_add(index_, pattern);
    if (!add) return std::nullopt;
    const Node& next = graph_.nodes[*add];
    return BiasPlace{&next, bias_input(index_, next).value()};
  }

  /// The bias that is read there, zeros where there is none; nothing where it cannot be corrected.
  std::optional<Tensor> bias_at(const BiasPlace& place, std::size_t outputs) const {
    const auto count = static_cast<std::int64_t>(outputs);
    const Tensor* stored = constant_input(prepared_, index_, *place.node, place.input);
    if (stored == nullptr) {
      const bool absent =
          place.node->inputs.size() <= place.input || place.node->inputs[place.input].empty();
      if (!absent) return std::nullopt;
      return Tensor::from<float>({count}, std::vector<float>(outputs, 0.0F));
    }
    const bool fits = stored->dtype() == DType::float32 && stored->size() == count &&
                      !stored->shape().empty() && stored->shape().back() == count;
    return fits ? std::optional(aligned(*stored)) : std::nullopt;
  }

  void correct(const Pattern& pattern, Readers& readers, Plan& plan) const {
    const Node& node = graph_.nodes[pattern.anchor];
    const Tensor* stored = weight_of(node);
    if (stored == nullptr) return;
    const WeightPlan* codes = readers.codes({op_id(node), operands_of(node)->weight});
    const std::optional<BiasPlace> place = bias_place(pattern);
    if (codes == nullptr || !place) return;
    const auto layout = weight_layout(node, stored->shape());
    const auto channels = channels_.find(node.inputs[0]);
    if (!layout || channels == channels_.end() ||
        channels->second->size() != layout->inputs * layout->groups) {
      return;
    }
    const std::optional<Tensor> bias = bias_at(*place, layout->outputs);
    if (!bias) return;
    const Tensor weight = aligned(*stored);
    const Tensor rounded = dequantize(quantize(weight, codes->params, codes->scheme), codes->params,
                                      codes->scheme.axis);
    const std::vector<Shift> shifts =
        shifts_of(*layout, weight.data<float>(), rounded.data<float>(), *channels->second);
    const std::optional<Tensor> corrected = without(*bias, shifts);
    if (!corrected || !store(*place, {*bias, *corrected}, *codes, readers, plan)) return;
    plan.effects.push_back({.algorithm = AccuracyAlgorithm::bias_correction,
                            .op = ref_of(node),
                            .gain_db = gain_db(shifts)});
  }

  static std::optional<Tensor> without(const Tensor& bias, const std::vector<Shift>& shifts) {
    const auto values = bias.data<float>();
    std::vector<float> corrected(values.size());
    for (std::size_t o = 0; o < corrected.size(); ++o) {
      corrected[o] = static_cast<float>(values[o] - shifts[o].mean);
      if (!std::isfinite(corrected[o])) return std::nullopt;
    }
    return Tensor::from<float>(bias.shape(), std::move(corrected));
  }

  /// Has the corrected bias read in place of the old one, as codes where that was, or where there
  /// was none; false where it cannot be.
  bool store(const BiasPlace& place, const Change& bias, const WeightPlan& weight, Readers& readers,
             Plan& plan) const {
    const ValueUse use = place.use();
    const std::string name = use.op + "/bias/corrected";
    std::optional<WeightPlan> codes;
    if (const WeightPlan* before = readers.codes(use)) {
      codes = *before;
      codes->weight = name;
    } else if (prepared_.able->rules().integer_bias &&
               constant_input(prepared_, index_, *place.node, place.input) == nullptr) {
      codes = bias_codes(name, *place.node, weight);
      if (!codes) return false;
    }
    plan.weights[name] = codes ? fitting(bias, codes->params) : bias.after;
    if (codes) readers.read_codes(use, std::move(*codes));
    readers.read_weight(use, *place.node, name);
    return true;
  }

  /// The corrected bias; of channels where that does not fit, the old one. Half of int32 is left
  /// for the sum of products.
  static Tensor fitting(const Change& bias, const std::vector<QParams>& params) {
    constexpr double kLargestCode = 1 << 30;
    const auto wanted = bias.after.data<float>();
    std::vector<float> values(wanted.begin(), wanted.end());
    for (std::size_t o = 0; o < values.size(); ++o) {
      const QParams& one = params[params.size() == 1 ? 0 : o];
      if (!(std::abs(values[o]) <= kLargestCode * one.scale))
        values[o] = bias.before.data<float>()[o];
    }
    return Tensor::from<float>(bias.after.shape(), std::move(values));
  }

  /// A new bias in int32, with the scale of the sums that it is added to; nothing where the input's
  /// scale is not known.
  std::optional<WeightPlan> bias_codes(const std::string& name, const Node& node,
                                       const WeightPlan& weight) const {
    const auto input_scale = input_scales_.find(node.inputs[0]);
    if (input_scale == input_scales_.end()) return std::nullopt;
    Scheme scheme{.dtype = DType::int32, .symmetric = true, .axis = {}, .bits = 32};
    if (weight.scheme.axis) scheme.axis = 0;
    std::vector<QParams> params;
    for (const QParams& one : weight.params) {
      params.push_back({.scale = one.scale * input_scale->second, .zero_point = 0});
    }
    return WeightPlan{.weight = name, .scheme = scheme, .params = std::move(params), .uses = {}};
  }

  const Graph& graph_;
  const Prepared& prepared_;
  const GraphIndex& index_;
  std::unordered_map<std::string, const std::vector<ChannelMoments::Channel>*> channels_;
  std::unordered_map<std::string, float> input_scales_;  // of values that are codes
};

}  // namespace

std::vector<ValueChannels> channels_for_bias(const Analyzed& analyzed,
                                             const std::set<std::string>& calibrated) {
  return Corrector(analyzed).wanted(calibrated);
}

void correct_biases(const Analyzed& analyzed, const TapState& statistics, Plan& plan) {
  Corrector(analyzed).correct(statistics, plan);
}

}  // namespace quantlens
