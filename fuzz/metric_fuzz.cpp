// SPDX-License-Identifier: Apache-2.0
// Any bytes as a `--metric` text: refused as wrong usage, or a metric whose scores are 0 or 1 and
// whose correlations are such, or that says why it cannot score.
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "quantlens/accuracy/embedding_pairs.h"
#include "quantlens/accuracy/metric.h"
#include "quantlens/base/error.h"

using namespace quantlens;  // NOLINT(google-build-using-namespace): a program of one file

static TensorMap some_outputs() {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  return {{"y", Tensor::from<float>({2, 3}, {0.5F, 0.25F, 0.25F, kNan, 0, 1})},
          {"q", Tensor::from<std::uint8_t>({2, 3}, {0, 255, 7, 1, 1, 1})},
          {"n", Tensor::from<std::int64_t>({2}, {std::numeric_limits<std::int64_t>::min(), 1})}};
}

static void score_everything(const Metric& metric) {
  const TensorMap outputs = some_outputs();
  for (const std::int64_t label : {std::int64_t{-1}, std::int64_t{1}, std::int64_t{1} << 62}) {
    const Tensor tensor = Tensor::scalar(label);
    const Batch batch{.samples = {0, 7}, .inputs = {}, .labels = {tensor, std::nullopt}};
    for (std::size_t i = 0; i < batch.samples.size(); ++i) {
      try {
        const SampleScore score = metric.score(batch, i, outputs);
        if (score.score != 0 && score.score != 1) std::abort();
      } catch (const Error&) {  // said why
      }
    }
  }
}

static void correlate_everything(const MetricSpec& spec) {
  const Tensor label = Tensor::scalar(std::int64_t{3});
  const Batch batch{.samples = {6, 7}, .inputs = {}, .labels = {label, label}};
  EmbeddingPairs pairs(spec);
  try {
    pairs.add(batch, some_outputs());
    const Accuracy accuracy = correlation_of(pairs.pairs(), spec.name);
    if (!(accuracy.value >= -1 && accuracy.value <= 1)) std::abort();
  } catch (const Error&) {  // said why
  }
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
  if (is_rate(spec)) {
    score_everything(*make_metric(spec));
  } else {
    correlate_everything(spec);
  }
  return 0;
}
