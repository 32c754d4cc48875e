// SPDX-License-Identifier: Apache-2.0
// Steps, outputs and refusals.
#include "quantlens/runtime/contract/run_contract.h"

#include <gmock/gmock.h>

namespace quantlens::contract {
namespace {

using testing::ElementsAre;

using Steps = RunContract;
INSTANTIATE_TEST_SUITE_P(Kinds, Steps, testing::ValuesIn(run_kinds()), kind_name);

/// y = relu(x w + b) for x of [N,3]; "product" and "sum" are inner values. All numbers are small
/// integers, so every kind of Run is exact, whatever its order of summation.
Model small_net() {
  Net net;
  net.input("x", {-1, 3});
  net.weight("w", Tensor::from<float>({3, 2}, {1, -1, 2, 0, -3, 4}));
  net.weight("b", Tensor::from<float>({2}, {10, -20}));
  net.node("MatMul", {"x", "w"}, "product");
  net.node("Add", {"product", "b"}, "sum");
  net.node("Relu", {"sum"}, "y");
  return net.output("y").model();
}

/// A net with random numbers whose kernels runtimes like to fuse and reorder.
Model random_net() {
  Net net;
  net.input("x", {-1, 3, 12, 12});
  net.weight("w1", random_floats({8, 3, 3, 3}, 1));
  net.weight("b1", random_floats({8}, 2));
  net.weight("w2", random_floats({8, 1, 3, 3}, 3));
  net.weight("w3", random_floats({8, 5}, 4));
  const std::vector<std::int64_t> pads{1, 1, 1, 1};
  net.node("Conv", {"x", "w1", "b1"}, "conv1", {{"pads", pads}});
  net.node("Relu", {"conv1"}, "relu1");
  net.node("Conv", {"relu1", "w2"}, "conv2", {{"pads", pads}, {"group", std::int64_t{8}}});
  net.node("Add", {"conv2", "relu1"}, "sum");
  net.node("Sigmoid", {"sum"}, "gate");
  net.node("Mul", {"sum", "gate"}, "silu");
  net.node("GlobalAveragePool", {"silu"}, "pooled");
  net.node("Flatten", {"pooled"}, "flat");
  net.node("MatMul", {"flat", "w3"}, "logits");
  net.node("Softmax", {"logits"}, "y", {{"axis", std::int64_t{-1}}});
  return net.output("y").output("sum").model();
}

Batch three_numbers(std::uint64_t first = 0) {
  return batch(first, {{"x", Tensor::from<float>({2, 3}, {1, 2, 3, -1, 0, 5})}});
}

TEST_P(Steps, GiveTheOutputsWorkedOutByHand) {
  const Model model = small_net();
  const auto run = open(model);
  const Outputs outputs = run->step(three_numbers());
  ASSERT_EQ(outputs.reference.size(), 1u);
  const Tensor& y = outputs.reference.at("y");
  EXPECT_EQ(y.shape(), (Shape{2, 2}));
  EXPECT_THAT(y.data<float>(), ElementsAre(6, 0, 0, 1));
  EXPECT_TRUE(outputs.quantized.empty());
}

TEST_P(Steps, OutputsAreBitEqualWithAndWithoutTaps) {
  const Model model = random_net();
  const Batch data = batch(0, {{"x", random_floats({2, 3, 12, 12}, 9)}});
  const std::string plain = bytes_of(open(model)->step(data).reference);
  const TapSpec all = taps(
      {"x", "conv1", "relu1", "conv2", "sum", "gate", "silu", "pooled", "flat", "logits", "y"});
  EXPECT_EQ(bytes_of(open(model, all)->step(data).reference), plain);
  for (const Tap& one : all.taps) {
    TapSpec spec;
    spec.taps = {one};
    EXPECT_EQ(bytes_of(open(model, spec)->step(data).reference), plain) << one.value;
  }
}

TEST_P(Steps, OneAndFourThreadsGatherEqualBytes) {
  const Model model = random_net();
  TapSpec spec = taps({"x", "conv1", "sum", "silu", "y"});
  spec.taps[1].channel_axis = 1;
  spec.pairs = {pair("sum", "sum"), pair("y", "y")};
  spec.pairs[0].channel_axis = 1;
  spec.pairs[0].channel_histograms = {0, 1};
  const Batch data = batch(0, {{"x", random_floats({3, 3, 12, 12}, 9)}});
  EXPECT_EQ(to_bytes(gathered(model, &model, spec, data, 1)),
            to_bytes(gathered(model, &model, spec, data, 4)));
}

TEST_P(Steps, FeedBothModelsTheSameInputsByPosition) {
  const Model model = small_net();
  Net other;
  other.input("other_x", {-1, 3});
  other.weight("two", Tensor::scalar(2.0f));
  other.node("Mul", {"other_x", "two"}, "other_y");
  const Model doubled = other.output("other_y").model();
  const auto run = open(model, &doubled, {});
  const Outputs outputs = run->step(three_numbers());
  EXPECT_THAT(outputs.reference.at("y").data<float>(), ElementsAre(6, 0, 0, 1));
  ASSERT_EQ(outputs.quantized.size(), 1u);
  EXPECT_THAT(outputs.quantized.at("other_y").data<float>(), ElementsAre(2, 4, 6, -2, 0, 10));
}

TEST_P(Steps, OneModelMayStandOnBothSides) {
  const Model model = random_net();
  const Batch data = batch(0, {{"x", random_floats({1, 3, 12, 12}, 9)}});
  const Outputs outputs = open(model, &model, {})->step(data);
  EXPECT_EQ(bytes_of(outputs.reference), bytes_of(outputs.quantized));
}

TEST_P(Steps, InputsThatDoNotFitAreNamedWithBothSides) {
  const Model model = small_net();
  const auto step = [&](const TensorMap& inputs) {
    const auto run = open(model);
    run->step(batch(0, inputs));
  };
  EXPECT_EQ(refusal(
                [&] {
                  step({{"x", random_floats({1, 4}, 1)}});
                },
                {"'x'", "[?,3]", "[1,4]"}),
            Errc::bad_input);
  EXPECT_EQ(refusal(
                [&] {
                  step({{"x", random_floats({1, 3, 1}, 1)}});
                },
                {"'x'", "[1,3,1]"}),
            Errc::bad_input);
  EXPECT_EQ(refusal(
                [&] {
                  step({{"x", Tensor::from<double>({1, 3}, {1, 2, 3})}});
                },
                {"'x'", "float32", "float64"}),
            Errc::bad_input);
  EXPECT_EQ(refusal([&] { step({{"z", random_floats({1, 3}, 1)}}); }, {"'x'"}), Errc::bad_input);
}

TEST_P(Steps, ValuesThatDoNotExistAreNotFound) {
  const Model model = small_net();
  EXPECT_EQ(refusal([&] { open(model, taps({"sun"})); }, {"'sun'"}), Errc::not_found);
  EXPECT_EQ(refusal([&] { open(model, taps({"w"})); }, {"'w'"}), Errc::not_found);
  TapSpec spec;
  spec.pairs = {pair("sum", "nothing")};
  EXPECT_EQ(refusal([&] { open(model, &model, spec); }, {"'nothing'"}), Errc::not_found);
  spec.pairs = {pair("nothing", "sum")};
  EXPECT_EQ(refusal([&] { open(model, &model, spec); }, {"'nothing'"}), Errc::not_found);
}

TEST_P(Steps, ASampleSeenTwiceIsRefused) {
  const Model model = small_net();
  const auto again = open(model, taps({"y"}));
  again->step(three_numbers(4));
  EXPECT_EQ(refusal([&] { again->step(three_numbers(5)); }, {"5"}), Errc::bad_input);
  const auto twice = open(model, taps({"y"}));
  Batch data = three_numbers();
  data.samples = {3, 3};
  EXPECT_EQ(refusal([&] { twice->step(data); }, {"3"}), Errc::bad_input);
}

TEST_P(Steps, TakeLeavesTheTapsEmpty) {
  const Model model = small_net();
  const auto run = open(model, taps({"y"}));
  const TapState untouched = run->take();
  EXPECT_EQ(untouched.samples.size(), 0u);
  ASSERT_EQ(untouched.values.size(), 1u);
  run->step(three_numbers());
  const TapState first = run->take();
  EXPECT_EQ(first.samples.size(), 2u);
  EXPECT_EQ(run->take(), untouched);
  run->step(three_numbers());  // seen before, but that was taken away
  EXPECT_EQ(to_bytes(run->take()), to_bytes(first));
}

TEST_P(Steps, AreNotHinderedByOtherRunsOfTheSameModel) {
  const Model model = small_net();
  const auto first = open(model, taps({"y"}));
  const auto second = open(model, taps({"y", "x"}));
  first->step(three_numbers());
  second->step(three_numbers());
  second->step(three_numbers(2));
  EXPECT_EQ(first->take().samples.size(), 2u);
  EXPECT_EQ(second->take().samples.size(), 4u);
}

TEST_P(Steps, ABrokenModelIsRefusedWhenOpened) {
  Net net;
  net.input("x", {-1, 3});
  net.weight("w", random_floats({5, 2}, 1));
  net.node("NoSuchOperator", {"x", "w"}, "y");
  const Model model = net.output("y").model();
  const Errc code = refusal([&] { open(model); }, {"NoSuchOperator"});
  EXPECT_TRUE(code == Errc::bad_input || code == Errc::unsupported);
}

}  // namespace
}  // namespace quantlens::contract
