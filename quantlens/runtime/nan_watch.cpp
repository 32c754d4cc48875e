// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/nan_watch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

/// The values of each sample, one after the other; all of them for each where they do not divide.
class Parts {
 public:
  Parts(const Tensor& tensor, std::size_t samples) : floats_(to_float32(tensor)) {
    const Shape& shape = tensor.shape();
    const bool divides = !shape.empty() && shape.front() % static_cast<std::int64_t>(samples) == 0;
    size_ = static_cast<std::size_t>(tensor.size()) / (divides ? samples : 1);
    step_ = divides ? size_ : 0;
  }
  std::span<const float> operator[](std::size_t i) const {
    return floats_.data<float>().subspan(i * step_, size_);
  }

 private:
  Tensor floats_;
  std::size_t size_ = 0, step_ = 0;
};

/// Without a way out, so that it takes several at once.
bool holds_nan(std::span<const float> values) {
  bool any = false;
  for (const float value : values) any |= std::isnan(value);
  return any;
}

bool is_nan(float value) {
  return std::isnan(value);
}

}  // namespace

FoundNan find_nan(const Batch& batch, const TensorMap& outputs) {
  FoundNan found;
  const std::size_t samples = batch.samples.size();
  if (samples == 0) return found;
  for (const auto& [name, tensor] : batch.inputs) {
    if (!is_float(tensor.dtype())) continue;
    const Parts parts(tensor, samples);
    for (std::size_t i = 0; i < samples; ++i) {
      if (!holds_nan(parts[i])) continue;
      NanInput& input = found.inputs.try_emplace(name, NanInput{batch.samples[i], 0}).first->second;
      if (std::ranges::all_of(parts[i], is_nan)) ++input.nothing;
    }
  }
  std::vector<bool> any(samples), all(samples, true);
  for (const auto& [name, tensor] : outputs) {
    if (!is_float(tensor.dtype())) {
      if (tensor.size() > 0) return found;
      continue;
    }
    const Parts parts(tensor, samples);
    for (std::size_t i = 0; i < samples; ++i) {
      any[i] = any[i] || !parts[i].empty();
      all[i] = all[i] && std::ranges::all_of(parts[i], is_nan);
    }
  }
  for (std::size_t i = 0; i < samples; ++i) {
    if (any[i] && all[i]) found.answers.push_back(batch.samples[i]);
  }
  return found;
}

std::string NanWatch::named(std::uint64_t sample) const {
  return fmt::format("sample {} ({})", sample, printable(reader_.sample_name(sample)));
}

void NanWatch::add(const FoundNan& found) {
  for (const auto& [input, seen] : found.inputs) {
    const auto [known, is_new] = inputs_.try_emplace(input, NanInput{seen.first, 0});
    known->second.nothing += seen.nothing;
    if (!is_new) continue;
    progress_.note(
        fmt::format("input '{}' holds NaN in {}, the first such sample: what is computed from it "
                    "is no number; mend it or leave it out of the data",
                    printable(input), named(seen.first)));
  }
  if (answers_ == 0 && !found.answers.empty()) {
    progress_.note(
        fmt::format("the model's outputs are all NaN for {}, the first such sample: look for NaN, "
                    "infinities and numbers that are too large in its inputs",
                    named(found.answers.front())));
  }
  answers_ += found.answers.size();
}

void NanWatch::check(std::uint64_t samples) const {
  if (samples == 0) return;
  const std::string everywhere =
      samples == 1 ? "the one sample" : fmt::format("each of {} samples", samples);
  for (const auto& [input, seen] : inputs_) {
    if (seen.nothing < samples) continue;
    throw Error(Errc::bad_input, fmt::format("input '{}' is NaN and nothing else in {}; mend the "
                                             "data: nothing can be learned from these",
                                             printable(input), everywhere));
  }
  if (answers_ < samples) return;
  if (inputs_.empty()) {
    throw Error(Errc::bad_input,
                fmt::format("the model's outputs are all NaN for {}, though no input holds NaN; "
                            "check the preprocessing of the data, and whether the model is sound",
                            everywhere));
  }
  const auto& [input, seen] = *inputs_.begin();
  throw Error(Errc::bad_input,
              fmt::format("the model's outputs are all NaN for {}, and its input '{}' holds NaN, "
                          "first in {}; mend the data: nothing can be learned from these",
                          everywhere, printable(input), named(seen.first)));
}

}  // namespace quantlens
