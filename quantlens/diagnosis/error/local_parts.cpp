// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/local_parts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>

#include "quantlens/diagnosis/view/alike.h"
#include "quantlens/diagnosis/view/gathered.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/quant/distribution.h"

namespace quantlens {
namespace {

/// What the codes of a value make of what the reference computed.
struct CodeError {
  double rounding = 0, clipping = 0;
  double most_clipping = 0;  // where `clipping` is an estimate: all lie as far out as the farthest
  double energy = 0;         // mean square of the value itself
  double sum() const { return rounding + clipping; }
};

double energy_of(const PairStats& stats) {
  return stats.variance_x() + stats.mean_x() * stats.mean_x();
}

/// Of codes with a scale for each channel: steps of evenly spread values.
double channel_rounding(const std::vector<QParams>& channels) {
  double sum = 0;
  for (const QParams& params : channels) sum += double{params.scale} * params.scale / 12;
  return sum / static_cast<double>(channels.size());
}

/// Likewise: what lies beyond them, were it all as far out as the farthest value of a channel.
double most_channel_clipping(const ValuePair& pair, const PairedStats& gathered) {
  const auto& channels = gathered.reference_channels.channels();
  if (pair.channel_axis != pair.scheme->axis || channels.size() != pair.channel_params.size()) {
    return 0;
  }
  double farthest = 0;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (channels[c].finite == 0) continue;
    const Range range = unclipped(pair.channel_params[c], pair.scheme->dtype);
    farthest = std::max(
        {farthest, double{range.min} - channels[c].min, double{channels[c].max} - range.max});
  }
  return gathered.pairs.clip_rate() * farthest * farthest;
}

CodeError code_error(const ValuePair& pair, const PairedStats& gathered) {
  CodeError error{.energy = energy_of(gathered.pairs)};
  if (!pair.params || !pair.scheme || gathered.reference_histogram.empty()) return error;
  if (!pair.channel_params.empty()) {
    error.rounding = channel_rounding(pair.channel_params);
    error.most_clipping = most_channel_clipping(pair, gathered);
    error.clipping = error.most_clipping / 3;  // spread evenly up to there
    return error;
  }
  const PairStats::Extremes& extremes = gathered.pairs.extremes();
  const Distribution values(gathered.reference_histogram, {extremes.min_x, extremes.max_x});
  const Distribution::Error parts =
      values.expected_error(*pair.params, code_limits(pair.scheme->dtype));
  error.rounding = parts.rounding;
  error.clipping = parts.saturation;
  return error;
}

class Parts {
 public:
  Parts(const GraphIndex& reference, const Pairing& pairing, const GatheredErrors& gathered,
        const Diagnosis& diagnosis)
      : reference_(reference),
        rounded_(gathered.rounded_weights),
        rounded_inputs_(gathered.rounded_inputs) {
    for (const ValuePair& pair : pairing.pairs) {
      const ValuePair& source = pair.same_as ? pairing.pairs.at(*pair.same_as) : pair;
      const PairedStats* stats =
          gathered_of(gathered.accumulated, source.reference, source.quantized);
      if (stats == nullptr) continue;
      const CodeError error = code_error(source, *stats);
      of_side_[pair.quantized] = error;
      CodeError& worst = of_value_[pair.reference];
      if (error.sum() >= worst.sum()) worst = error;
    }
    for (const WeightRow& row : diagnosis.weights) weight_of_[row.op.id] = &row;
  }

  void split(ActivationRow& row) const {
    const auto own = of_side_.find(row.quantized);
    if (!row.local_mse || own == of_side_.end()) return;
    double rest = *row.local_mse;
    const auto take = [&rest](double part) {
      part = std::clamp(part, 0.0, rest);
      rest -= part;
      return part;
    };
    row.clipping_mse = take(own->second.clipping);
    row.rounding_mse = take(own->second.rounding);
    row.weight_mse = 0;
    row.input_mse = rest;
    row.other_mse = 0;
    const PairedStats* inputs = beside(rounded_inputs_, row);
    // the float op makes no numbers of some inputs as their codes mean them (the logarithm of what
    // became 0): no figure holds what they do, and the rest stays theirs
    if (inputs != nullptr && inputs->pairs.nonfinite() > row.nonfinite) return;
    if (inputs != nullptr) {
      split_all_measured(own->second, inputs->pairs.mse(), row);
    } else if (has_weight(row)) {
      split_rest(weight_of(row), own->second.energy, row);
    }
  }

 private:
  bool has_weight(const ActivationRow& row) const {
    const std::optional<std::size_t> op = reference_.producer(row.op.id);
    if (!op) return false;
    const Node& node = reference_.graph().nodes[*op];
    return multiplies_by_weight(node.kind) &&
           reference_.constant(quantlens::weight_of(node)) != nullptr;
  }

  /// Null where the quantized model's weight was not found to be this one.
  const WeightRow* weight_of(const ActivationRow& row) const {
    const auto found = weight_of_.find(row.op.id);
    return found == weight_of_.end() ? nullptr : found->second;
  }

  /// Of an op with a weight. In its sums the relative errors of both factors count alike.
  void split_rest(const WeightRow* weight, double energy, ActivationRow& row) const {
    const std::optional<std::size_t> op = reference_.producer(row.op.id);
    const auto input =
        op ? of_value_.find(reference_.graph().nodes[*op].inputs.front()) : of_value_.end();
    if (input == of_value_.end()) return;
    const CodeError& codes = input->second;
    const double scale = std::max(energy, weight ? white_energy(*weight, codes.energy) : 0);
    const double of_input = codes.energy > 0 ? scale * codes.sum() / codes.energy : 0;
    const PairedStats* rounded =
        rounded_ == nullptr ? nullptr : gathered_of(*rounded_, row.value, row.value);
    if (rounded != nullptr) {
      split_measured(rounded->pairs.mse(), of_input, row);
    } else {
      split_likely(weight ? scale * std::pow(10.0, -weight->sqnr_db / 10) : 0, of_input, row);
    }
  }

  static const PairedStats* beside(const TapState* state, const ActivationRow& row) {
    return state == nullptr ? nullptr : gathered_of(*state, row.value, row.value);
  }

  /// By what inputs alone and the weight or constants alone make of the float op. Errors may add
  /// up, at most as lengths do: what is more than that has another cause, whatever the op computes.
  void split_all_measured(const CodeError& codes, double of_input, ActivationRow& row) const {
    double of_weight = 0;
    if (const PairedStats* weight = beside(rounded_, row)) {
      of_weight = weight->pairs.mse();
    } else if (const WeightRow* stored = has_weight(row) ? weight_of(row) : nullptr) {
      of_weight = codes.energy * std::pow(10.0, -stored->sqnr_db / 10);
    }
    const double rest = *row.input_mse;
    const double both = of_weight + of_input;
    double length = kFloatRounding * std::sqrt(codes.energy);
    for (const double one : {codes.clipping, codes.rounding, of_weight, of_input}) {
      length += std::sqrt(one);
    }
    const bool is_explained = rest <= both || *row.local_mse <= length * length;
    const double factor = is_explained ? (both > 0 ? rest / both : 0) : 1;
    row.weight_mse = factor * of_weight;
    row.input_mse = both > 0 || !is_explained ? factor * of_input : rest;
    row.other_mse = is_explained ? 0 : rest - both;
    const double more =
        std::min(*row.other_mse, std::max(0.0, codes.most_clipping - *row.clipping_mse));
    row.clipping_mse = *row.clipping_mse + more;
    row.other_mse = *row.other_mse - more;
  }

  /// By what the weight is likely to make; what is far beyond both has another cause.
  static void split_likely(double of_weight, double of_input, ActivationRow& row) {
    const double rest = *row.input_mse;
    const double both = of_weight + of_input;
    const double explained = std::min(rest, kFarBeyond * both);
    row.weight_mse = both > 0 ? explained * of_weight / both : 0;
    row.input_mse = both > 0 ? explained * of_input / both : 0;
    row.other_mse = rest - explained;
  }

  /// By what the weight makes alone. Less than both is left where they or a bias make up for some.
  static void split_measured(double of_weight, double of_input, ActivationRow& row) {
    const double rest = *row.input_mse;
    const double both = of_weight + of_input;
    row.weight_mse = both > rest ? rest * of_weight / both : of_weight;
    row.input_mse = std::min(rest - *row.weight_mse, kFarBeyond * of_input);
    row.other_mse = rest - *row.weight_mse - *row.input_mse;
  }

  /// Mean square of the weight's results, if what it is multiplied with were white noise.
  double white_energy(const WeightRow& weight, double of_input) const {
    const Tensor* stored = reference_.constant(weight.weight);
    if (stored == nullptr || weight.channels == 0) return 0;
    const double terms = static_cast<double>(stored->size()) / static_cast<double>(weight.channels);
    const double square = weight.reference.variance + weight.reference.mean * weight.reference.mean;
    return of_input * terms * square;
  }

  static constexpr double kFarBeyond = 4;  // 6 dB
  /// Of a value's length: sums of floats taken in another order.
  static constexpr double kFloatRounding = 1e-5;

  const GraphIndex& reference_;
  const TapState* rounded_;
  const TapState* rounded_inputs_;
  std::unordered_map<std::string, CodeError> of_side_;   // by tensor of the quantized model
  std::unordered_map<std::string, CodeError> of_value_;  // by value; the worst of its sides
  std::unordered_map<std::string, const WeightRow*> weight_of_;
};

}  // namespace

void add_local_parts(const GraphIndex& reference, const Pairing& pairing,
                     const GatheredErrors& gathered, Diagnosis& diagnosis) {
  const Parts parts(reference, pairing, gathered, diagnosis);
  for (ActivationRow& row : diagnosis.activations) parts.split(row);
}

}  // namespace quantlens
