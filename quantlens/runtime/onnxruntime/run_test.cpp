// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/graph/order.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/onnxruntime/session.h"
#include "quantlens/runtime/testing/onnx_graphs.h"

namespace quantlens::onnxruntime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class OnnxRun : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!status().available) GTEST_SKIP() << status().problem;
  }
};

/// The sentence of the Error that `act` throws, behind its code.
std::string error_of(Errc code, const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(code));
    return error.what();
  }
  return "nothing was thrown";
}

// The runtime by itself refuses some hundred of these 12,000.
TEST_F(OnnxRun, AnEnvironmentMayBeMadeWhileTheLastOneGoes) {
  std::vector<std::thread> threads;
  std::vector<std::string> refused(2);
  for (std::string& told : refused) {
    threads.emplace_back([&told] {
      for (unsigned i = 0; i < 6000; ++i) {
        for (unsigned wait = i * 7919 % 3000; wait > 0; --wait)
          std::atomic_signal_fence(std::memory_order_seq_cst);
        try {
          quiet_env();
        } catch (const Ort::Exception& error) {
          told = error.what();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(refused, ElementsAre("", ""));
}

/// y = relu(x) + 1 for x of [N,4]; r is the inner value.
Model relu_plus_one(std::int64_t opset = 13) {
  Graph graph;
  graph.inputs = {info("x", DType::float32, {std::nullopt, 4})};
  graph.weights = {{"one", Tensor::scalar(1.0f)}};
  graph.nodes = {op("Relu", {"x"}, "r"), op("Add", {"r", "one"}, "y")};
  graph.outputs = {info("y", DType::float32, {std::nullopt, 4})};
  return model_of(graph, opset);
}

Batch batch_of(std::vector<float> x, std::vector<std::uint64_t> samples = {0}) {
  const auto rows = static_cast<std::int64_t>(samples.size());
  const auto columns = static_cast<std::int64_t>(x.size()) / rows;
  Batch batch;
  batch.samples = std::move(samples);
  batch.inputs.emplace("x", Tensor::from<float>({rows, columns}, std::move(x)));
  return batch;
}

TEST_F(OnnxRun, OutputsAreWhatTheModelComputes) {
  const Model model = relu_plus_one();
  const Outputs outputs = onnxruntime::open(model, nullptr, {}, {})->step(batch_of({-1, 0, 2, 3}));
  EXPECT_THAT(outputs.reference.at("y").data<float>(), ElementsAre(1, 1, 3, 4));
  EXPECT_THAT(outputs.quantized, IsEmpty());
}

TEST_F(OnnxRun, TapsSeeInputsInnerValuesAndOutputs) {
  const Model model = relu_plus_one();
  const auto run = onnxruntime::open(
      model, nullptr, {.taps = {{.value = "x"}, {.value = "r"}, {.value = "y"}}}, {});
  run->step(batch_of({-1, 0, 2, 3}, {7}));
  const TapState state = run->take();
  ASSERT_THAT(state.values, SizeIs(3));
  EXPECT_EQ(state.values[0].value, "r");
  EXPECT_EQ(state.values[0].moments.mean(), 1.25);
  EXPECT_EQ(state.values[1].moments.min(), -1);
  EXPECT_EQ(state.values[2].moments.max(), 4);
  EXPECT_TRUE(state.samples.contains(7));
  EXPECT_THAT(run->not_tapped(), IsEmpty());
}

TEST_F(OnnxRun, OutputsOutliveTheRunAndTheBatch) {
  Graph graph;
  graph.inputs = {info("x", DType::float32, {std::nullopt, 4})};
  graph.weights = {{"w", Tensor::from<float>({512}, std::vector<float>(512, 5))}};
  graph.nodes = {op("Relu", {"x"}, "y")};
  graph.outputs = {info("y", DType::float32, {std::nullopt, 4}),
                   info("x", DType::float32, {std::nullopt, 4}), info("w", DType::float32, {512})};
  Outputs outputs;
  {
    const Model model = model_of(graph);
    outputs = onnxruntime::open(model, nullptr, {.taps = {{.value = "y"}}}, {})
                  ->step(batch_of({-1, 0, 2, 3}));
  }
  EXPECT_THAT(outputs.reference.at("y").data<float>(), ElementsAre(0, 0, 2, 3));
  EXPECT_THAT(outputs.reference.at("x").data<float>(), ElementsAre(-1, 0, 2, 3));
  EXPECT_EQ(outputs.reference.at("w").data<float>()[511], 5);
}

TEST_F(OnnxRun, LargeWeightsThatNobodyReadsDoNoHarm) {
  Graph graph;
  graph.inputs = {info("x", DType::float32, {std::nullopt, 4})};
  graph.weights = {{"w", Tensor::from<float>({512}, std::vector<float>(512, 5))}};
  graph.nodes = {op("Relu", {"x"}, "y")};
  graph.outputs = {info("y", DType::float32, {std::nullopt, 4})};
  const Model model = model_of(graph);
  const auto run = onnxruntime::open(model, &model, {.pairs = {{"y", "y", {}, {}}}}, {});
  run->step(batch_of({-1, 0, 2, 3}));
  EXPECT_EQ(run->take().pairs.at(0).pairs.mse(), 0);
}

TEST_F(OnnxRun, StringsComeOutAsStrings) {
  Graph graph;
  graph.inputs = {info("x", DType::string, {std::nullopt})};
  graph.nodes = {op("Identity", {"x"}, "y")};
  graph.outputs = {info("y", DType::string, {std::nullopt})};
  const Model model = model_of(graph);
  Batch batch;
  batch.samples = {0, 1};
  batch.inputs.emplace("x", Tensor::from_strings({2}, {"a", "\xc3\xa9"}));
  const Outputs outputs = onnxruntime::open(model, nullptr, {}, {})->step(batch);
  EXPECT_THAT(outputs.reference.at("y").strings(), ElementsAre("a", "\xc3\xa9"));
}

TEST_F(OnnxRun, UnalignedInputsAndWeightsAreRight) {
  Graph graph;
  graph.inputs = {info("x", DType::float32, {std::nullopt, 4})};
  std::vector<float> ramp(4000);
  for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<float>(i);
  graph.weights = {{"w", Tensor::from<float>({4, 1000}, ramp)}};
  graph.nodes = {op("MatMul", {"x", "w"}, "y")};
  graph.outputs = {info("y", DType::float32, {std::nullopt, 1000})};
  const std::string file = onnx::serialize(graph, {{"", 13}});
  const Batch aligned = batch_of({0, 0, 0, 1});
  for (std::size_t shift = 0; shift < 4; ++shift) {
    const auto bytes = std::make_shared<std::string>(shift, ' ');
    const auto x = aligned.inputs.at("x").bytes();
    bytes->append(reinterpret_cast<const char*>(x.data()), x.size());
    Batch batch;
    batch.samples = {0};
    batch.inputs.emplace("x", Tensor(DType::float32, {1, 4},
                                     std::as_bytes(std::span(*bytes)).subspan(shift), bytes));
    graph.name = std::string(shift, 'n');  // moves the weights in the file
    const Model model = model_of(graph);
    const Outputs outputs = onnxruntime::open(model, nullptr, {}, {})->step(batch);
    EXPECT_EQ(outputs.reference.at("y").data<float>()[999], 3999) << shift;
  }
}

TEST_F(OnnxRun, ABatchThatDoesNotFitIsRefusedWithBothSides) {
  const Model model = relu_plus_one();
  const auto run = onnxruntime::open(model, nullptr, {}, {});
  EXPECT_THAT(error_of(Errc::bad_input,
                       [&] {
                         run->step(batch_of({1, 2, 3}));
                       }),
              HasSubstr("input 'x' is float32 [?,4], the data give float32 [1,3]"));
  Batch batch;
  batch.samples = {0};
  batch.inputs.emplace("x", Tensor::from<std::int64_t>({1, 4}, {1, 2, 3, 4}));
  EXPECT_THAT(error_of(Errc::bad_input, [&] { run->step(batch); }),
              HasSubstr("input 'x' is float32 [?,4], the data give int64 [1,4]"));
  batch.inputs = {{"z", Tensor::scalar(1.0f)}};
  EXPECT_THAT(error_of(Errc::bad_input, [&] { run->step(batch); }),
              HasSubstr("no input 'x'; they have: z"));
}

TEST_F(OnnxRun, UnknownValuesAndWeightsCannotBeTapped) {
  const Model model = relu_plus_one();
  EXPECT_THAT(error_of(Errc::not_found,
                       [&] { onnxruntime::open(model, nullptr, {.taps = {{.value = "rr"}}}, {}); }),
              HasSubstr("'rr'"));
  EXPECT_THAT(
      error_of(Errc::not_found,
               [&] { onnxruntime::open(model, nullptr, {.taps = {{.value = "one"}}}, {}); }),
      HasSubstr("is a weight"));
}

TEST_F(OnnxRun, AnErrorOfATapComesThroughTheRuntime) {
  Graph graph;
  graph.inputs = {info("x", DType::float32, {std::nullopt, 4})};
  graph.nodes = {op("ReduceSum", {"x"}, "y")};
  graph.outputs = {info("y", DType::float32, {1, 1})};
  const Model model = model_of(graph);
  const auto run = onnxruntime::open(model, nullptr, {.taps = {{.value = "y"}}}, {});
  EXPECT_THAT(error_of(Errc::bad_input,
                       [&] {
                         run->step(batch_of({1, 2, 3, 4, 5, 6, 7, 8}, {0, 1}));
                       }),
              HasSubstr("does not divide into 2 samples"));
}

TEST_F(OnnxRun, AFailureOfTheRuntimeNamesTheModel) {
  Graph graph;
  graph.inputs = {info("x", DType::float32, {std::nullopt, std::nullopt})};
  graph.weights = {{"w", Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6})}};
  graph.nodes = {op("MatMul", {"x", "w"}, "y")};
  graph.outputs = {info("y", DType::float32, {std::nullopt, 3})};
  const Model model = model_of(graph);
  const auto run = onnxruntime::open(model, nullptr, {}, {});
  EXPECT_THAT(error_of(Errc::failed,
                       [&] {
                         run->step(batch_of({1, 2, 3, 4}));
                       }),
              HasSubstr("ONNX Runtime fails"));
}

TEST_F(OnnxRun, ARefusedModelIsNamed) {
  Graph graph;
  graph.inputs = {info("x", DType::float32, {1})};
  graph.nodes = {op("NoSuchOp", {"x"}, "y")};
  graph.outputs = {info("y", DType::float32, {1})};
  const Model model = model_of(graph);
  EXPECT_THAT(error_of(Errc::bad_input, [&] { onnxruntime::open(model, nullptr, {}, {}); }),
              HasSubstr("NoSuchOp"));
}

TEST_F(OnnxRun, ValuesInsideBodiesAreListedAsNotTapped) {
  Graph body;
  body.nodes = {op("Neg", {"x"}, "inner")};
  body.outputs = {info("inner", DType::float32, {std::nullopt, 4})};
  Graph graph;
  graph.inputs = {info("x", DType::float32, {std::nullopt, 4})};
  graph.weights = {{"yes", Tensor(DType::boolean, {}, std::as_bytes(std::span("\1", 1)), nullptr)}};
  Node branch = op("If", {"yes"}, "y");
  branch.subgraphs["then_branch"] = branch.subgraphs["else_branch"] =
      std::make_shared<const Graph>(body);
  graph.nodes = {branch};
  graph.outputs = {info("y", DType::float32, {std::nullopt, 4})};
  const Model model = model_of(graph);
  const auto run =
      onnxruntime::open(model, nullptr, {.taps = {{.value = "inner"}, {.value = "x"}}}, {});
  ASSERT_THAT(run->not_tapped(), SizeIs(1));
  EXPECT_EQ(run->not_tapped()[0].value, "inner");
  EXPECT_THAT(run->not_tapped()[0].reason, HasSubstr("inside the body"));
  run->step(batch_of({-1, 0, 2, 3}));
  EXPECT_THAT(run->take().values, SizeIs(1));
}

/// Two models that share the value names r and s but compute them in opposite order.
Model chain(const std::string& first, const std::string& second, std::int64_t opset) {
  Graph graph;
  graph.inputs = {info("x", DType::float32, {std::nullopt, 4})};
  graph.weights = {{"one", Tensor::scalar(1.0f)}};
  graph.nodes = {op("Add", {"x", "one"}, first), op("Add", {first, "one"}, second)};
  graph.outputs = {info(second, DType::float32, {std::nullopt, 4})};
  return model_of(graph, opset);
}

/// Every value of one against every value of the other, some tapped by themselves too.
TapSpec all_pairs() {
  TapSpec spec;
  for (const std::string x : {"x", "r", "s"}) {
    spec.taps.push_back({.value = x});
    for (const std::string y : {"x", "r", "s"})
      spec.pairs.push_back({.reference = x, .quantized = y});
  }
  return spec;
}

TEST_F(OnnxRun, PairsMayCross) {
  const Model first = chain("r", "s", 13), second = chain("s", "r", 13);
  const auto run = onnxruntime::open(first, &second, all_pairs(), {});
  const Outputs outputs = run->step(batch_of({-1, 0, 2, 3}));
  const TapState state = run->take();
  ASSERT_THAT(state.pairs, SizeIs(9));
  std::map<std::pair<std::string, std::string>, double> mse;
  for (const PairedStats& pair : state.pairs)
    mse[{pair.reference, pair.quantized}] = pair.pairs.mse();
  EXPECT_EQ((mse[{"r", "r"}]), 1);
  EXPECT_EQ((mse[{"r", "s"}]), 0);
  EXPECT_EQ((mse[{"s", "x"}]), 4);
  EXPECT_EQ((mse[{"x", "x"}]), 0);
  EXPECT_THAT(outputs.reference.at("s").data<float>(), ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(outputs.quantized.at("r").data<float>(), ElementsAre(1, 2, 4, 5));
}

TEST_F(OnnxRun, ModelsThatCannotBeOneGiveTheSameFiguresApart) {
  const Model first = chain("r", "s", 13), second = chain("s", "r", 13),
              newer = chain("s", "r", 14);
  const auto merged = onnxruntime::open(first, &second, all_pairs(), {});
  const auto apart = onnxruntime::open(first, &newer, all_pairs(), {});
  merged->step(batch_of({-1, 0, 2, 3}));
  apart->step(batch_of({-1, 0, 2, 3}));
  EXPECT_EQ(to_bytes(merged->take()), to_bytes(apart->take()));
}

TEST_F(OnnxRun, PairsOfStringsAreDropped) {
  Graph graph;
  graph.inputs = {info("x", DType::float32, {std::nullopt, 4})};
  Node cast = op("Cast", {"x"}, "text");
  cast.attributes["to"] = std::int64_t{8};
  graph.nodes = {cast, op("Relu", {"x"}, "y")};
  graph.outputs = {info("y", DType::float32, {std::nullopt, 4})};
  const Model model = model_of(graph, 13), same = model_of(graph, 13), newer = model_of(graph, 14);
  TapSpec spec;
  for (const std::string x : {"text", "y"}) {
    for (const std::string y : {"text", "y"}) {
      spec.pairs.push_back({.reference = x, .quantized = y});
    }
  }
  for (const Model* quantized : {&same, &newer}) {
    const auto run = onnxruntime::open(model, quantized, spec, {});
    for (const std::uint64_t sample : {0u, 1u}) run->step(batch_of({-1, 0, 2, 3}, {sample}));
    const std::vector<NotTapped>& dropped = run->not_tapped();
    ASSERT_THAT(dropped, SizeIs(3));
    EXPECT_THAT(
        dropped[0].reason,
        HasSubstr("'text' of the reference is string and 'text' of the quantized model string"));
    EXPECT_THAT(
        dropped[1].reason,
        HasSubstr("'text' of the reference is string and 'y' of the quantized model float32"));
    EXPECT_THAT(
        dropped[2].reason,
        HasSubstr("'y' of the reference is float32 and 'text' of the quantized model string"));
    EXPECT_THAT(run->take().pairs, SizeIs(1));
  }
}

TEST_F(OnnxRun, ModelsWithoutPairsRunOneAfterTheOther) {
  const Model first = relu_plus_one(), second = relu_plus_one(14);
  const Outputs outputs = onnxruntime::open(first, &second, {}, {})->step(batch_of({-1, 0, 2, 3}));
  EXPECT_THAT(outputs.reference.at("y").data<float>(), ElementsAre(1, 1, 3, 4));
  EXPECT_THAT(outputs.quantized.at("y").data<float>(), ElementsAre(1, 1, 3, 4));
}

TEST_F(OnnxRun, AQuantizedModelWithOtherInputsIsRefused) {
  const Model first = relu_plus_one();
  Graph graph;
  graph.inputs = {info("a", DType::float32, {4}), info("b", DType::float32, {4})};
  graph.nodes = {op("Add", {"a", "b"}, "y")};
  graph.outputs = {info("y", DType::float32, {4})};
  const Model second = model_of(graph);
  EXPECT_THAT(error_of(Errc::unsupported, [&] { onnxruntime::open(first, &second, {}, {}); }),
              HasSubstr("1 inputs and"));
}

}  // namespace
}  // namespace quantlens::onnxruntime
