// SPDX-License-Identifier: Apache-2.0
// Errors of single ops by TensorFlow, against plain loops over small integers.
#include <gmock/gmock.h>

#include "quantlens/runtime/contract/exact_net.h"
#include "quantlens/runtime/contract/run_contract.h"
#include "quantlens/runtime/contract/tensorflow_contract.h"

namespace quantlens::contract {
namespace {

using graphdef::GraphBytes;
using graphdef::kOfFloats;
using graphdef::kQint8;
using graphdef::kQuint8;

using TensorflowLocal = TensorflowContract;

/// `<value>_q`, codes of the value, and `<value>_dq`, what they mean.
void add_codes(GraphBytes& graph, const std::string& value, float scale, DType dtype) {
  const bool is_signed = dtype == DType::int8;
  const float greatest = scale * (is_signed ? 127 : 255);
  constant(graph, value + "_min", Tensor::scalar(is_signed ? -greatest : 0.0F));
  constant(graph, value + "_max", Tensor::scalar(greatest));
  graphdef::Attributes attributes{{"T", graphdef::type(is_signed ? kQint8 : kQuint8)},
                                  {"mode", graphdef::text("SCALED")}};
  const std::string codes = value + "_q";
  graph.node(value + "_dq", "Dequantize", {codes, codes + ":1", codes + ":2"}, attributes);
  attributes["round_mode"] = graphdef::text("HALF_TO_EVEN");
  attributes["ensure_minimum_range"] = graphdef::real(0);
  graph.node(codes, "QuantizeV2", {value, value + "_min", value + "_max"}, attributes);
}

const QParams kInputCodes{0.25F, 0};
const QParams kFirstCodes{8, 0};
const QParams kSecondCodes{5, 0};  // whole numbers are no ties, which oneDNN rounds as it likes

/// relu(x w), then "sum", which adds two products of it: one of its codes, one of its floats.
Model local_graph(bool quantized) {
  GraphBytes graph;
  graph.producer(1286).input("x", {-1, kIn});
  constant(graph, "w", exact_weight());
  constant(graph, "v", second_weight());
  constant(graph, "u", bypass_weight());
  if (quantized) {
    add_codes(graph, "x", kInputCodes.scale, DType::int8);
    add_codes(graph, "first", kFirstCodes.scale, DType::uint8);
    add_codes(graph, "second", kSecondCodes.scale, DType::int8);
  }
  const auto read = [&](const std::string& value) { return quantized ? value + "_dq" : value; };
  graph.node("product", "MatMul", {read("x"), "w"}, kOfFloats)
      .node("first", "Relu", {"product"}, kOfFloats)
      .node("second", "MatMul", {read("first"), "v"}, kOfFloats)
      .node("bypass", "MatMul", {"first:0", "u"}, kOfFloats)
      .node("sum", "AddV2", {read("second"), "bypass"}, kOfFloats);
  return graph.read();
}

TEST_F(TensorflowLocal, EveryOpReadsWhatTheReferenceComputed) {
  const Model reference = local_graph(false), quantized = local_graph(true);
  TapSpec spec = taps({"first"});
  spec.pairs = {pair("x", "x_q", kInputCodes, DType::int8),
                pair("first", "first_q", kFirstCodes, DType::uint8),
                pair("second", "second_q", kSecondCodes, DType::int8), pair("sum", "sum")};
  const Batch batch = exact_data(0, 5);
  const Rows x = rows_of(batch.inputs.at("x"));
  const Rows first = relu_of(product_of(x));
  const Rows second = times(first, second_weight());
  const Rows sum = plus(second, times(first, bypass_weight()));
  const Rows codes = rounded(first, kFirstCodes, DType::uint8);
  const auto end_to_end = open(reference, &quantized, {.watch = {}}, spec);
  end_to_end->step(batch);

  spec.local = true;
  const auto run = open(reference, &quantized, {.watch = {}}, spec);
  const Outputs outputs = run->step(batch);
  EXPECT_TRUE(run->not_tapped().empty());
  const TapState state = run->take();
  EXPECT_EQ(state.values.at(0), gathered_of("first", batch, first));
  ASSERT_EQ(state.pairs.size(), 4U);
  const auto mse = [&](std::size_t i) { return state.pairs[i].pairs.mse(); };
  EXPECT_DOUBLE_EQ(mse(0), mean_square(first, codes));
  EXPECT_DOUBLE_EQ(mse(1), mean_square(second, rounded(times(codes, second_weight()), kSecondCodes,
                                                       DType::int8)));
  const Rows local_sum =
      plus(rounded(second, kSecondCodes, DType::int8), times(first, bypass_weight()));
  EXPECT_DOUBLE_EQ(mse(2), mean_square(sum, local_sum));
  EXPECT_NE(mse(2), end_to_end->take().pairs[2].pairs.mse());
  EXPECT_EQ(mse(3), 0) << "whole numbers are codes of a quarter";
  EXPECT_EQ(rows_of(outputs.reference.at("sum")), sum);
  EXPECT_EQ(rows_of(outputs.quantized.at("sum")), local_sum);
}

GraphBytes& doubled(GraphBytes& graph, const std::string& value) {
  return graph.node("b", "AddV2", {value, value}, kOfFloats);
}

TEST_F(TensorflowLocal, CodesMayBeThoseOfAProductThatItsReadersTakeBack) {
  const std::vector<QParams> columns = {{2, 0}, {1, 0}, {0.5F, 0}, {8, 0}};  // 2 over each factor
  GraphBytes floats;
  floats.producer(1286).input("x", {-1, 4}).node("a", "Relu", {"x"}, kOfFloats);
  const Model reference = doubled(floats, "a").read();
  GraphBytes codes;
  codes.producer(1286).input("x", {-1, 4}).node("a", "Relu", {"x"}, kOfFloats);
  constant(codes, "factor", Tensor::from<float>({4}, {1, 2, 4, 0.25F}));
  constant(codes, "inverse", Tensor::from<float>({4}, {1, 0.5F, 0.25F, 4}));
  codes.node("m", "Mul", {"a", "factor"}, kOfFloats);
  add_codes(codes, "m", 2, DType::uint8);
  codes.node("e", "Mul", {"m_dq", "inverse"}, kOfFloats);
  const Model quantized = doubled(codes, "e").read();
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
    const auto run = open(reference, &quantized, {.watch = {}}, spec);
    run->step(data);
    const TapState state = run->take();
    ASSERT_EQ(state.pairs.size(), 2U);
    EXPECT_DOUBLE_EQ(state.pairs[0].pairs.mse(), mean_square(a, a_codes));
    EXPECT_DOUBLE_EQ(state.pairs[1].pairs.mse(), mean_square(plus(a, a), plus(a_codes, a_codes)));
  }
}

TEST_F(TensorflowLocal, OfCodesThatAreMovedHaveTheParametersThatTheyDeclare) {
  const auto ends = [](GraphBytes& graph, const std::string& read) {
    return doubled(graph, read).read();
  };
  const auto begin = [](GraphBytes& graph) {
    graph.producer(1286).input("x", {-1, 4}).node("a", "Relu", {"x"}, kOfFloats);
    constant(graph, "rows", graphdef::kInt32, graphdef::integers({2}, {-1, 2}));
  };
  const auto reshape = [](GraphBytes& graph, const std::string& name, const std::string& of,
                          std::int64_t type) {
    graph.node(name, "Reshape", {of, "rows"},
               {{"T", graphdef::type(type)}, {"Tshape", graphdef::type(graphdef::kInt32)}});
  };
  GraphBytes floats, codes;
  begin(floats);
  reshape(floats, "r", "a", graphdef::kFloat);
  const Model reference = ends(floats, "r");
  begin(codes);
  add_codes(codes, "a", 2, DType::uint8);
  reshape(codes, "r_q", "a_q", kQuint8);
  codes.node("r", "Dequantize", {"r_q", "a_q:1", "a_q:2"},
             {{"T", graphdef::type(kQuint8)}, {"mode", graphdef::text("SCALED")}});
  const Model quantized = ends(codes, "r");
  const QParams params{2, 0};
  TapSpec spec;
  spec.pairs = {pair("r", "r_q", params, DType::uint8), pair("b", "b")};
  for (PairTap& tap : spec.pairs) tap.sample_axis = 0;
  spec.local = true;
  const Batch data = batch(0, {{"x", Tensor::from<float>({1, 4}, {1, 3, 5, 600})}});
  const auto run = open(reference, &quantized, {.watch = {}}, spec);
  run->step(data);
  const TapState state = run->take();
  const Rows a = rows_of(data.inputs.at("x")), a_codes = rounded(a, params, DType::uint8);
  ASSERT_EQ(state.pairs.size(), 2U);
  EXPECT_DOUBLE_EQ(state.pairs[0].pairs.mse(), mean_square(plus(a, a), plus(a_codes, a_codes)));
  EXPECT_DOUBLE_EQ(state.pairs[1].pairs.mse(), mean_square(a, a_codes));
}

TEST_F(TensorflowLocal, ReadersOfFloatsMayReadThemAsCodesMeanThem) {
  GraphBytes graph;
  graph.producer(1286).input("x", {-1, 4});
  graph.node("a", "Relu", {"x"}, kOfFloats)
      .node("b", "AddV2", {"a", "x"}, kOfFloats)
      .node("c", "AddV2", {"b", "a"}, kOfFloats);
  const Model model = graph.read();
  const std::vector<QParams> coarse{{2, 0}, {1, 0}, {4, 0}, {8, 0}};
  const QParams of_input{4, 0};
  TapSpec spec;
  spec.pairs = {pair("x", "x"), pair("a", "a"), pair("b", "b"), pair("c", "c")};
  spec.pairs[0].readers_params = {of_input};
  spec.pairs[0].readers_scheme.dtype = DType::int8;
  spec.pairs[1].readers_params = coarse;
  spec.pairs[1].readers_scheme.axis = 1;
  spec.pairs[1].readers_scheme.dtype = DType::uint8;
  spec.local = true;
  const Batch data = batch(0, {{"x", Tensor::from<float>({2, 4}, {1, 3, 5, 7, -2, 9, 11, 15})}});
  const auto run = open(model, &model, {.watch = {}}, spec);
  run->step(data);
  const TapState state = run->take();
  const Rows x = rows_of(data.inputs.at("x"));
  const Rows x_codes = rounded(x, of_input, DType::int8);
  const Rows a = relu_of(x), a_codes = rounded_columns(a, coarse, DType::uint8);
  const Rows b = plus(a, x);
  ASSERT_EQ(state.pairs.size(), 4U);
  const auto mse = [&](std::size_t i) { return state.pairs[i].pairs.mse(); };
  EXPECT_DOUBLE_EQ(mse(0), mean_square(a, relu_of(x_codes))) << "its own codes do not count";
  EXPECT_DOUBLE_EQ(mse(1), mean_square(b, plus(a_codes, x_codes)));
  EXPECT_DOUBLE_EQ(mse(2), mean_square(plus(b, a), plus(b, a_codes)));
  EXPECT_EQ(mse(3), 0) << "both read one input";
}

TEST_F(TensorflowLocal, SeveralQuantizedSidesOfOneValueAreComparedBeforeTheyAreReplaced) {
  const Model reference = local_graph(false), quantized = local_graph(true);
  TapSpec spec;
  spec.pairs = {pair("first", "first_q", kFirstCodes, DType::uint8), pair("first", "first_dq"),
                pair("product", "first_dq"), pair("second", "second_q", kSecondCodes, DType::int8)};
  spec.local = true;
  const Batch batch = exact_data(0, 3);
  const auto run = open(reference, &quantized, {.watch = {}}, spec);
  run->step(batch);
  const TapState state = run->take();
  const Rows product = product_of(rows_of(batch.inputs.at("x")));
  const Rows first = relu_of(product), codes = rounded(first, kFirstCodes, DType::uint8);
  const auto mse = [&](std::size_t i) { return state.pairs.at(i).pairs.mse(); };
  EXPECT_DOUBLE_EQ(mse(0), mean_square(first, codes));
  EXPECT_DOUBLE_EQ(mse(1), mean_square(first, codes));
  EXPECT_DOUBLE_EQ(mse(2), mean_square(product, codes));
  const Rows second = times(first, second_weight());
  EXPECT_DOUBLE_EQ(mse(3), mean_square(second, rounded(second, kSecondCodes, DType::int8)))
      << "the first pair that has first_dq says what its readers read";
}

TEST_F(TensorflowLocal, LeavesOutCodesThatTensorFlowDoesNotHave) {
  const Model reference = local_graph(false), quantized = local_graph(true);
  TapSpec spec;
  spec.pairs = {pair("first", "first_q", {8, 3}, DType::uint8), pair("sum", "sum")};
  spec.local = true;
  const auto run = open(reference, &quantized, {.watch = {}}, spec);
  ASSERT_EQ(run->not_tapped().size(), 1U);
  EXPECT_EQ(run->not_tapped()[0].value, "first");
  EXPECT_THAT(run->not_tapped()[0].reason, testing::HasSubstr("zero point"));
  run->step(exact_data(0, 2));
  EXPECT_EQ(run->take().pairs.size(), 1U);
}

TEST_F(TensorflowLocal, RefusesOpsOfOursThatAFileHasInIt) {
  const Model reference = local_graph(false);
  const auto with_own = [](std::int64_t slot, std::int64_t type) {
    GraphBytes graph;
    graph.producer(1286).input("x", {-1, kIn});
    constant(graph, "guess", graphdef::kInt32, graphdef::integers({}, {1}));
    return graph
        .node("number", "Cast", {"guess"},
              {{"SrcT", graphdef::type(graphdef::kInt32)},
               {"DstT", graphdef::type(graphdef::kInt64)}})
        .node("first", "Relu", {"x"}, kOfFloats)
        .node("own", "QuantlensKept", {"x", "number"},
              {{"T", graphdef::type(type)},
               {"U", graphdef::type(graphdef::kFloat)},
               {"slot", graphdef::number(slot)}})
        .read();
  };
  for (const std::int64_t slot : {0, 1'000'000}) {
    for (const bool local : {false, true}) {
      const Model other = with_own(slot, graphdef::kInt32);
      TapSpec spec;
      spec.pairs = {pair("x", "x")};
      spec.local = local;
      const auto run = open(reference, &other, {.watch = {}}, spec);
      EXPECT_EQ(refusal([&] { run->step(exact_data(0, 1)); }, {"QuantlensKept"}), Errc::bad_input)
          << slot << local;
    }
  }
}

}  // namespace
}  // namespace quantlens::contract
