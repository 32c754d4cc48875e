// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/match/match_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

namespace quantlens {
namespace {

constexpr std::size_t kMostElements = 2048;
constexpr std::size_t kFew = 8;       // fewer numbers are compared one by one
constexpr std::size_t kTelling = 32;  // numbers that do not point the same way by chance
constexpr double kTiny = 1e-5;        // counts as zero: what an epsilon becomes is no evidence
constexpr double kHuge = 1e4;         // counts as infinite: the mask of an attention
constexpr double kMostWork = 2e8;     // multiplications that best_counterparts may take

/// Places of a constant of `count` elements that are looked at, in ascending order.
std::vector<std::size_t> places(std::size_t count) {
  std::vector<std::size_t> at(std::min(count, kMostElements));
  for (std::size_t i = 0; i < at.size(); ++i) {
    const std::size_t first = i * count / at.size();
    const std::size_t next = (i + 1) * count / at.size();
    at[i] = first + (i * 2654435761U) % (next - first);
  }
  return at;
}

/// The elements at these places as a tensor of their own.
Tensor gathered(const Tensor& tensor, const std::vector<std::size_t>& at) {
  const std::size_t width = byte_size(tensor.dtype());
  auto bytes = std::make_shared<std::vector<std::byte>>(at.size() * width);
  for (std::size_t i = 0; i < at.size(); ++i) {
    std::memcpy(bytes->data() + i * width, tensor.bytes().data() + at[i] * width, width);
  }
  return {tensor.dtype(), {static_cast<std::int64_t>(at.size())}, *bytes, bytes};
}

/// Codes become values; with several scales each by that of its channel.
void dequantize_at(const Tensor& stored, const Codes& codes, const std::vector<std::size_t>& at,
                   std::vector<float>& values) {
  std::size_t inner = 1;
  const auto rank = static_cast<int>(stored.shape().size());
  for (int axis = codes.scheme.axis.value_or(0) + 1; axis < rank; ++axis) {
    inner *= static_cast<std::size_t>(stored.shape()[static_cast<std::size_t>(axis)]);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t channel = at[i] / std::max<std::size_t>(inner, 1) % codes.params.size();
    const QParams& params = codes.params[channel];
    values[i] = (values[i] - static_cast<float>(params.zero_point)) * params.scale;
  }
}

struct WeightProducts {
  double aa = 0, bb = 0, ab = 0, ee = 0;
  std::size_t count = 0;
};

double bounded(float value) {
  return std::clamp<double>(value, -kHuge, kHuge);
}

/// Whether two elements say nothing: one is no number, or an infinity that codes of its sign may
/// stand for.
bool says_nothing(float x, float y) {
  if (std::isnan(x) || std::isnan(y)) return true;
  return std::isinf(x) != std::isinf(y) && x * y > 0;
}

WeightProducts products(const std::vector<float>& a, const std::vector<float>& b) {
  WeightProducts sums;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (says_nothing(a[i], b[i])) continue;
    const double x = bounded(a[i]), y = bounded(b[i]);
    ++sums.count;
    sums.aa += x * x;
    sums.bb += y * y;
    sums.ab += x * y;
    sums.ee += (x - y) * (x - y);
  }
  return sums;
}

double agreement_of(const WeightProducts& sums, bool few, bool any_scale) {
  if (few && !any_scale) return 1 - std::sqrt(sums.ee / std::max(sums.aa, sums.bb));
  const double cosine = sums.ab / std::sqrt(sums.aa * sums.bb);
  constexpr double kLeastForScale = 0.1, kMostForScale = 0.2;
  const double scale = std::abs(std::log(sums.bb / sums.aa)) / 2;
  return any_scale ? cosine : cosine - std::min(kMostForScale, kLeastForScale * scale);
}

/// A shape or an axis may be written in several ways: a number, or 0 or less for one to be
/// inferred.
double agreement_of_spellings(const std::vector<float>& a, const std::vector<float>& b) {
  if (a == b) return 1;
  const bool may_be =
      std::ranges::equal(a, b, [](float x, float y) { return x == y || x <= 0 || y <= 0; });
  return may_be ? kAgrees : 0;
}

/// Of a matrix [length, lines]: columns are lines.
Sketch sketch_of_blocks(const BlockReader& blocks, bool swapped) {
  Sketch sketch{.values = {}, .count = blocks.lines() * blocks.length()};
  for (const std::size_t place : places(static_cast<std::size_t>(sketch.count))) {
    const auto at = static_cast<std::int64_t>(place);
    sketch.values.push_back(swapped ? blocks.value(at / blocks.length(), at % blocks.length())
                                    : blocks.value(at % blocks.lines(), at / blocks.lines()));
  }
  return sketch;
}

}  // namespace

std::vector<std::size_t> sketched_places(const FloatView::Constant& constant, bool swapped) {
  const Tensor& stored = *constant.stored;
  std::vector<std::size_t> at = places(static_cast<std::size_t>(stored.size()));
  if (swapped != constant.transposed && stored.shape().size() == 2) {
    const auto rows = static_cast<std::size_t>(stored.shape()[0]);
    const auto columns = static_cast<std::size_t>(stored.shape()[1]);
    for (std::size_t& place : at) place = place % rows * columns + place / rows;
  }
  return at;
}

Sketch sketch_of(const FloatView::Constant& constant, bool swapped) {
  if (constant.blocks) return sketch_of_blocks(*constant.blocks, swapped);
  const Tensor& stored = *constant.stored;
  Sketch sketch{.values = {}, .count = stored.size()};
  sketch.is_whole = !is_float(stored.dtype()) && !constant.codes;
  const std::vector<std::size_t> at = sketched_places(constant, swapped);
  const Tensor numbers = to_float32(gathered(stored, at));
  const auto values = numbers.data<float>();
  sketch.values.assign(values.begin(), values.end());
  if (constant.codes && !constant.is_computed)
    dequantize_at(stored, *constant.codes, at, sketch.values);
  return sketch;
}

double agreement(const Sketch& reference, const Sketch& quantized) {
  if (reference.count != quantized.count) return 0;
  const std::vector<float>& a = reference.values;
  const std::vector<float>& b = quantized.values;
  if (a.empty()) return 1;
  if (reference.is_whole && quantized.is_whole) return agreement_of_spellings(a, b);
  const bool any_scale = reference.is_unscaled || quantized.is_unscaled;
  const WeightProducts sums = products(a, b);
  if (sums.count == 0) return kAgrees;
  const double tiny = kTiny * kTiny * static_cast<double>(a.size());
  if (sums.aa <= tiny && sums.bb <= tiny) return 1;
  if (sums.aa == 0 || sums.bb == 0) return 0;
  return agreement_of(sums, a.size() < kFew, any_scale);
}

bool is_telling(const Sketch& sketch) {
  return sketch.values.size() >= kTelling && !sketch.is_whole;
}

const Sketch* Sketches::of(std::size_t constant, bool swapped) {
  const FloatView::Constant& wanted = view_.constants()[constant];
  if (wanted.stored == nullptr || byte_size(wanted.stored->dtype()) == 0) return nullptr;
  const auto [found, is_new] = sketches_.try_emplace({constant, swapped});
  if (is_new) found->second = sketch_of(wanted, swapped);
  return &found->second;
}

std::vector<std::pair<std::size_t, std::size_t>> best_counterparts(
    const std::vector<Wanted>& reference, const std::vector<Wanted>& quantized) {
  struct Best {
    std::optional<std::size_t> at;
    double first = 0, second = 0;
    void offer(std::size_t other, double value) {
      if (value > first) {
        second = first;
        first = value;
        at = other;
      } else {
        second = std::max(second, value);
      }
    }
    /// What is left to perfect agreement is far less than for any other.
    bool is_sure() const { return at && first >= kAgreesWell && 1 - first < (1 - second) / 2; }
  };
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  if (reference.empty() || quantized.empty()) return pairs;
  // so many weights of one shape that a full comparison would take long are left to other evidence
  const double work = static_cast<double>(reference.size()) *
                      static_cast<double>(quantized.size()) *
                      static_cast<double>(reference[0].sketches[0]->values.size());
  if (work > kMostWork) return pairs;
  std::vector<Best> of_reference(reference.size()), of_quantized(quantized.size());
  for (std::size_t r = 0; r < reference.size(); ++r) {
    for (std::size_t q = 0; q < quantized.size(); ++q) {
      double value = 0;
      for (const Sketch* before : reference[r].sketches) {
        for (const Sketch* after : quantized[q].sketches)
          value = std::max(value, agreement(*before, *after));
      }
      of_reference[r].offer(q, value);
      of_quantized[q].offer(r, value);
    }
  }
  for (std::size_t r = 0; r < reference.size(); ++r) {
    const Best& best = of_reference[r];
    if (!best.is_sure()) continue;
    const Best& back = of_quantized[*best.at];
    if (back.is_sure() && *back.at == r)
      pairs.emplace_back(reference[r].op, quantized[*best.at].op);
  }
  return pairs;
}

}  // namespace quantlens
