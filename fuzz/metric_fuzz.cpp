// SPDX-License-Identifier: Apache-2.0
// Any bytes as a `--metric` text: refused as wrong usage, or a metric whose scores of a rate are 0
// or 1, or that says why it cannot score.
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "quantlens/accuracy/metric.h"
#include "quantlens/base/error.h"

using namespace quantlens;  // NOLINT(google-build-using-namespace): a program of one file

static void score_everything(const Metric& metric) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const TensorMap outputs = {
      {"y", Tensor::from<float>({2, 3}, {0.5F, 0.25F, 0.25F, kNan, 0, 1})},
      {"q", Tensor::from<std::uint8_t>({2, 3}, {0, 255, 7, 1, 1, 1})},
      {"n", Tensor::from<std::int64_t>({2}, {std::numeric_limits<std::int64_t>::min(), 1})}};
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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::unique_ptr<Metric> metric;
  try {
    metric = make_metric(parse_metric(text));
  } catch (const Error& error) {
    if (error.code() != Errc::usage) std::abort();
    return 0;
  }
  score_everything(*metric);
  return 0;
}
