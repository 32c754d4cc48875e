// SPDX-License-Identifier: Apache-2.0
// What run.h and timed.h promise, of TensorFlow in its worker: graphs of a few nodes whose answers
// are known.
#include "quantlens/runtime/tensorflow/tensorflow.h"

#include <algorithm>
#include <thread>

#include <gmock/gmock.h>

#include "quantlens/graph/cut.h"
#include "quantlens/graph/roles_of.h"
#include "quantlens/runtime/contract/exact_net.h"
#include "quantlens/runtime/contract/run_contract.h"
#include "quantlens/runtime/contract/tensorflow_contract.h"
#include "quantlens/runtime/tensorflow/library.h"

namespace quantlens::contract {
namespace {

using graphdef::GraphBytes;
using graphdef::kOfFloats;
using testing::ElementsAre;

using Tensorflow = TensorflowContract;

/// y [N,2] = relu(x w), and z = y + y.
Model product() {
  GraphBytes graph;
  graph.producer(1286).input("x", {-1, 3});
  constant(graph, "w", graphdef::kFloat, graphdef::floats({3, 2}, {1, -1, 2, 0, -3, 4}));
  graph.node("product", "MatMul", {"x", "w"}, kOfFloats)
      .node("y", "Relu", {"product"}, kOfFloats)
      .node("z", "AddV2", {"y", "y"}, kOfFloats);
  return graph.read();
}

Batch three(float first, float second, float third, std::uint64_t sample = 0) {
  return batch(sample, {{"x", Tensor::from<float>({1, 3}, {first, second, third})}});
}

TEST_F(Tensorflow, AnswersAsTheGraphSays) {
  const Model model = product();
  const auto run = open(model);
  const Outputs outputs = run->step(three(1, 2, 1));
  ASSERT_EQ(outputs.reference.size(), 1U);
  EXPECT_EQ(outputs.reference.at("z").shape(), Shape({1, 2}));
  EXPECT_THAT(floats_of(outputs.reference.at("z")), ElementsAre(4, 6));
  EXPECT_TRUE(outputs.quantized.empty());
  EXPECT_TRUE(run->not_tapped().empty());
}

TEST_F(Tensorflow, BeginsAndEndsWherePeopleSay) {
  Model model = product();
  model.graph = cut(model.graph, {.inputs = {"product"}, .outputs = {"y", "z"}});
  const auto run = open(model);
  const Outputs outputs = run->step(batch(0, {{"product", Tensor::from<float>({1, 2}, {-1, 5})}}));
  EXPECT_THAT(floats_of(outputs.reference.at("y")), ElementsAre(0, 5));
  EXPECT_THAT(floats_of(outputs.reference.at("z")), ElementsAre(0, 10));
}

TEST_F(Tensorflow, RunsTwoModelsOnTheSameInputs) {
  const Model model = product();
  Model other = product();
  other.graph = cut(other.graph, {.inputs = {"x"}, .outputs = {"product"}});
  const Outputs outputs = open(model, &other)->step(three(1, 0, 1));
  EXPECT_THAT(floats_of(outputs.reference.at("z")), ElementsAre(0, 6));
  EXPECT_THAT(floats_of(outputs.quantized.at("product")), ElementsAre(-2, 3));
}

TEST_F(Tensorflow, TakesAndGivesTextsAndSeveralResults) {
  GraphBytes graph;
  const std::string type = graphdef::type(graphdef::kString);
  graph.producer(1286).node("text", "Placeholder", {}, {{"dtype", type}});
  constant(graph, "axis", graphdef::kInt32, graphdef::integers({}, {0}));
  graph.node("parts", "Split", {"axis", "text"}, {{"T", type}, {"num_split", graphdef::number(2)}})
      .node("one", "Identity", {"parts:1"}, {{"T", type}})
      .node("two", "Identity", {"parts"}, {{"T", type}});
  const Model model = graph.read();
  const std::string longer(100, 'x');
  const Outputs outputs =
      open(model)->step(batch(0, {{"text", Tensor::from_strings({2}, {"a\xff", longer})}}));
  EXPECT_THAT(outputs.reference.at("one").strings(), ElementsAre(longer));
  EXPECT_THAT(outputs.reference.at("two").strings(), ElementsAre("a\xff"));
}

TEST_F(Tensorflow, SaysWhichInputDoesNotFit) {
  const Model model = product();
  const auto run = open(model);
  EXPECT_EQ(refusal(
                [&] {
                  run->step(batch(0, {{"x", Tensor::from<float>({1, 4}, {1, 2, 3, 4})}}));
                },
                {"small.pb", "'x'", "[1,4]"}),
            Errc::bad_input);
}

TEST_F(Tensorflow, RefusesAnOpThatItDoesNotKnow) {
  GraphBytes graph;
  graph.producer(1286).input("x", {-1, 3}).node("y", "NoSuchOp", {"x"});
  const Model model = graph.read();
  EXPECT_EQ(refusal([&] { open(model); }, {"small.pb", "TensorFlow refuses", "NoSuchOp"}),
            Errc::bad_input);
}

TEST_F(Tensorflow, SaysWhatFailsInAStep) {
  GraphBytes graph;
  graph.producer(1286).node("x", "Placeholder", {}, {{"dtype", graphdef::type(graphdef::kFloat)}});
  constant(graph, "shape", graphdef::kInt32, graphdef::integers({1}, {7}));
  graph.node("y", "Reshape", {"x", "shape"}, kOfFloats);
  const Model model = graph.read();
  const auto run = open(model);
  EXPECT_EQ(refusal([&] { run->step(three(1, 2, 3)); }, {"small.pb", "TensorFlow fails", "y"}),
            Errc::failed);
}

/// exact_net: y = relu(x w), whose numbers are small integers.
Model exact_graph() {
  GraphBytes graph;
  graph.producer(1286).input("x", {-1, kIn});
  constant(graph, "w", exact_weight());
  graph.node("product", "MatMul", {"x", "w"}, kOfFloats).node("y", "Relu", {"product"}, kOfFloats);
  return graph.read();
}

TEST_F(Tensorflow, TapsSeeWhatAPlainLoopComputes) {
  const Model model = exact_graph();
  expect_exact(*open(model, nullptr, {.watch = {}}, exact_taps()));
}

TEST_F(Tensorflow, TapsLeaveTheAnswersAsTheyAre) {
  const Model model = exact_graph();
  const Batch batch = exact_data(0, 4);
  const Outputs bare = open(model)->step(batch);
  const Outputs seen =
      open(model, nullptr, {.watch = {}}, taps({"y", "x", "product"}))->step(batch);
  EXPECT_EQ(bytes_of(seen.reference), bytes_of(bare.reference));
}

TEST_F(Tensorflow, TapsSeeValuesThatOthersReadManyTimesOrNotAtAll) {
  GraphBytes graph;
  graph.producer(1286).input("x", {-1, kIn});
  graph.node("r", "Relu", {"x"}, kOfFloats)
      .node("unread", "Neg", {"x"}, kOfFloats)
      .node("a", "AddV2", {"r:0", "r"}, kOfFloats)
      .node("y", "Mul", {"r", "a"}, kOfFloats)
      .node("check", "NoOp", {"^r"});
  Model model = graph.read();
  model.graph = cut(model.graph, {.inputs = {}, .outputs = {"y", "r"}});
  const Batch batch = exact_data(0, 3);
  const Rows x = rows_of(batch.inputs.at("x"));
  const auto run = open(model, nullptr, {.watch = {}}, taps({"r"}));
  const Outputs outputs = run->step(batch);
  EXPECT_EQ(run->take().values.at(0), gathered_of("r", batch, relu_of(x)));
  EXPECT_EQ(rows_of(outputs.reference.at("r")), relu_of(x));
  EXPECT_EQ(rows_of(outputs.reference.at("y")),
            each(relu_of(x), [](float value) { return value * (value + value); }));
}

TEST_F(Tensorflow, TapsSeeAnInnerValueThatIsFed) {
  Model model = exact_graph();
  model.graph = cut(model.graph, {.inputs = {"product"}, .outputs = {"y"}});
  const Batch batch = quantlens::contract::batch(
      0, {{"product", Tensor::from<float>({2, kOut}, {1, -2, 3, -4, 5, -6, 7, -8})}});
  const auto run = open(model, nullptr, {.watch = {}}, taps({"product", "y"}));
  run->step(batch);
  const TapState state = run->take();
  const Rows given = rows_of(batch.inputs.at("product"));
  EXPECT_EQ(state.values.at(0), gathered_of("product", batch, given));
  EXPECT_EQ(state.values.at(1), gathered_of("y", batch, relu_of(given)));
}

TEST_F(Tensorflow, NamesTheTapsThatItCannotPlace) {
  GraphBytes graph;
  const graphdef::Attributes merged{{"T", graphdef::type(graphdef::kFloat)},
                                    {"N", graphdef::number(2)}};
  graph.producer(1286).input("x", {-1, 3});
  graph
      .node("yes", "Placeholder", {},
            {{"dtype", graphdef::type(graphdef::kBool)}, {"shape", graphdef::shape({})}})
      .node("switch", "Switch", {"x", "yes"}, kOfFloats)
      .node("less", "Neg", {"switch"}, kOfFloats)
      .node("more", "Relu", {"switch:1"}, kOfFloats)
      .node("either", "Merge", {"less", "more"}, merged)
      .node("y", "Identity", {"either"}, kOfFloats);
  Model model = graph.read();
  model.graph = cut(model.graph, {.inputs = {}, .outputs = {"y"}});
  const auto run = open(model, nullptr, {.watch = {}}, taps({"less", "y"}));
  ASSERT_EQ(run->not_tapped().size(), 1U);
  EXPECT_EQ(run->not_tapped()[0].value, "less");
  EXPECT_THAT(run->not_tapped()[0].reason, testing::HasSubstr("a loop or a branch"));
  const Tensor zero = Tensor::from<std::uint8_t>({}, {0});
  run->step(batch(0, {{"x", Tensor::from<float>({1, 3}, {1, -2, 3})},
                      {"yes", Tensor(DType::boolean, {}, zero.bytes(), zero.owner())}}));
  EXPECT_EQ(run->take().values.at(0).moments.max(), 2);
}

TEST_F(Tensorflow, RefusesTapsThatAFileHasInIt) {
  for (const std::vector<std::int32_t>& numbers : {std::vector<std::int32_t>{1}, {}}) {
    GraphBytes graph;
    graph.producer(1286).input("x", {-1, 3});
    const auto count = static_cast<std::int64_t>(numbers.size());
    constant(graph, "guess", graphdef::kInt32, graphdef::integers({count}, numbers));
    graph
        .node("number", "Cast", {"guess"},
              {{"SrcT", graphdef::type(graphdef::kInt32)},
               {"DstT", graphdef::type(graphdef::kInt64)}})
        .node("own", "QuantlensTap", {"x", "number"},
              {{"T", graphdef::type(graphdef::kFloat)},
               {"slot", graphdef::number(1'000'000)},
               {"use", graphdef::number(0)}})
        .node("y", "Relu", {"own"}, kOfFloats);
    const Model model = product(), other = graph.read();
    EXPECT_EQ(refusal([&] { open(other); }, {"QuantlensTap"}), Errc::bad_input);
    const auto run = open(model, &other, {.watch = {}}, taps({"x"}));  // now the op is known
    EXPECT_EQ(refusal([&] { run->step(three(1, 2, 3)); }),
              numbers.empty() ? Errc::failed : Errc::bad_input);
  }
}

TEST_F(Tensorflow, TellsOfAValueThatThereIsNot) {
  const Model model = exact_graph();
  const auto observed = [&](const char* value) {
    return refusal([&] { open(model, nullptr, {.watch = {}}, taps({value})); }, {value});
  };
  EXPECT_EQ(observed("producd"), Errc::not_found);
  EXPECT_EQ(observed("w"), Errc::not_found);
}

TEST_F(Tensorflow, ComparesTheValuesOfTwoModels) {
  const Model model = exact_graph();
  GraphBytes graph;
  graph.producer(1286).input("x", {-1, kIn});
  constant(graph, "w", exact_weight());
  graph.node("product", "MatMul", {"x", "w"}, kOfFloats)
      .node("twice", "AddV2", {"product", "product"}, kOfFloats);
  const Model other = graph.read();
  const Batch batch = exact_data(0, 4);
  TapSpec spec = taps({"x"});
  for (const char* quantized : {"product", "twice"}) {
    PairTap pair;
    pair.reference = "product";
    pair.quantized = quantized;
    spec.pairs.push_back(pair);
  }
  const auto run = open(model, &other, {.watch = {}}, spec);
  run->step(batch);
  const TapState state = run->take();
  EXPECT_EQ(state.values.at(0), gathered_of("x", batch, rows_of(batch.inputs.at("x"))));
  ASSERT_EQ(state.pairs.size(), 2U);
  EXPECT_EQ(state.pairs[0].pairs.mse(), 0);
  double sum = 0, count = 0;
  for (const auto& row : product_of(rows_of(batch.inputs.at("x")))) {
    for (const float value : row) sum += static_cast<double>(value) * value, ++count;
  }
  EXPECT_DOUBLE_EQ(state.pairs[1].pairs.mse(), sum / count);
}

TEST_F(Tensorflow, GivesEqualAnswersToStepsUnderWayAtOnce) {
  const Model model = product();
  const auto run = open(model, nullptr, {.threads = 2, .in_flight = 2, .watch = {}});
  EXPECT_EQ(run->in_flight(), 2U);
  std::vector<std::thread> threads;
  std::vector<float> wrong(2, 0);
  for (std::size_t thread = 0; thread < 2; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint64_t i = 0; i < 50; ++i) {
        const auto x = static_cast<float>(2 * i + thread);
        const Outputs outputs = run->step(three(x, 0, 0, 2 * i + thread));
        if (floats_of(outputs.reference.at("z")) != std::vector<float>{2 * x, 0}) ++wrong[thread];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, ElementsAre(0, 0));
}

TEST_F(Tensorflow, IsTimedAsAWhole) {
  const Model model = product();
  const auto run = open_timed(model);
  const std::size_t number = run->add(three(1, 2, 1));
  EXPECT_GT(run->run(number).whole, 0U);
  EXPECT_TRUE(run->run(number).nodes.empty());
  EXPECT_TRUE(run->graph().nodes.empty());
  EXPECT_THAT(floats_of(run->outputs(number).at("z")), ElementsAre(4, 6));
}

/// The same with a bias: y = relu(x w + b).
Model biased_product() {
  GraphBytes graph;
  graph.producer(1286).input("x", {-1, 3});
  constant(graph, "w", graphdef::kFloat, graphdef::floats({3, 2}, {1, -1, 2, 0, -3, 4}));
  constant(graph, "b", graphdef::kFloat, graphdef::floats({2}, {1, -1}));
  graph.node("product", "MatMul", {"x", "w"}, kOfFloats)
      .node("sum", "BiasAdd", {"product", "b"}, kOfFloats)
      .node("y", "Relu", {"sum"}, kOfFloats)
      .node("z", "AddV2", {"y", "y"}, kOfFloats);
  return graph.read();
}

TEST_F(Tensorflow, IsTimedNodeByNode) {
  const Model model = biased_product();
  const auto run = open_timed(model, {.nodes = true});
  EXPECT_TRUE(run->graph().nodes.empty()) << "it is made for the first batch";
  run->add(three(1, 2, 1));
  const Graph graph = run->graph();
  ASSERT_LT(graph.nodes.size(), 4U) << "TensorFlow computes the product and the bias as one";
  EXPECT_THAT(graph.nodes[0].type, testing::HasSubstr("FusedMatMul"));
  EXPECT_NE(quantlens::role<roles::MatrixProduct>(graph.nodes[0]), nullptr);
  EXPECT_EQ(graph.nodes.back().outputs[0], "z") << "named as in the file";
  run->add(batch(0, {{"x", Tensor::from<float>({2, 3}, {1, 2, 1, 3, 4, 5})}}));
  EXPECT_EQ(run->graph().nodes.size(), graph.nodes.size());
  for (const std::size_t number : {1, 0, 1}) {
    const RunTime time = run->run(number);
    ASSERT_EQ(time.nodes.size(), graph.nodes.size());
    std::uint64_t sum = 0;
    for (const std::uint64_t ns : time.nodes) {
      EXPECT_GT(ns, 0U);
      sum += ns;
    }
    EXPECT_LE(sum, time.whole);
  }
  ASSERT_TRUE(run->types().contains("y"));
  EXPECT_EQ(run->types().at("y").shape, (Shape{1, 2})) << "of the first batch";
  EXPECT_THAT(floats_of(run->outputs(0).at("z")), ElementsAre(6, 4));
}

TEST_F(Tensorflow, ALoopsNodesHaveTheTimeOfAllItsRounds) {
  GraphBytes graph;
  graph.producer(1286).input("x", {1, 1});
  constant(graph, "limit", graphdef::kFloat, graphdef::floats({}, {1000}));
  constant(graph, "two", graphdef::kFloat, graphdef::floats({}, {2}));
  constant(graph, "axes", graphdef::kInt32, graphdef::integers({2}, {0, 1}));
  graphdef::Attributes frame = kOfFloats;
  frame["frame_name"] = graphdef::text("loop");
  frame["is_constant"] = graphdef::flag(false);
  frame["parallel_iterations"] = graphdef::number(1);
  graphdef::Attributes outer = frame, merged = kOfFloats, summed = kOfFloats;
  outer["is_constant"] = graphdef::flag(true);
  merged["N"] = graphdef::number(2);
  summed["Tidx"] = graphdef::type(graphdef::kInt32);
  graph.node("enter", "Enter", {"x"}, frame)
      .node("bound", "Enter", {"limit"}, outer)
      .node("factor", "Enter", {"two"}, outer)
      .node("all", "Enter", {"axes"},
            {{"T", graphdef::type(graphdef::kInt32)},
             {"frame_name", graphdef::text("loop")},
             {"is_constant", graphdef::flag(true)},
             {"parallel_iterations", graphdef::number(1)}})
      .node("merge", "Merge", {"enter", "next"}, merged)
      .node("sum", "Sum", {"merge", "all"}, summed)
      .node("goes_on", "Less", {"sum", "bound"}, kOfFloats)
      .node("condition", "LoopCond", {"goes_on"})
      .node("switch", "Switch", {"merge", "condition"}, kOfFloats)
      .node("double", "Mul", {"switch:1", "factor"}, kOfFloats)
      .node("next", "NextIteration", {"double"}, kOfFloats)
      .node("exit", "Exit", {"switch"}, kOfFloats)
      .node("y", "Identity", {"exit"}, kOfFloats);
  const Model model = graph.read();
  const auto run = open_timed(model, {.nodes = true});
  run->add(batch(0, {{"x", Tensor::from<float>({1, 1}, {1})}}));
  EXPECT_THAT(floats_of(run->outputs(0).at("y")), ElementsAre(1024));
  const RunTime time = run->run(0);
  const auto of = [&](std::string_view name) {
    const auto found = std::ranges::find(run->graph().nodes, name, &Node::name);
    EXPECT_NE(found, run->graph().nodes.end()) << name;
    return time.nodes[static_cast<std::size_t>(found - run->graph().nodes.begin())];
  };
  EXPECT_GT(of("double"), 0U);
  EXPECT_LE(of("double"), time.whole);
}

TEST_F(Tensorflow, TellsOfABatchThatItsNodesFailOn) {
  GraphBytes graph;
  graph.producer(1286).node("x", "Placeholder", {}, {{"dtype", graphdef::type(graphdef::kFloat)}});
  constant(graph, "shape", graphdef::kInt32, graphdef::integers({1}, {7}));
  graph.node("y", "Reshape", {"x", "shape"}, kOfFloats);
  const Model model = graph.read();
  const auto run = open_timed(model, {.nodes = true});
  EXPECT_EQ(refusal([&] { run->add(three(1, 2, 3)); }, {"small.pb", "TensorFlow fails", "y"}),
            Errc::failed);
}

TEST_F(Tensorflow, SaysWhatItIs) {
  const auto status = Formats(&workers_).status_apart(product());
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(status->available) << status->problem;
  EXPECT_TRUE(tensorflow::is_new_enough(status->version)) << status->version;
  EXPECT_TRUE(fs::exists(status->where)) << status->where;
}

TEST(TensorflowLibrary, HasAnOldestVersion) {
  EXPECT_TRUE(tensorflow::is_new_enough("2.16.2"));
  EXPECT_TRUE(tensorflow::is_new_enough("2.21.0"));
  EXPECT_TRUE(tensorflow::is_new_enough("2.100.0-rc1"));
  for (const char* other : {"2.15.1", "1.99.0", "3.0.0", "", "2", "2.", "x.20", "-2.20"}) {
    EXPECT_FALSE(tensorflow::is_new_enough(other)) << other;
  }
}

TEST(TensorflowLibrary, SaysWhatWasTried) {
  const auto library = tensorflow::load_library({"/no/such/file.so", "libm.so.6"});
  EXPECT_FALSE(library.is_there);
  EXPECT_EQ(library.code, Errc::not_found);
  EXPECT_THAT(library.problem, testing::HasSubstr("/no/such/file.so"));
  EXPECT_THAT(library.problem, testing::HasSubstr("libm.so.6: is not TensorFlow's C API"));
  EXPECT_THAT(library.problem, testing::HasSubstr("--with-tensorflow"));
  EXPECT_THAT(library.problem, testing::HasSubstr("QUANTLENS_TENSORFLOW"));
}

}  // namespace
}  // namespace quantlens::contract
