// SPDX-License-Identifier: Apache-2.0
// Quantized nets as quantizers write them: the oracle evaluates the QuantizeLinears and
// DequantizeLinears as they stand, ONNX Runtime fuses them into integer kernels.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "quantlens/frontend/frontend.h"
#include "quantlens/runtime/contract/differential.h"
#include "quantlens/runtime/contract/run_kinds.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/oracle/oracle.h"

namespace quantlens::contract {
namespace {

constexpr unsigned kFusedTrials = 25;

/// A net of one op, in float and quantized; both make "y".
struct Pair {
  Net plain, quantized;
  TensorMap inputs;
  DType dtype = DType::uint8;
};

Scheme scheme_of(DType dtype) {
  Scheme scheme;
  scheme.dtype = dtype;
  return scheme;
}

/// A random input of both nets; gives its name and that of its dequantized codes.
std::string feed(Pair& pair, const std::string& name, const Shape& shape, Dice& dice) {
  const Tensor values = random_floats(shape, dice.seed(), -2, 3);
  pair.inputs.emplace(name, values);
  pair.plain.input(name, shape);
  pair.quantized.input(name, shape);
  return pair.quantized.quantize(name, choose_params({-2, 3}, scheme_of(pair.dtype)), pair.dtype);
}

/// A weight in float and as symmetric codes for each index of `axis`. 7 bits: without VNNI, ONNX
/// Runtime's sums of pairs saturate at 16.
std::vector<QParams> weigh(Pair& pair, const Shape& shape, int axis, Dice& dice) {
  Scheme scheme = scheme_of(DType::int8);
  scheme.symmetric = true;
  scheme.axis = axis;
  scheme.bits = 7;
  const Tensor values = random_floats(shape, dice.seed());
  std::vector<QParams> params;
  std::vector<float> scales;
  for (const Range& range : extremes(values, axis)) {
    params.push_back(choose_params(range, scheme));
    scales.push_back(params.back().scale);
  }
  const auto count = static_cast<std::int64_t>(params.size());
  pair.plain.weight("w", values);
  pair.quantized.weight("w", quantize(values, params, scheme));
  pair.quantized.dequantize("w", Tensor::from<float>({count}, scales),
                            random_integers({count}, 0, 0, 0, DType::int8), axis);
  return params;
}

void bias(Pair& pair, float input_scale, const std::vector<QParams>& weights, Dice& dice) {
  const auto count = static_cast<std::int64_t>(weights.size());
  const Tensor codes = random_integers({count}, dice.seed(), -3000, 3000, DType::int32);
  std::vector<float> scales, values;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    scales.push_back(input_scale * weights[i].scale);
    values.push_back(static_cast<float>(codes.data<std::int32_t>()[i]) * scales.back());
  }
  pair.plain.weight("b", Tensor::from<float>({count}, values));
  pair.quantized.weight("b", codes);
  pair.quantized.dequantize("b", Tensor::from<float>({count}, scales),
                            random_integers({count}, 0, 0, 0, DType::int32), 0);
}

Pair fused_conv(Dice& dice) {
  Pair pair;
  pair.dtype = dice.one_of<DType>({DType::uint8, DType::int8});
  const std::string x = feed(pair, "x", {2, 4, 8, 8}, dice);
  const std::int64_t groups = dice.one_of<std::int64_t>({1, 4});
  const auto weights = weigh(pair, {8, 4 / groups, 3, 3}, 0, dice);
  bias(pair, choose_params({-2, 3}, scheme_of(pair.dtype)).scale, weights, dice);
  const Attributes attributes{{"group", groups}, {"pads", dice.several(4, 0, 1)}};
  pair.plain.node("Conv", {"x", "w", "b"}, "conv", attributes);
  pair.plain.node("Relu", {"conv"}, "y");
  pair.quantized.node("Conv", {x, "w_dq", "b_dq"}, "conv", attributes);
  pair.quantized.node("Relu", {"conv"}, "y");
  return pair;
}

Pair fused_matmul(Dice& dice) {
  Pair pair;
  const std::string x = feed(pair, "x", {2, 3, 16}, dice);
  weigh(pair, {16, 6}, 1, dice);
  pair.plain.node("MatMul", {"x", "w"}, "y");
  pair.quantized.node("MatMul", {x, "w_dq"}, "y");
  return pair;
}

Pair add(Dice& dice) {
  Pair pair;
  pair.dtype = dice.one_of<DType>({DType::uint8, DType::int8});
  const std::string a = feed(pair, "a", {2, 3, 20}, dice);
  const std::string b = feed(pair, "b", {2, 3, 20}, dice);
  pair.plain.node("Add", {"a", "b"}, "y");
  pair.quantized.node("Add", {a, b}, "y");
  return pair;
}

/// Whether the graph that the runtime really ran has an op of this type.
bool ran(const fs::path& dump, const std::string& type) {
  const Model model = frontend::read(dump);
  return std::ranges::any_of(model.graph.nodes,
                             [&](const Node& node) { return node.type == type; });
}

struct FusedCase {
  const char* name;
  Pair (*make)(Dice& dice);
  const char* kernel;
};
std::ostream& operator<<(std::ostream& out, const FusedCase& fused) {
  return out << fused.name;
}

std::string fused_name(const testing::TestParamInfo<FusedCase>& info) {
  return info.param.name;
}

constexpr FusedCase kFusedCases[] = {
    {"Conv", fused_conv, "QLinearConv"},
    {"MatMul", fused_matmul, "QLinearMatMul"},
    {"Add", add, "QLinearAdd"},
};

class FusedNets : public testing::TestWithParam<FusedCase> {
 protected:
  void SetUp() override {
    const std::string missing = onnxruntime_missing();
    if (!missing.empty()) GTEST_SKIP() << missing;
  }
};
INSTANTIATE_TEST_SUITE_P(Oracle, FusedNets, testing::ValuesIn(kFusedCases), fused_name);

TEST_P(FusedNets, AreAtMostOneCodeFromWhatIsWritten) {
  const fs::path dump =
      fs::path(testing::TempDir()) / fmt::format("quantlens_{}.onnx", GetParam().name);
  for (unsigned seed = 0; seed < kFusedTrials; ++seed) {
    Dice dice(seed);
    Pair pair = GetParam().make(dice);
    const Batch data = batch(0, pair.inputs);
    const Model plain = pair.plain.output("y").model();
    const Tensor reference = oracle::open(plain, nullptr, {}, {})->step(data).reference.at("y");
    const QParams params = choose_params(extremes(reference, {})[0], scheme_of(pair.dtype));
    pair.quantized.quantize("y", params, pair.dtype);
    const Model model = pair.quantized.output("y_dq").model();
    const TensorMap written = oracle::open(model, nullptr, {}, {})->step(data).reference;
    const TensorMap fused =
        onnxruntime::open(model, nullptr, {}, {.optimized_dump = dump})->step(data).reference;
    EXPECT_TRUE(ran(dump, GetParam().kernel)) << "it was not fused";
    const std::span<const float> a = written.at("y_dq").data<float>();
    const std::span<const float> b = fused.at("y_dq").data<float>();
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_LE(std::abs(a[i] - b[i]), 1.001f * params.scale)
          << "seed " << seed << ", element " << i;
    }
  }
  fs::remove(dump);
}

}  // namespace
}  // namespace quantlens::contract
