// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/contract/exact_net.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace quantlens::contract {

Tensor exact_weight() {
  return random_integers({kIn, kOut}, 1, -4, 4, DType::float32);
}

Tensor second_weight() {
  return random_integers({kOut, kSecondOut}, 5, -2, 2, DType::float32);
}

Tensor bypass_weight() {
  return random_integers({kOut, kSecondOut}, 6, -1, 1, DType::float32);
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
  return times(x, exact_weight());
}

Rows relu_of(const Rows& rows) {
  return each(rows, [](float value) { return value < 0 ? 0.0f : value; });
}

Rows times(const Rows& rows, const Tensor& weight) {
  const auto columns = static_cast<std::size_t>(weight.shape()[1]);
  Rows result;
  for (const std::vector<float>& row : rows) {
    std::vector<float> sums(columns, 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      for (std::size_t c = 0; c < columns; ++c) {
        sums[c] += row[i] * weight.data<float>()[i * columns + c];
      }
    }
    result.push_back(std::move(sums));
  }
  return result;
}

Rows plus(Rows a, const Rows& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < a[i].size(); ++k) a[i][k] += b[i][k];
  }
  return a;
}

Rows rounded(const Rows& rows, const QParams& params, DType dtype) {
  return each(rows, [&](float v) { return dequantize(quantize(v, params, dtype), params); });
}

Rows rounded_columns(Rows rows, const std::vector<QParams>& params, DType dtype) {
  for (std::vector<float>& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      row[c] = dequantize(quantize(row[c], params[c], dtype), params[c]);
    }
  }
  return rows;
}

double mean_square(const Rows& a, const Rows& b) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < a[i].size(); ++k, ++count) {
      sum += std::pow(double{a[i][k]} - b[i][k], 2);
    }
  }
  return sum / count;
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

TapSpec exact_taps() {
  TapSpec spec = taps({"y", "x", "product"});
  spec.taps[2].channel_axis = 1;
  spec.taps[2].channel_histograms = {0, 3};
  return spec;
}

void expect_exact(Run& run) {
  const Batch batch = exact_data(30, 5);
  TapState wanted;
  wanted.samples = samples_of(batch);
  const Rows x = rows_of(batch.inputs.at("x"));
  wanted.values = {
      with_histograms(gathered_of("product", batch, product_of(x), true), product_of(x), {0, 3}),
      gathered_of("x", batch, x), gathered_of("y", batch, relu_of(product_of(x)))};
  EXPECT_EQ(to_bytes(by_batches(run, batch, 2)), to_bytes(wanted));
  EXPECT_TRUE(run.not_tapped().empty());
}

TapState by_batches(Run& run, const Batch& whole, std::uint64_t size) {
  for (std::uint64_t at = 0; at < whole.samples.size(); at += size) {
    run.step(rows(whole, at, std::min<std::uint64_t>(size, whole.samples.size() - at)));
  }
  return run.take();
}

}  // namespace quantlens::contract
