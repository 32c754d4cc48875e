// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/outputs.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/text.h"

namespace quantlens {
namespace {

template <class Range>
std::string list_text(const Range& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
  const std::string near = did_you_mean(word, names);
  return near.empty() ? "known: " + list_text(names) : near;
}

Error no_output(const std::string& wanted, const std::vector<std::string>& names) {
  return {Errc::usage, fmt::format("--metric: the model has no output '{}'; {}", printable(wanted),
                                   suggestion(wanted, names))};
}

std::string chosen_output(const std::vector<OutputOutline>& outputs, const std::string& metric,
                          const std::string& wanted) {
  std::vector<std::string> names, floats;
  for (const auto& [name, is_float] : outputs) {
    names.push_back(name);
    if (is_float) floats.push_back(name);
  }
  if (!wanted.empty()) {
    if (std::ranges::find(names, wanted) != names.end()) return wanted;
    throw no_output(wanted, names);
  }
  if (names.size() == 1) return names.front();
  if (floats.size() == 1) return floats.front();
  if (names.empty()) throw Error(Errc::bad_input, "the model has no output; give another model");
  const auto& candidates = floats.empty() ? names : floats;
  throw Error(Errc::usage,
              fmt::format("--metric: the model has the outputs {}; say which one to score, e.g. "
                          "{}:output={}",
                          printable(list_text(candidates)), metric, printable(candidates.front())));
}

const std::pair<const std::string, Tensor>& chosen_output(const TensorMap& outputs,
                                                          const std::string& metric,
                                                          const std::string& wanted) {
  std::vector<OutputOutline> outlines;
  for (const auto& [name, tensor] : outputs) outlines.push_back({name, is_float(tensor.dtype())});
  return *outputs.find(chosen_output(outlines, metric, wanted));
}

Tensor part_of(const std::string& name, const Tensor& output, std::size_t i, std::size_t batch) {
  const auto samples = static_cast<std::int64_t>(batch);
  const bool has_batch = !output.shape().empty() && output.shape().front() == samples;
  if (output.dtype() == DType::string || (!has_batch && batch != 1) || output.size() == 0) {
    throw Error(Errc::bad_input,
                fmt::format("output '{}': {} of shape {} for {} samples cannot be scored; a metric "
                            "needs numbers with the batch as first dimension: name another output "
                            "with --metric NAME:output=OUTPUT, or use batch_size 1",
                            printable(name), quantlens::name(output.dtype()),
                            to_string(output.shape()), batch));
  }
  const std::int64_t size = output.size() / samples;
  const std::size_t bytes = static_cast<std::size_t>(size) * byte_size(output.dtype());
  return {output.dtype(), {size}, output.bytes().subspan(i * bytes, bytes), output.owner()};
}

std::vector<double> as_doubles(const Tensor& tensor) {
  if (tensor.dtype() == DType::float64) {
    const Tensor values = aligned(tensor);
    const std::span<const double> data = values.data<double>();
    return {data.begin(), data.end()};
  }
  if (!is_float(tensor.dtype())) {
    const std::vector<std::int64_t> whole = to_int64(tensor);
    return {whole.begin(), whole.end()};
  }
  const Tensor values = to_float32(tensor);
  const std::span<const float> data = values.data<float>();
  return {data.begin(), data.end()};
}

Shape part_shape(const Tensor& output, std::size_t batch) {
  const Shape& shape = output.shape();
  const bool has_batch = !shape.empty() && shape.front() == static_cast<std::int64_t>(batch);
  return {shape.begin() + (has_batch ? 1 : 0), shape.end()};
}

Shape without_ones(const Shape& shape) {
  Shape result = shape;
  std::erase(result, 1);
  return result;
}

Error wrong_label(const Batch& batch, std::size_t i, std::string_view wanted) {
  const Tensor& label = *batch.labels.at(i);
  return {Errc::bad_input,
          fmt::format("sample {}: its label is {} of shape {}; this metric needs {}",
                      batch.samples.at(i), name(label.dtype()), to_string(label.shape()), wanted)};
}

const Tensor& label_of(const Batch& batch, std::size_t i) {
  if (i >= batch.labels.size() || !batch.labels[i]) {
    throw Error(
        Errc::bad_input,
        fmt::format("sample {}: the data has no labels; give a labels file", batch.samples.at(i)));
  }
  if (batch.labels[i]->dtype() == DType::string) throw wrong_label(batch, i, "numbers");
  return *batch.labels[i];
}

std::vector<std::int64_t> whole_numbers(const Batch& batch, std::size_t i,
                                        std::string_view wanted) {
  constexpr double kLargest = 9007199254740992.0;  // 2^53: whole numbers below are exact
  const Tensor& label = label_of(batch, i);
  if (!is_float(label.dtype())) return to_int64(label);
  std::vector<std::int64_t> result;
  for (const double value : as_doubles(label)) {
    if (std::trunc(value) != value || std::abs(value) > kLargest) {
      throw wrong_label(batch, i, wanted);
    }
    result.push_back(static_cast<std::int64_t>(value));
  }
  return result;
}

std::int64_t minus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

std::optional<std::int64_t> best_of(std::span<const double> scores) {
  if (std::ranges::any_of(scores, [](double s) { return std::isnan(s); })) return std::nullopt;
  return std::ranges::max_element(scores) - scores.begin();
}

}  // namespace quantlens
