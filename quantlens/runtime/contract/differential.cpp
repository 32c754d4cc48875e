// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/contract/differential.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/runtime/contract/run_kinds.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/oracle/numbers.h"
#include "quantlens/runtime/oracle/oracle.h"

namespace quantlens::contract {
namespace {

constexpr unsigned kTrials = 40;

/// The worst distance of two float tensors in units of the first one's largest magnitude.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double scale = 1e-30, worst = 0;
  for (const double value : a) {
    if (std::isfinite(value)) scale = std::max(scale, std::abs(value));
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const double gap = std::abs(a[i] - b[i]);
    worst = std::max(worst, std::isfinite(gap) ? gap / scale : 1e30);
  }
  return worst;
}

std::int64_t distance(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  std::int64_t worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

void expect_equal(const std::string& name, const Tensor& oracle, const Tensor& other,
                  const Tolerance& tolerance) {
  ASSERT_EQ(oracle.dtype(), other.dtype()) << name;
  ASSERT_EQ(oracle.shape(), other.shape()) << name;
  if (is_float(oracle.dtype())) {
    EXPECT_LE(distance(oracle::doubles(oracle), oracle::doubles(other)), tolerance.relative)
        << name;
  } else {
    EXPECT_LE(distance(to_int64(oracle), to_int64(other)), tolerance.codes) << name;
  }
}

}  // namespace

std::string Trial::feed(const std::string& name, const Shape& shape, Dice& dice, double low,
                        double high) {
  return feed(name, random_floats(shape, dice.seed(), low, high));
}

std::string Trial::feed(const std::string& name, const Tensor& tensor) {
  inputs.emplace(name, tensor);
  return net.input(name, tensor.shape(), tensor.dtype());
}

void expect_agreement(const Model& model, const Batch& data, const Tolerance& tolerance) {
  const TensorMap oracle = oracle::open(model, nullptr, {}, {})->step(data).reference;
  const TensorMap other = onnxruntime::open(model, nullptr, {}, {})->step(data).reference;
  ASSERT_EQ(oracle.size(), other.size());
  for (const auto& [name, tensor] : oracle) {
    ASSERT_TRUE(other.contains(name)) << name;
    expect_equal(name, tensor, other.at(name), tolerance);
  }
}

void try_often(const OpCase& op) {
  const std::string missing = onnxruntime_missing();
  if (!missing.empty()) GTEST_SKIP() << missing;
  for (unsigned seed = 0; seed < kTrials; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    try {
      const Trial trial = op.make(dice);
      expect_agreement(trial.net.model(), batch(0, trial.inputs), op.tolerance);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace quantlens::contract
