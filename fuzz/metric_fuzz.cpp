// SPDX-License-Identifier: Apache-2.0
// Any bytes as a `--metric` text: refused as wrong usage, or a metric whose figure is within its
// bounds, or that says why it cannot score.
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "quantlens/accuracy/metric.h"
#include "quantlens/base/error.h"

using namespace quantlens;  // NOLINT(google-build-using-namespace): a program of one file

static TensorMap some_outputs() {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  return {{"y", Tensor::from<float>({2, 3}, {0.5F, 0.25F, 0.25F, kNan, 0, 1})},
          {"q", Tensor::from<std::uint8_t>({2, 3}, {0, 255, 7, 1, 1, 1})},
          {"n", Tensor::from<std::int64_t>({2}, {std::numeric_limits<std::int64_t>::min(), 1})}};
}

static Tensor label_of(std::int64_t number, bool is_array) {
  if (!is_array) return Tensor::scalar(number);
  return Tensor::from<float>({1, 5}, {0, 0, 1, 2, static_cast<float>(number)});
}

static void score_everything(const MetricSpec& spec, const Tensor& label) {
  const auto metric = make_metric(spec);
  try {
    metric->add({.samples = {6, 7}, .inputs = {}, .labels = {label, label}}, some_outputs());
  } catch (const Error&) {  // said why
  }
  const MetricFigure figure = metric->figure();
  if (figure.value < figure.bounds[0] || figure.value > figure.bounds[1]) std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  MetricSpec spec;
  try {
    spec = parse_metric(text);
  } catch (const Error& error) {
    if (error.code() != Errc::usage) std::abort();
    return 0;
  }
  if (!needs_data(spec)) return 0;
  for (const std::int64_t number : {std::int64_t{-1}, std::int64_t{1}, std::int64_t{1} << 62}) {
    score_everything(spec, label_of(number, false));
    score_everything(spec, label_of(number, true));
  }
  return 0;
}
