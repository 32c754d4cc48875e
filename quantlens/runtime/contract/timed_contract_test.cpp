// SPDX-License-Identifier: Apache-2.0
// What every kind of TimedRun promises (timed.h): in this process, and in a worker.
#include <numeric>

#include <gmock/gmock.h>

#include "quantlens/runtime/contract/run_contract.h"
#include "quantlens/runtime/contract/same_model.h"
#include "quantlens/runtime/timed.h"
#include "quantlens/runtime/workers.h"

namespace quantlens::contract {
namespace {

struct TimedKind {
  const char* name;
  bool in_a_worker;
};

std::ostream& operator<<(std::ostream& out, const TimedKind& kind) {
  return out << kind.name;
}

class TimedRuns : public testing::TestWithParam<TimedKind> {
 protected:
  void SetUp() override {
    const std::string missing = onnxruntime_missing();
    if (!missing.empty()) GTEST_SKIP() << missing;
  }
  std::unique_ptr<TimedRun> open(const Model& model, TimedOptions options = {}) {
    if (GetParam().in_a_worker) options.workers = &workers_;
    return open_timed(model, options);
  }

 private:
  Workers workers_{Isolation{.program = QUANTLENS_TEST_WORKER, .stop_requested = {}}};
};

INSTANTIATE_TEST_SUITE_P(Kinds, TimedRuns,
                         testing::Values(TimedKind{"here", false}, TimedKind{"in_a_worker", true}),
                         [](const auto& kind) { return std::string(kind.param.name); });

/// y [N,2] = relu(x w), and the number of samples as n.
Model timed_net() {
  Net net;
  net.input("x", {-1, 3});
  net.weight("w", Tensor::from<float>({3, 2}, {1, -1, 2, 0, -3, 4}));
  net.node("MatMul", {"x", "w"}, "product");
  net.node("Relu", {"product"}, "y");
  net.node("Shape", {"x"}, "n");
  return net.output("y").output("n").model();
}

Batch numbers(std::int64_t count, float value = 1) {
  return batch(
      0, {{"x", Tensor::from<float>(
                    {count, 3}, std::vector<float>(static_cast<std::size_t>(count) * 3, value))}});
}

TEST_P(TimedRuns, WithoutNodesTellTheWholeTimeOnly) {
  const Model model = timed_net();
  const auto run = open(model);
  const RunTime time = run->run(run->add(numbers(2)));
  EXPECT_GT(time.whole, 0U);
  EXPECT_TRUE(time.nodes.empty());
  EXPECT_TRUE(run->graph().nodes.empty());
  EXPECT_TRUE(run->types().empty());
}

TEST_P(TimedRuns, TellTheGraphThatIsRunAndEachNodesPart) {
  const Model model = timed_net();
  const auto run = open(model, {.nodes = true});
  const std::size_t number = run->add(numbers(2));
  run->run(number);
  const RunTime time = run->run(number);
  ASSERT_FALSE(run->graph().nodes.empty());
  ASSERT_EQ(time.nodes.size(), run->graph().nodes.size());
  const auto sum = std::accumulate(time.nodes.begin(), time.nodes.end(), std::uint64_t{0});
  EXPECT_GT(sum, 0U);
  EXPECT_LE(sum, time.whole);
}

TEST_P(TimedRuns, TellTheSameGraphAsInThisProcess) {
  const Model model = timed_net();
  const auto here = open_timed(model, {.nodes = true});
  EXPECT_EQ(whole_text(open(model, {.nodes = true})->graph()), whole_text(here->graph()));
}

TEST_P(TimedRuns, KnowTypesAfterTheFirstRun) {
  const Model model = timed_net();
  const auto run = open(model, {.nodes = true});
  const std::size_t number = run->add(numbers(5));
  run->run(number);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(run->types().contains("product"));
    EXPECT_EQ(run->types().at("product").shape, (Shape{5, 2}));
    EXPECT_EQ(run->types().at("product").dtype, DType::float32);
    EXPECT_EQ(run->types().at("x").shape, (Shape{5, 3}));
    run->run(number);
  }
}

TEST_P(TimedRuns, AnswerEachBatchByItsNumber) {
  const Model model = timed_net();
  const auto run = open(model, {.nodes = true});
  const std::size_t first = run->add(numbers(2, 1));
  const std::size_t second = run->add(numbers(30'000, 2));
  EXPECT_EQ(first, 0U);
  EXPECT_EQ(second, 1U);
  const TensorMap large = run->outputs(second);
  const TensorMap small = run->outputs(first);
  EXPECT_EQ(small.at("y").shape(), (Shape{2, 2}));
  EXPECT_EQ(small.at("y").data<float>()[1], 3);
  EXPECT_EQ(large.at("y").data<float>()[59'999], 6);
  EXPECT_EQ(to_int64(small.at("n")), (std::vector<std::int64_t>{2, 3}));
}

TEST_P(TimedRuns, OfSeveralModelsRunInTurn) {
  const Model model = timed_net();
  auto first = open(model, {.in_turn = true});
  auto second = open(model, {.nodes = true, .in_turn = true});
  first->add(numbers(2, 1));
  second->add(numbers(2, 2));
  for (int i = 0; i < 3; ++i) {
    EXPECT_GT(first->run(0).whole, 0U);
    EXPECT_FALSE(second->run(0).nodes.empty());
  }
  first.reset();
  first = open(model);
  first->add(numbers(3, 5));
  EXPECT_EQ(second->outputs(0).at("y").data<float>()[1], 6);
  EXPECT_EQ(first->outputs(0).at("y").data<float>()[1], 15);
}

TEST_P(TimedRuns, AreRunInTheOrderOfTheirTurns) {
  const Model model = timed_net();
  const auto bare = open(model, {.in_turn = true});
  const auto timed = open(model, {.nodes = true, .in_turn = true});
  bare->add(numbers(1));
  timed->add(numbers(1));
  timed->add(numbers(20'000));
  const std::vector<Turn> turns{
      {timed.get(), 0}, {bare.get(), 0}, {timed.get(), 1}, {timed.get(), 0}};
  std::vector<std::size_t> seen;
  std::vector<std::uint64_t> whole;
  run_in_turn(turns, [&](std::size_t turn, const RunTime& time) {
    seen.push_back(turn);
    whole.push_back(time.whole);
    EXPECT_EQ(time.nodes.size(), turns[turn].model->graph().nodes.size());
  });
  EXPECT_THAT(seen, testing::ElementsAre(0, 1, 2, 3));
  EXPECT_GT(whole[2], whole[3]) << "twenty thousand samples take longer than one";
  ASSERT_TRUE(timed->types().contains("product"));
  EXPECT_THROW(
      run_in_turn(turns, [](std::size_t,
                            const RunTime&) { throw Error(Errc::interrupted, "interrupted"); }),
      Error);
  EXPECT_GT(bare->run(0).whole, 0U) << "it is of use all the same";
}

TEST_P(TimedRuns, RefuseBatchesThatDoNotFit) {
  const Model model = timed_net();
  const auto run = open(model);
  const Batch wrong = batch(0, {{"x", Tensor::from<float>({1, 4}, {1, 2, 3, 4})}});
  EXPECT_EQ(refusal([&] { run->add(wrong); }, {"net.onnx", "'x'", "[?,3]", "[1,4]"}),
            Errc::bad_input);
  EXPECT_EQ(run->add(numbers(1)), 0U) << "it is of use all the same";
}

TEST_P(TimedRuns, RefuseModelsThatTheRuntimeDoesNotRun) {
  Net net;
  net.input("x", {-1, 3});
  net.node("NoSuchOp", {"x"}, "y");
  const Model model = net.output("y").model();
  EXPECT_EQ(refusal([&] { open(model, {.nodes = true}); },
                    {"net.onnx: ONNX Runtime refuses the model", "NoSuchOp"}),
            Errc::bad_input);
}

}  // namespace
}  // namespace quantlens::contract
