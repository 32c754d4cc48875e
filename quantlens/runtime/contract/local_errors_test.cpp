// SPDX-License-Identifier: Apache-2.0
// Errors of single ops, against plain loops over small integers.
#include <gtest/gtest.h>

#include "quantlens/runtime/contract/exact_net.h"
#include "quantlens/runtime/contract/run_contract.h"

namespace quantlens::contract {
namespace {

using LocalErrors = RunContract;
INSTANTIATE_TEST_SUITE_P(Kinds, LocalErrors, testing::ValuesIn(run_kinds()), kind_name);

const QParams kInput{0.5F, 100};
const QParams kFirst{8, 0};
const QParams kSecond{4, 128};

/// relu(x w), then "sum", which adds two products of it: one of its codes, one of its floats.
Model net(bool quantized, bool signed_codes = false) {
  Net net;
  net.input("x", {-1, kIn});
  net.weight("w", exact_weight());
  net.weight("v", second_weight());
  net.weight("u", bypass_weight());
  const std::string x = quantized ? net.quantize("x", kInput, DType::uint8) : "x";
  net.node("MatMul", {x, "w"}, "product");
  net.node("Relu", {"product"}, "first");
  const DType dtype = signed_codes ? DType::int8 : DType::uint8;
  const std::string first = quantized ? net.quantize("first", kFirst, dtype) : "first";
  net.node("MatMul", {first, "v"}, "second");
  const std::string second = quantized ? net.quantize("second", kSecond, DType::uint8) : "second";
  net.node("MatMul", {"first", "u"}, "bypass");
  net.node("Add", {second, "bypass"}, "sum");
  return net.output("sum").model();
}

TEST_P(LocalErrors, EveryOpReadsWhatTheReferenceComputed) {
  for (const bool signed_codes : {false, true}) {
    const DType dtype = signed_codes ? DType::int8 : DType::uint8;
    const Model reference = net(false), quantized = net(true, signed_codes);
    TapSpec spec;
    spec.pairs = {pair("first", "first_q", kFirst, dtype),
                  pair("second", "second_q", kSecond, DType::uint8), pair("sum", "sum")};
    const Batch batch = exact_data(0, 5);
    const Rows first = relu_of(product_of(rows_of(batch.inputs.at("x"))));
    const Rows second = times(first, second_weight());
    const Rows sum = plus(second, times(first, bypass_weight()));
    const Rows codes = rounded(first, kFirst, dtype);

    const TapState end_to_end = gathered(reference, &quantized, spec, batch);
    spec.local = true;
    const auto run = open(reference, &quantized, spec);
    const Outputs outputs = run->step(batch);
    const TapState local = run->take();
    EXPECT_TRUE(run->not_tapped().empty());

    ASSERT_EQ(local.pairs.size(), 3U);
    EXPECT_DOUBLE_EQ(local.pairs[0].pairs.mse(), mean_square(first, codes));
    EXPECT_EQ(local.pairs[0].pairs.mse(), end_to_end.pairs[0].pairs.mse()) << "nothing before it";
    const Rows local_second = rounded(times(codes, second_weight()), kSecond, DType::uint8);
    EXPECT_DOUBLE_EQ(local.pairs[1].pairs.mse(), mean_square(second, local_second));
    const Rows local_sum =
        plus(rounded(second, kSecond, DType::uint8), times(first, bypass_weight()));
    EXPECT_DOUBLE_EQ(local.pairs[2].pairs.mse(), mean_square(sum, local_sum));
    EXPECT_NE(local.pairs[2].pairs.mse(), end_to_end.pairs[2].pairs.mse());
    EXPECT_EQ(rows_of(outputs.reference.at("sum")), sum);
    EXPECT_EQ(rows_of(outputs.quantized.at("sum")), local_sum);
  }
}

TEST_P(LocalErrors, OfIntegerOpsHaveTheParametersThatTheyDeclare) {
  Net floats;
  floats.input("x", {-1, 4});
  floats.node("Relu", {"x"}, "a");
  floats.node("Add", {"a", "a"}, "b");
  const Model reference = floats.output(floats.node("Add", {"b", "a"}, "c")).model();
  const QParams coarse{2, 10}, wide{4, 0};
  Net integer;
  integer.input("x", {-1, 4});
  integer.node("Relu", {"x"}, "a_float");
  integer.quantize("a_float", coarse, DType::uint8);
  const auto scale = [&](const std::string& name, const QParams& params) {
    integer.weight(name + "_s", Tensor::scalar(params.scale));
    integer.weight(name + "_z", zero_point_of(params, DType::uint8));
  };
  scale("coarse", coarse);
  scale("wide", wide);
  integer.microsoft("QLinearAdd",
                    {"a_float_q", "coarse_s", "coarse_z", "a_float_q", "coarse_s", "coarse_z",
                     "wide_s", "wide_z"},
                    "b_q");
  integer.microsoft(
      "QLinearAdd",
      {"b_q", "wide_s", "wide_z", "a_float_q", "coarse_s", "coarse_z", "wide_s", "wide_z"}, "c_q");
  const Model quantized =
      integer.output(integer.node("DequantizeLinear", {"c_q", "wide_s", "wide_z"}, "c")).model();
  TapSpec spec;
  spec.pairs = {pair("a", "a_float_q", coarse, DType::uint8), pair("b", "b_q", wide, DType::uint8),
                pair("c", "c_q", wide, DType::uint8)};
  spec.local = true;
  const Batch data = batch(0, {{"x", Tensor::from<float>({2, 4}, {1, 3, 5, 7, -2, 9, 11, 15})}});
  const TapState state = gathered(reference, &quantized, spec, data);
  const Rows a = relu_of(rows_of(data.inputs.at("x")));
  const Rows a_codes = rounded(a, coarse, DType::uint8);
  const Rows b = plus(a, a), c = plus(b, a);
  ASSERT_EQ(state.pairs.size(), 3U);
  EXPECT_DOUBLE_EQ(state.pairs[1].pairs.mse(),
                   mean_square(b, rounded(plus(a_codes, a_codes), wide, DType::uint8)));
  EXPECT_DOUBLE_EQ(
      state.pairs[2].pairs.mse(),
      mean_square(c, rounded(plus(rounded(b, wide, DType::uint8), a_codes), wide, DType::uint8)));
}

TEST_P(LocalErrors, CodesMayHaveAScaleForEachChannel) {
  const std::vector<QParams> columns = {{0.5F, 3}, {2, 10}, {4, 0}, {1, 200}};
  Net floats;
  floats.input("x", {-1, 4});
  floats.node("Relu", {"x"}, "a");
  const Model reference = floats.output(floats.node("Add", {"a", "a"}, "b")).model();
  Net codes;
  codes.input("x", {-1, 4});
  codes.node("Relu", {"x"}, "a");
  codes.weight("s", Tensor::from<float>({4}, {0.5F, 2, 4, 1}));
  codes.weight("z", Tensor::from<std::uint8_t>({4}, {3, 10, 0, 200}));
  codes.node("QuantizeLinear", {"a", "s", "z"}, "a_q");
  codes.node("DequantizeLinear", {"a_q", "s", "z"}, "a_dq");
  const Model quantized = codes.output(codes.node("Add", {"a_dq", "a_dq"}, "b")).model();
  TapSpec spec;
  spec.pairs = {pair("a", "a_q", columns[0], DType::uint8), pair("b", "b")};
  spec.pairs[0].channel_params = columns;
  spec.pairs[0].scheme->axis = 1;
  const Batch data =
      batch(0, {{"x", Tensor::from<float>({3, 4}, {1, 3, 5, 7, -2, 9, 11, 65, 200, 1, 2, 3})}});
  const Rows a = relu_of(rows_of(data.inputs.at("x")));
  const Rows a_codes = rounded_columns(a, columns, DType::uint8);
  for (const bool local : {false, true}) {
    spec.local = local;
    const TapState state = gathered(reference, &quantized, spec, data);
    ASSERT_EQ(state.pairs.size(), 2U);
    EXPECT_DOUBLE_EQ(state.pairs[0].pairs.mse(), mean_square(a, a_codes));
    EXPECT_DOUBLE_EQ(state.pairs[0].pairs.clip_rate(), 2.0 / 12) << "65 and 200";
    EXPECT_DOUBLE_EQ(state.pairs[1].pairs.mse(), mean_square(plus(a, a), plus(a_codes, a_codes)));
  }
}

TEST_P(LocalErrors, CodesMayBeThoseOfAProductThatItsReadersTakeBack) {
  const std::vector<QParams> columns = {{2, 0}, {1, 0}, {0.5F, 0}, {8, 0}};  // 2 over each factor
  Net floats;
  floats.input("x", {-1, 4});
  floats.node("Relu", {"x"}, "a");
  const Model reference = floats.output(floats.node("Add", {"a", "a"}, "b")).model();
  Net codes;
  codes.input("x", {-1, 4});
  codes.weight("factor", Tensor::from<float>({4}, {1, 2, 4, 0.25F}));
  codes.weight("inverse", Tensor::from<float>({4}, {1, 0.5F, 0.25F, 4}));
  codes.weight("s", Tensor::from<float>({}, {2}));
  codes.weight("z", Tensor::from<std::uint8_t>({}, {0}));
  codes.node("Relu", {"x"}, "a");
  codes.node("Mul", {"a", "factor"}, "m");
  codes.node("QuantizeLinear", {"m", "s", "z"}, "m_q");
  codes.node("DequantizeLinear", {"m_q", "s", "z"}, "m_dq");
  codes.node("Mul", {"m_dq", "inverse"}, "e");
  const Model quantized = codes.output(codes.node("Add", {"e", "e"}, "b")).model();
  TapSpec spec;
  spec.pairs = {pair("a", "m_q", columns[0], DType::uint8), pair("b", "b")};
  spec.pairs[0].channel_params = columns;
  spec.pairs[0].scheme->axis = 1;
  const Batch data =
      batch(0, {{"x", Tensor::from<float>({2, 4}, {1, 3, 5.25F, 7, -2, 9.5F, 11, 65})}});
  const Rows a = relu_of(rows_of(data.inputs.at("x")));
  const Rows a_codes = rounded_columns(a, columns, DType::uint8);
  for (const bool local : {false, true}) {
    spec.local = local;
    const TapState state = gathered(reference, &quantized, spec, data);
    ASSERT_EQ(state.pairs.size(), 2U);
    EXPECT_DOUBLE_EQ(state.pairs[0].pairs.mse(), mean_square(a, a_codes));
    EXPECT_DOUBLE_EQ(state.pairs[1].pairs.mse(), mean_square(plus(a, a), plus(a_codes, a_codes)));
  }
}

TEST_P(LocalErrors, ReadersOfFloatsMayReadThemAsCodesMeanThem) {
  Net net;
  net.input("x", {-1, 4});
  net.node("Relu", {"x"}, "a");
  net.node("Add", {"a", "x"}, "b");
  const Model model = net.output(net.node("Add", {"b", "a"}, "c")).model();
  const QParams coarse{2, 10}, of_input{4, 3};
  TapSpec spec;
  spec.pairs = {pair("x", "x"), pair("a", "a"), pair("b", "b"), pair("c", "c")};
  spec.pairs[0].readers_params = {of_input};
  spec.pairs[1].readers_params = {coarse};
  spec.local = true;
  const Batch data = batch(0, {{"x", Tensor::from<float>({2, 4}, {1, 3, 5, 7, -2, 9, 11, 15})}});
  const TapState state = gathered(model, &model, spec, data);
  const Rows x = rows_of(data.inputs.at("x"));
  const Rows x_codes = rounded(x, of_input, DType::uint8);
  const Rows a = relu_of(x), a_codes = rounded(a, coarse, DType::uint8);
  ASSERT_EQ(state.pairs.size(), 4U);
  const auto mse = [&](std::size_t i) { return state.pairs[i].pairs.mse(); };
  EXPECT_DOUBLE_EQ(mse(0), mean_square(a, relu_of(x_codes))) << "its own codes do not count";
  EXPECT_DOUBLE_EQ(mse(1), mean_square(plus(a, x), plus(a_codes, x_codes)));
  EXPECT_DOUBLE_EQ(mse(2), mean_square(plus(plus(a, x), a), plus(plus(a, x), a_codes)));
  EXPECT_EQ(mse(3), 0) << "both read one input";
}

}  // namespace
}  // namespace quantlens::contract
