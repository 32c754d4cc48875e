// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/edit/equalize.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/graph/clip_bounds.h"
#include "quantlens/graph/order.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quant/params.h"
#include "quantlens/quantizer/analyze/weight_layout.h"
#include "quantlens/quantizer/plan/parameters.h"
#include "quantlens/quantizer/recipe/recipe_rules.h"
#include "quantlens/record/op_refs.h"

namespace quantlens {
namespace {

using Numbers = std::vector<double>;

/// An op that multiplies by a constant weight, and by what its channels are scaled.
struct Layer {
  const Node* node = nullptr;
  WeightLayout layout;
  Tensor weight;  ///< as prepared: with a batch norm folded into it
  Numbers in;     ///< input channel i of the weight is multiplied by in[i]
  Numbers out;    ///< what it makes is divided by out[o]

  double factor(std::size_t o, std::size_t i) const {
    return in[layout.first_input(o) + i] / out[o];
  }
};

/// A constant that is divided by a layer's `out`, along its last axis.
struct Bias {
  const Node* node = nullptr;
  std::size_t input = 0;
};

/// One layer whose channels only others read.
struct Pair {
  std::size_t writer = 0;            ///< number of its node
  std::vector<std::size_t> readers;  ///< ascending, none twice
  bool is_exact = true;
};

template <class Do>
void for_each_element(const WeightLayout& layout, const Do& apply) {
  for (std::size_t o = 0; o < layout.outputs; ++o) {
    for (std::size_t i = 0; i < layout.inputs; ++i) {
      for (std::size_t k = 0; k < layout.taps; ++k) apply(o, i, layout.at(o, i, k));
    }
  }
}

Numbers output_ranges(const Layer& layer) {
  Numbers ranges(layer.layout.outputs, 0.0);
  const auto values = layer.weight.data<float>();
  for_each_element(layer.layout, [&](std::size_t o, std::size_t i, std::size_t at) {
    ranges[o] = std::max(ranges[o], std::abs(values[at] * layer.factor(o, i)));
  });
  return ranges;
}

void widen_by_inputs(const Layer& layer, Numbers& ranges) {
  const auto values = layer.weight.data<float>();
  for_each_element(layer.layout, [&](std::size_t o, std::size_t i, std::size_t at) {
    double& range = ranges[layer.layout.first_input(o) + i];
    range = std::max(range, std::abs(values[at] * layer.factor(o, i)));
  });
}

/// Of those above zero; zero where there are none.
double median(Numbers numbers) {
  std::erase_if(numbers, [](double one) { return !(one > 0); });
  if (numbers.empty()) return 0;
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

/// The factors for channels of these ranges, as the header says.
Numbers factors(const Numbers& written, const Numbers& read) {
  Numbers result(written.size(), 1.0);
  const double usual_written = median(written);
  const double usual_read = median(read);
  if (usual_written == 0 || usual_read == 0) return result;
  for (std::size_t c = 0; c < result.size(); ++c) {
    const double most = written[c] / usual_written / kOutlier;
    if (!(most > 1)) continue;
    const double even = std::sqrt(written[c] / usual_written * (usual_read / read[c]));
    result[c] = std::clamp(even, 1.0, most);
  }
  return result;
}

bool is_finite(const Tensor& tensor) {
  return std::ranges::all_of(tensor.data<float>(), [](float one) { return std::isfinite(one); });
}

bool is_plain_float(const Tensor* tensor) {
  return tensor != nullptr && tensor->dtype() == DType::float32;
}

bool counts_by_second_axis(const Node& node) {
  return node.kind == Kind::conv;
}

class Equalizer {
 public:
  Equalizer(const Analyzed& analyzed, const Recipe& recipe)
      : graph_(analyzed.model.graph),
        prepared_(analyzed.prepared),
        index_(analyzed.index),
        recipe_(recipe) {
    for (const Fold& fold : analyzed.prepared.folds) {
      const bool is_first = folded_.emplace(fold.into, fold.op).second;
      const Node& node = graph_.nodes[index_.producer(fold.op).value()];
      if (!is_first || node.kind != Kind::batch_norm) chains_.insert(fold.into);
    }
  }

  Equalization run() {
    for (const Pattern& pattern : prepared_.patterns) add_pair(pattern);
    settle();
    Equalization result{.plan = {}, .is_exact = true, .pairs = pairs_.size(), .inexact = inexact_};
    for (const Pair& pair : pairs_) {
      if (!is_one(layers_.at(pair.writer)->out)) result.is_exact = result.is_exact && pair.is_exact;
    }
    for (const auto& [number, layer] : layers_) {
      if (!layer || (is_one(layer->in) && is_one(layer->out))) continue;
      if (!store(number, *layer, result.plan)) {
        result.plan = {};
        return result;
      }
    }
    return result;
  }

 private:
  static bool is_one(const Numbers& factors) {
    return std::ranges::all_of(factors, [](double one) { return one == 1; });
  }

  /// The node's layer; null: it can be no part of a pair.
  Layer* layer_at(std::size_t number) {
    const auto [at, is_new] = layers_.try_emplace(number);
    if (is_new) at->second = make_layer(graph_.nodes[number]);
    return at->second ? &*at->second : nullptr;
  }

  std::optional<Layer> make_layer(const Node& node) const {
    const bool multiplies =
        node.kind == Kind::conv || node.kind == Kind::gemm || node.kind == Kind::matmul;
    if (!multiplies || index_.uses(weight_of(node)).size() != 1 ||
        !is_plain_float(index_.constant(weight_of(node)))) {
      return std::nullopt;
    }
    const Tensor* weight = constant_input(prepared_, index_, node, operands_of(node)->weight);
    const auto layout = weight_layout(node, weight->shape());
    if (!layout) return std::nullopt;
    Layer layer{.node = &node,
                .layout = *layout,
                .weight = aligned(*weight),
                .in = Numbers(layout->inputs * layout->groups, 1.0),
                .out = Numbers(layout->outputs, 1.0)};
    return is_finite(layer.weight) ? std::optional(std::move(layer)) : std::nullopt;
  }

  /// The last op of a layer that is linear: a batch norm that is folded, an Add of a constant.
  std::size_t last_of(const Pattern& pattern) const {
    if (pattern.members.size() < 2) return pattern.anchor;
    const Node& anchor = graph_.nodes[pattern.anchor];
    const Node& next = graph_.nodes[pattern.members[1]];
    const auto folded = folded_.find(op_id(anchor));
    const bool is_folded = folded != folded_.end() && folded->second == op_id(next);
    const bool is_bias = anchor.kind == Kind::matmul && next.kind == Kind::add;
    return is_folded || is_bias ? pattern.members[1] : pattern.anchor;
  }

  /// What else than the weight is divided by `out`; nothing where that cannot be done.
  std::optional<std::vector<Bias>> biases_of(const Layer& layer, const Node& last) const {
    std::vector<Bias> biases;
    if (last.kind == Kind::batch_norm) {
      biases = {{&last, 1}, {&last, 2}};
    } else if (last.kind == Kind::add) {
      biases = {{&last, bias_input(index_, last).value()}};
    } else if (!bias_of(last).empty()) {
      biases = {{&last, *operands_of(last)->bias}};
    }
    const auto channels = static_cast<std::int64_t>(layer.layout.outputs);
    for (const Bias& bias : biases) {
      const Tensor* tensor = index_.constant(bias.node->inputs[bias.input]);
      const bool fits = is_plain_float(tensor) && !tensor->shape().empty() &&
                        tensor->shape().back() == channels && tensor->size() == channels;
      if (!fits) return std::nullopt;
    }
    return biases;
  }

  /// Whether more than a batch norm is folded into the pattern's ops: then it stays as it is, for
  /// not every constant of a chain has a number for each channel.
  bool ends_in_chain(const Pattern& pattern) const {
    return std::ranges::any_of(pattern.members, [&](std::size_t member) {
      return chains_.contains(op_id(graph_.nodes[member]));
    });
  }

  void add_pair(const Pattern& pattern) {
    if (ends_in_chain(pattern)) return;
    const Layer* writer = layer_at(pattern.anchor);
    if (writer == nullptr) return;
    const std::size_t last = last_of(pattern);
    const bool ends_early = last == pattern.anchor && folded_.contains(op_id(*writer->node));
    auto biases = biases_of(*writer, graph_.nodes[last]);
    if (ends_early || !biases) return;
    Pair pair{.writer = pattern.anchor, .readers = {}, .is_exact = true};
    if (!follow(op_id(graph_.nodes[last]), *writer, pair) || pair.readers.empty()) return;
    if (!pair.is_exact &&
        recipe_.recipes.cross_layer_equalization != AskedEqualization::approximate) {
      ++inexact_;
      return;
    }
    std::ranges::sort(pair.readers);
    pairs_.push_back(std::move(pair));
    biases_[pattern.anchor] = std::move(*biases);
  }

  /// Gathers what reads the value, through all that scales with it; false where something does not.
  bool follow(const std::string& from, const Layer& writer, Pair& pair) {
    std::vector<std::string> open{from};
    while (!open.empty()) {
      const std::string value = std::move(open.back());
      open.pop_back();
      if (index_.is_output(value)) return false;
      for (const Use& use : index_.uses(value)) {
        const Node& node = graph_.nodes[use.node];
        if (use.input != 0) return false;
        if (passes_on(node, writer, pair)) {
          open.push_back(op_id(node));
        } else if (reads(use.node, writer)) {
          pair.readers.push_back(use.node);
        } else {
          return false;
        }
      }
    }
    return true;
  }

  bool reads(std::size_t number, const Layer& writer) {
    const Layer* layer = layer_at(number);
    return layer != nullptr && layer->in.size() == writer.out.size() &&
           counts_by_second_axis(*layer->node) == counts_by_second_axis(*writer.node);
  }

  /// Whether the op makes of scaled channels what it made of them before, scaled.
  bool passes_on(const Node& node, const Layer& writer, Pair& pair) const {
    switch (node.kind) {
      case Kind::relu:
      case Kind::leaky_relu:
      case Kind::prelu:
      case Kind::identity:
        return true;
      case Kind::max_pool:
      case Kind::average_pool:
      case Kind::global_average_pool:
        return node.outputs.size() == 1 && counts_by_second_axis(*writer.node);
      case Kind::clip: {
        const auto bounds = clip_bounds(index_, node);
        if (!bounds || !(bounds->low <= 0) || !(bounds->high >= 0)) return false;
        const auto scales = [](float bound) { return bound == 0 || std::isinf(bound); };
        pair.is_exact = pair.is_exact && scales(bounds->low) && scales(bounds->high);
        return true;
      }
      default:
        return false;
    }
  }

  void settle() {
    constexpr int kMostRounds = 50;
    constexpr double kSettled = 1e-3;
    for (int round = 0; round < kMostRounds; ++round) {
      double most = 0;
      for (const Pair& pair : pairs_) most = std::max(most, balance(pair));
      if (most < kSettled) return;
    }
  }

  /// Returns the greatest change of a factor, as a logarithm.
  double balance(const Pair& pair) {
    Layer& writer = *layers_.at(pair.writer);
    Numbers written = output_ranges(writer);
    Numbers read(writer.out.size(), 0.0);
    for (const std::size_t reader : pair.readers) widen_by_inputs(*layers_.at(reader), read);
    for (std::size_t c = 0; c < read.size(); ++c) {  // without this pair's own factors
      written[c] *= writer.out[c];
      read[c] /= writer.out[c];
    }
    const Numbers wanted = factors(written, read);
    double most = 0;
    for (std::size_t c = 0; c < wanted.size(); ++c) {
      most = std::max(most, std::abs(std::log(wanted[c] / writer.out[c])));
    }
    writer.out = wanted;
    for (const std::size_t reader : pair.readers) layers_.at(reader)->in = wanted;
    return most;
  }

  /// False where a number is not finite any more.
  bool store(std::size_t number, const Layer& layer, Plan& plan) const {
    const Node& node = *layer.node;
    const std::string& original = weight_of(node);
    const bool is_folded = folded_.contains(op_id(node));
    if (!is_folded || !is_one(layer.in)) {  // the batch norm scales what is written
      Layer own = layer;
      own.weight = aligned(*index_.constant(original));
      if (is_folded) std::ranges::fill(own.out, 1.0);
      if (!add_edit({op_id(node), operands_of(node)->weight}, original, scaled(own), plan))
        return false;
    }
    if (const auto biases = biases_.find(number); biases != biases_.end() && !is_one(layer.out)) {
      for (const Bias& bias : biases->second) {
        const std::string& name = bias.node->inputs[bias.input];
        const Tensor tensor = aligned(*index_.constant(name));
        std::vector<float> values(tensor.data<float>().begin(), tensor.data<float>().end());
        for (std::size_t o = 0; o < values.size(); ++o) {
          values[o] = static_cast<float>(values[o] / layer.out[o]);
        }
        const Tensor divided = Tensor::from<float>(tensor.shape(), std::move(values));
        if (!add_edit({op_id(*bias.node), bias.input}, name, divided, plan)) return false;
      }
    }
    plan.effects.push_back({.algorithm = AccuracyAlgorithm::cross_layer_equalization,
                            .op = ref_of(node),
                            .gain_db = gain_db(layer)});
    return true;
  }

  static Tensor scaled(const Layer& layer) {
    const auto before = layer.weight.data<float>();
    std::vector<float> values(before.size());
    for_each_element(layer.layout, [&](std::size_t o, std::size_t i, std::size_t at) {
      values[at] = static_cast<float>(before[at] * layer.factor(o, i));
    });
    return Tensor::from<float>(layer.weight.shape(), std::move(values));
  }

  static bool add_edit(const ValueUse& use, const std::string& original, Tensor tensor,
                       Plan& plan) {
    if (!is_finite(tensor)) return false;
    std::string name = original + "/equalized";
    while (plan.weights.contains(name)) name += "/" + use.op;
    plan.weights.emplace(name, std::move(tensor));
    plan.input_edits.push_back({.use = use, .weight = name, .original = original});
    return true;
  }

  double gain_db(const Layer& layer) const {
    constexpr double kMost = 100;  // a weight that codes hold exactly
    const double before = rounding(layer, layer.weight);
    const double after = rounding(layer, scaled(layer));
    if (before == 0 && after == 0) return 0;
    if (before == 0 || after == 0) return before == 0 ? -kMost : kMost;
    return std::clamp(10 * std::log10(before / after), -kMost, kMost);
  }

  /// The mean over output channels of the rounding error's energy over the channel's.
  double rounding(const Layer& layer, const Tensor& weight) const {
    TensorRecipe recipe = recipe_.weight;
    if (recipe.dtype == AskedDtype::fp32)
      recipe.dtype = AskedDtype::int8;  // single ops may be integer all the same
    Scheme scheme = plain_scheme(recipe);
    if (recipe.granularity == Granularity::per_channel)
      scheme.axis = static_cast<int>(layer.layout.output_axis);
    std::vector<QParams> params;
    for (const Range& range : extremes(weight, scheme.axis)) {
      params.push_back(choose_params(range, scheme));
    }
    const Tensor rounded = dequantize(quantize(weight, params, scheme), params, scheme.axis);
    const auto exact = weight.data<float>();
    const auto coded = rounded.data<float>();
    Numbers energy(layer.layout.outputs, 0.0);
    Numbers error(layer.layout.outputs, 0.0);
    for_each_element(layer.layout, [&](std::size_t o, std::size_t, std::size_t at) {
      const double difference = static_cast<double>(coded[at]) - exact[at];
      energy[o] += static_cast<double>(exact[at]) * exact[at];
      error[o] += difference * difference;
    });
    double sum = 0;
    for (std::size_t o = 0; o < energy.size(); ++o) {
      if (energy[o] > 0) sum += error[o] / energy[o];
    }
    return sum;
  }

  const Graph& graph_;
  const Prepared& prepared_;
  const GraphIndex& index_;
  const Recipe& recipe_;
  std::map<std::string, std::string> folded_;  ///< batch norms by the id of their Conv
  std::set<std::string> chains_;               ///< ops that more is folded into
  std::map<std::size_t, std::optional<Layer>> layers_;
  std::map<std::size_t, std::vector<Bias>> biases_;  ///< by the writer's node number
  std::vector<Pair> pairs_;
  std::size_t inexact_ = 0;
};

}  // namespace

bool wants_equalization(const Recipe& recipe) {
  return recipe.recipes.cross_layer_equalization != AskedEqualization::false_;
}

Equalization equalize(const Analyzed& analyzed, const Recipe& recipe) {
  const RecipeRules checked(recipe);
  return Equalizer(analyzed, recipe).run();
}

}  // namespace quantlens
