// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/contract/exact_net.h"

#include <algorithm>

namespace quantlens::contract {

Tensor exact_weight() {
  return random_integers({kIn, kOut}, 1, -4, 4, DType::float32);
}

Model exact_net(bool product_is_output) {
  Net net;
  net.input("x", {-1, kIn});
  net.weight("w", exact_weight());
  net.node("MatMul", {"x", "w"}, "product");
  net.node("Relu", {"product"}, "y");
  net.output("y");
  if (product_is_output) net.output("product");
  return net.model();
}

Batch exact_data(std::uint64_t first, std::int64_t samples) {
  return batch(first, {{"x", random_integers({samples, kIn}, 2, -9, 9, DType::float32)}});
}

Rows rows_of(const Tensor& tensor) {
  const std::span<const float> values = tensor.data<float>();
  const auto count = static_cast<std::size_t>(tensor.shape()[0]);
  const std::size_t size = values.size() / count;
  Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const float> row = values.subspan(i * size, size);
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

Rows product_of(const Rows& x) {
  const Tensor w = exact_weight();
  Rows result;
  for (const std::vector<float>& row : x) {
    std::vector<float> sums(kOut);
    for (std::size_t k = 0; k < kIn; ++k) {
      for (std::size_t j = 0; j < kOut; ++j) sums[j] += row[k] * w.data<float>()[k * kOut + j];
    }
    result.push_back(sums);
  }
  return result;
}

Rows relu_of(const Rows& rows) {
  return each(rows, [](float value) { return value < 0 ? 0.0f : value; });
}

SampleSet samples_of(const Batch& batch) {
  SampleSet samples;
  for (const std::uint64_t sample : batch.samples) samples.insert(sample);
  return samples;
}

ValueStats gathered_of(const std::string& value, const Batch& batch, const Rows& rows,
                       bool channels) {
  ValueStats stats;
  stats.value = value;
  if (channels) stats.channel_axis = 1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    stats.moments.add(batch.samples[i], rows[i]);
    stats.histogram.add(rows[i]);
    if (channels) stats.channels.add(rows[i], {1, rows[i].size(), 1});
  }
  return stats;
}

ValueStats with_histograms(ValueStats stats, const Rows& rows,
                           const std::vector<std::uint32_t>& channels) {
  for (const std::uint32_t channel : channels) {
    stats.channel_histograms.push_back({.channel = channel, .histogram = {}});
    for (const std::vector<float>& row : rows) {
      stats.channel_histograms.back().histogram.add(std::span(row).subspan(channel, 1));
    }
  }
  return stats;
}

TapState by_batches(Run& run, const Batch& whole, std::uint64_t size) {
  for (std::uint64_t at = 0; at < whole.samples.size(); at += size) {
    run.step(rows(whole, at, std::min<std::uint64_t>(size, whole.samples.size() - at)));
  }
  return run.take();
}

}  // namespace quantlens::contract
