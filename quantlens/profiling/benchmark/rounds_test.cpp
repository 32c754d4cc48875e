// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/benchmark/rounds.h"

#include <string>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/frontend/frontend.h"

namespace quantlens {
namespace {

TEST(Rounds, EndAfterAsManyRunsAsAreAskedFor) {
  const RoundOptions five{.iterations = 5};
  EXPECT_FALSE(is_enough(4, 100, five));
  EXPECT_TRUE(is_enough(5, 0, five));
}

TEST(Rounds, ElseEndAfterFiftyRunsAndASecond) {
  EXPECT_FALSE(is_enough(49, 2, {}));
  EXPECT_FALSE(is_enough(1000, 0.9, {}));
  EXPECT_TRUE(is_enough(50, 1, {}));
}

TEST(Rounds, OfSlowModelsEndAfterTenRunsAndFiveSeconds) {
  EXPECT_FALSE(is_enough(10, 4.9, {}));
  EXPECT_FALSE(is_enough(9, 100, {}));
  EXPECT_TRUE(is_enough(10, 5, {}));
}

TEST(Rounds, AreSharedOutToLoadings) {
  const RoundOptions two{.iterations = 5, .loadings = 2};
  EXPECT_FALSE(is_enough(2, 100, two));
  EXPECT_TRUE(is_enough(3, 0, two));
  EXPECT_TRUE(is_enough(25, 0.5, {.loadings = 2}));
}

TEST(Rounds, SwapTwoModelsEquallyOftenAndWithoutAPeriod) {
  std::string order;
  for (std::uint64_t i = 0; i < 16; ++i) order += is_swapped(i) ? 'b' : 'a';
  EXPECT_EQ(order, "abbabaabbaababba");
}

/// The small network that ships with the program.
class Digits : public testing::Test {
 protected:
  void SetUp() override {
    model_ = frontend::read(fs::path(QUANTLENS_SOURCE_DIR) / "examples/demo/digits.onnx");
    Batch batch;
    batch.samples = {0};
    batch.labels.resize(1);
    Shape shape;
    for (const Dim& dim : *model_.graph.inputs.at(0).shape) shape.push_back(dim.extent.value_or(1));
    std::vector<float> zeros(static_cast<std::size_t>(*element_count(shape)));
    batch.inputs[model_.graph.inputs[0].name] = Tensor::from(shape, std::move(zeros));
    timed_ = {.model = &model_, .batches = {batch}};
  }
  Model model_;
  TimedModel timed_;
};

TEST_F(Digits, GivesEachModelEquallyManyTimes) {
  const auto runs =
      time_loading(std::vector{timed_, timed_}, 1, {.warmup = 1, .iterations = 7}, {});
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].size(), 7U);
  EXPECT_EQ(runs[1].size(), 7U);
  for (const double us : runs[0]) EXPECT_GT(us, 0);
}

TEST_F(Digits, StopsBetweenRunsWhereItShould) {
  int asked = 0;
  try {
    time_loading(std::vector{timed_}, 0, {.warmup = 0}, [&] { return ++asked > 3; });
    FAIL() << "it did not stop";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::interrupted);
  }
  EXPECT_EQ(asked, 4);
}

}  // namespace
}  // namespace quantlens
