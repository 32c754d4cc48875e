// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tensorboard/event_tensors.h"

#include <algorithm>

#include <fmt/format.h>

namespace quantlens {
namespace {

bool is_number(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// "weight" of "layer.0.conv.weight"; what ends in a number is called by more.
std::string parameter_name(const std::string& weight) {
  const std::string path = event_path(weight);
  const std::string last = path.substr(path.rfind('/') + 1);
  const std::string word = last.substr(last.rfind('.') + 1);
  return word.empty() || is_number(word) ? last : word;
}

std::optional<EventCodes> codes_of_pair(const ValuePair& pair) {
  if (!pair.scheme || !pair.params) return std::nullopt;
  const DType dtype = pair.scheme->dtype;
  return EventCodes{*pair.params, dtype == DType::int8 || dtype == DType::int4};
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

std::vector<EventTensor> event_tensors(const Pairing& pairing, const EventNames& names) {
  std::vector<EventTensor> tensors;
  std::set<std::string, std::less<>> taken;
  for (const ValuePair& pair : pairing.pairs) {
    const bool is_known = pair.same_as && *pair.same_as < pairing.pairs.size();
    const ValuePair& counted = is_known ? pairing.pairs[*pair.same_as] : pair;
    tensors.push_back({.tag = claimed(names.op(pair.op) + "/Output", taken),
                       .reference = counted.reference,
                       .quantized = counted.quantized,
                       .codes = codes_of_pair(counted)});
  }
  for (const WeightPair& weight : pairing.weights) {
    const std::string tag =
        fmt::format("{}/{}", names.op(weight.op), parameter_name(weight.reference));
    tensors.push_back({.tag = claimed(tag, taken),
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
