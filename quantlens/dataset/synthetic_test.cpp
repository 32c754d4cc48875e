// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/synthetic.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/dataset/test_files.h"

namespace quantlens {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::HasSubstr;
using testing::Lt;

const std::vector<InputSpec> kInputs = {
    {.name = "ids", .dtype = DType::int64, .shape = {-1, 8}},
    {.name = "pixels", .dtype = DType::float32, .shape = {1, 3, 40, 40}}};

TEST(RandomDataset, DependsOnSeedAndIndexAlone) {
  const auto bytes = [](std::uint64_t seed, std::uint64_t index) {
    const auto data = make_random_dataset({.count = 9, .seed = seed, .shapes = {}}, kInputs, "r");
    const Tensor pixels = data->read(index).inputs.at("pixels");
    return std::vector<std::byte>(pixels.bytes().begin(), pixels.bytes().end());
  };
  EXPECT_EQ(bytes(1, 5), bytes(1, 5));
  EXPECT_NE(bytes(1, 5), bytes(1, 6));
  EXPECT_NE(bytes(1, 5), bytes(2, 5));
}

TEST(RandomDataset, FillsFloatsUniformlyAndIntegersWithZeroOrOne) {
  const auto data = make_random_dataset({}, kInputs, "r");
  const Sample sample = data->read(0);
  const Tensor& pixels = sample.inputs.at("pixels");
  EXPECT_EQ(pixels.shape(), Shape({3, 40, 40}));
  EXPECT_THAT(pixels.data<float>(), Each(AllOf(Ge(-1.F), Lt(1.F))));
  const auto positive = std::ranges::count_if(pixels.data<float>(), [](float x) { return x > 0; });
  EXPECT_NEAR(static_cast<double>(positive), 2400, 5 * 35);  // five standard deviations
  EXPECT_THAT(sample.inputs.at("ids").data<std::int64_t>(), Each(AllOf(Ge(0), Lt(2))));
}

TEST(RandomDataset, SaysThatItIsRandom) {
  EXPECT_THAT(make_random_dataset({}, kInputs, "r")->caveat(), HasSubstr("random"));
  EXPECT_EQ(make_random_dataset({}, kInputs, "r")->size(), 100U);
}

TEST(RandomDataset, AsksForTheExtentsThatTheModelLeavesOpen) {
  const std::vector<InputSpec> open = {{.name = "ids", .dtype = DType::int64, .shape = {-1, -1}}};
  EXPECT_THAT(sentence([&] { make_random_dataset({}, open, "random"); }),
              AllOf(HasSubstr("bad_input: random: the model leaves the shape of its input 'ids'"),
                    HasSubstr("random: {shapes: {ids: [EXTENT]}}")));
  const auto data = make_random_dataset({.shapes = {{"ids", {64}}}}, open, "random");
  EXPECT_EQ(data->read(0).inputs.at("ids").shape(), Shape({64}));
}

TEST(RandomDataset, RefusesShapesThatTheModelDoesNotTake) {
  EXPECT_THAT(sentence([] {
                make_random_dataset({.shapes = {{"ids", {9}}}}, kInputs, "r");
              }),
              HasSubstr("random.shapes gives 'ids' the shape [9]"));
  EXPECT_THAT(sentence([] {
                make_random_dataset({.shapes = {{"id", {8}}}}, kInputs, "r");
              }),
              HasSubstr("the model has no input 'id'; did you mean 'ids'?"));
  const std::vector<InputSpec> vast = {
      {.name = "x", .dtype = DType::int8, .shape = {-1, 100'000, 100'000}}};
  EXPECT_THAT(sentence([&] { make_random_dataset({}, vast, "r"); }),
              HasSubstr("ask for a smaller"));
}

TEST(RandomDataset, MakesWordsForInputsOfText) {
  const std::vector<InputSpec> text = {{.name = "x", .dtype = DType::string, .shape = {-1, 3}}};
  const Sample sample = make_random_dataset({}, text, "r")->read(0);
  ASSERT_EQ(sample.inputs.at("x").strings().size(), 3U);
  for (const std::string& word : sample.inputs.at("x").strings()) EXPECT_EQ(word.size(), 4U);
  EXPECT_NE(sample.inputs.at("x").strings()[0], sample.inputs.at("x").strings()[1]);
}

}  // namespace
}  // namespace quantlens
