// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tensorboard/event_tensors.h"

#include <algorithm>

#include <fmt/format.h>

namespace quantlens {
namespace {

bool is_number(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// "weight" of "layer.0.conv.weight"; what ends in a number is called by more, and what is a number
/// by its role.
std::string parameter_name(const std::string& weight) {
  const std::string path = event_path(weight);
  const std::string last = path.substr(path.rfind('/') + 1);
  if (is_number(last)) return "weight";
  const std::string word = last.substr(last.rfind('.') + 1);
  return word.empty() || is_number(word) ? last : word;
}

/// The tags of a network's results and constants, as the network alone tells them.
class TensorTags {
 public:
  TensorTags(const GraphOutline& graph, const EventNames& names) : names_(names) {
    std::set<std::string, std::less<>> constants;
    for (const ValueOutline& value : graph.weights) constants.insert(value.name);
    for (const OpOutline& op : graph.ops) learn(op, constants);
  }

  /// Of another quantized side of a value that was told already, a tag of its own.
  std::string of_result(const ValuePair& pair) {
    const auto place = places_.find(pair.reference);
    return one_of(output_tag(names_.op(pair.op), place == places_.end() ? 0 : place->second));
  }

  std::string of_weight(const WeightPair& weight) {
    const auto known = parameters_.find({weight.op.id, weight.reference});
    return one_of(known != parameters_.end()
                      ? known->second
                      : parameter_tag(names_.op(weight.op), weight.reference));
  }

 private:
  static std::string output_tag(const std::string& op, std::size_t place) {
    return place == 0 ? op + "/Output" : fmt::format("{}/Output_{}", op, place + 1);
  }

  static std::string parameter_tag(const std::string& op, const std::string& weight) {
    return fmt::format("{}/{}", op, parameter_name(weight));
  }

  void learn(const OpOutline& op, const std::set<std::string, std::less<>>& constants) {
    const std::string path = names_.op({op.op, op.name});
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      if (op.scope.empty()) places_.emplace(op.outputs[i], i);
      known_.insert(output_tag(path, i));
    }
    for (const std::string& input : op.inputs) {
      if (!constants.contains(input) || parameters_.contains({op.op, input})) continue;
      parameters_[{op.op, input}] = claimed(parameter_tag(path, input), known_);
    }
  }

  /// A tag of the network goes to the first that asks for it, and to nothing else.
  std::string one_of(std::string tag) {
    const bool is_first = given_.insert(tag).second;
    return is_first && known_.contains(tag) ? tag : claimed(std::move(tag), known_);
  }

  const EventNames& names_;
  std::unordered_map<std::string, std::size_t> places_;  // of values among their op's results
  std::map<std::pair<std::string, std::string>, std::string> parameters_;  // by op's id and name
  std::set<std::string, std::less<>> known_, given_;
};

std::optional<EventCodes> codes_of_pair(const ValuePair& pair) {
  if (!pair.scheme || !pair.params) return std::nullopt;
  return EventCodes{*pair.params, has_signed_codes(pair.scheme->dtype)};
}

/// Figures of one side. Pairs of which the other side is not finite are in the histogram alone;
/// then the sums are those of the pairs that were summed.
void put_figures(EventBuckets& buckets, double least, double greatest, double sum, double squares) {
  for (const double count : buckets.counts) buckets.count += count;
  buckets.min = least;
  buckets.max = greatest;
  buckets.sum = sum;
  buckets.sum_squares = squares;
}

}  // namespace

std::vector<EventTensor> event_tensors(const Pairing& pairing, const GraphOutline& reference,
                                       const EventNames& names) {
  std::vector<EventTensor> tensors;
  TensorTags tags(reference, names);
  for (const ValuePair& pair : pairing.pairs) {
    const bool is_known = pair.same_as && *pair.same_as < pairing.pairs.size();
    const ValuePair& counted = is_known ? pairing.pairs[*pair.same_as] : pair;
    tensors.push_back({.tag = tags.of_result(pair),
                       .reference = counted.reference,
                       .quantized = counted.quantized,
                       .codes = codes_of_pair(counted)});
  }
  for (const WeightPair& weight : pairing.weights) {
    tensors.push_back({.tag = tags.of_weight(weight),
                       .reference = weight.reference,
                       .quantized = weight.quantized,
                       .codes = {}});
  }
  return tensors;
}

std::optional<EventBuckets> reference_buckets(const PairedStats& pair) {
  if (pair.reference_histogram.empty()) return std::nullopt;
  EventBuckets buckets = buckets_of(pair.reference_histogram);
  const PairStats& pairs = pair.pairs;
  const auto count = static_cast<double>(pairs.count());
  put_figures(buckets, pairs.extremes().min_x, pairs.extremes().max_x, pairs.mean_x() * count,
              pairs.sums().xx);
  return buckets;
}

std::optional<EventBuckets> quantized_buckets(const PairedStats& pair,
                                              const std::optional<EventCodes>& codes) {
  EventBuckets buckets;
  if (!pair.quantized_histogram.empty())
    buckets = buckets_of(pair.quantized_histogram);
  else if (codes && pair.code_histogram.count() > 0)
    buckets = buckets_of(pair.code_histogram, codes->params, codes->is_signed);
  if (buckets.limits.empty()) return std::nullopt;
  const PairStats& pairs = pair.pairs;
  const auto count = static_cast<double>(pairs.count());
  put_figures(buckets, pairs.extremes().min_y, pairs.extremes().max_y, pairs.mean_y() * count,
              pairs.sums().yy);
  return buckets;
}

}  // namespace quantlens
