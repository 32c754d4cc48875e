// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quant/blocks.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

Tensor matrix(std::int64_t rows, std::int64_t columns) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  std::ranges::generate(values, [&] { return normal(random); });
  return Tensor::from<float>({rows, columns}, std::move(values));
}

Tensor there_and_back(const Tensor& tensor, Lines lines, const BlockScheme& scheme) {
  const Blocks blocks = quantize_blocks(tensor, lines, scheme);
  const Shape& shape = tensor.shape();
  const Shape extents = lines == Lines::rows ? shape : Shape{shape[1], shape[0]};
  const auto reader = BlockReader::of(blocks, scheme.bits, scheme.size, extents);
  return dequantize_blocks(reader.value(), lines);
}

double squared_error(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.data<float>().size(); ++i) {
    const double error = static_cast<double>(a.data<float>()[i]) - b.data<float>()[i];
    sum += error * error;
  }
  return sum;
}

TEST(Blocks, FourBitsArePackedWithTheFirstBelow) {
  std::vector<float> values(16, 0.0F);
  values[0] = -8, values[1] = 7, values[2] = 1;
  const Blocks blocks =
      quantize_blocks(Tensor::from<float>({1, 16}, values), Lines::rows, {.size = 16});
  EXPECT_EQ(blocks.codes.shape(), (Shape{1, 1, 8}));
  EXPECT_EQ(blocks.codes.data<std::uint8_t>()[0], 0xF0);  // codes 0 and 15
  EXPECT_EQ(blocks.codes.data<std::uint8_t>()[1], 0x89);  // codes 9 and 8
  EXPECT_EQ(blocks.scales.data<float>()[0], 1);
  EXPECT_FALSE(blocks.zero_points);
}

TEST(Blocks, AColumnIsALine) {
  const Tensor tensor = matrix(40, 19);
  std::vector<float> turned(40 * 19);
  for (std::size_t r = 0; r < 40; ++r) {
    for (std::size_t c = 0; c < 19; ++c) turned[c * 40 + r] = tensor.data<float>()[r * 19 + c];
  }
  const Blocks columns = quantize_blocks(tensor, Lines::columns, {.symmetric = false});
  const Blocks rows =
      quantize_blocks(Tensor::from<float>({19, 40}, turned), Lines::rows, {.symmetric = false});
  EXPECT_TRUE(std::ranges::equal(columns.codes.bytes(), rows.codes.bytes()));
  EXPECT_TRUE(std::ranges::equal(columns.scales.bytes(), rows.scales.bytes()));
  EXPECT_TRUE(std::ranges::equal(columns.zero_points->bytes(), rows.zero_points->bytes()));
}

TEST(Blocks, ErrorsStayWithinAStep) {
  for (const int bits : {4, 8}) {
    for (const std::int64_t size : {16, 64, 256}) {
      for (const std::int64_t rows : {16, 100, 300}) {  // blocks that are not full, too
        const BlockScheme scheme{.bits = bits, .size = size, .symmetric = false};
        const Tensor tensor = matrix(rows, 7);
        const Blocks blocks = quantize_blocks(tensor, Lines::columns, scheme);
        const Tensor back = there_and_back(tensor, Lines::columns, scheme);
        const std::int64_t count = (rows + size - 1) / size;
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t c = 0; c < 7; ++c) {
            const auto at = static_cast<std::size_t>(r * 7 + c);
            const float step =
                blocks.scales.data<float>()[static_cast<std::size_t>(c * count + r / size)];
            // the zero point is rounded, so that the ends may be half a step further away
            EXPECT_LE(std::abs(tensor.data<float>()[at] - back.data<float>()[at]), step * 1.001F);
          }
        }
      }
    }
  }
}

TEST(Blocks, TheSearchIsNeverWorse) {
  for (const bool symmetric : {true, false}) {
    for (const int bits : {4, 8}) {
      const Tensor tensor = matrix(96, 33);
      BlockScheme scheme{.bits = bits, .symmetric = symmetric};
      const double plain = squared_error(tensor, there_and_back(tensor, Lines::columns, scheme));
      scheme.searched = true;
      const double searched = squared_error(tensor, there_and_back(tensor, Lines::columns, scheme));
      EXPECT_LT(searched, plain);
      EXPECT_LT(searched, bits == 4 ? 0.95 * plain : plain);
    }
  }
}

TEST(Blocks, ZerosTinyAndHugeValuesSurvive) {
  for (const bool searched : {false, true}) {
    for (const bool symmetric : {false, true}) {
      const BlockScheme scheme{.bits = 8, .size = 16, .symmetric = symmetric, .searched = searched};
      const auto back = [&](float value) {
        std::vector<float> values(16, 0.0F);
        values[3] = value;
        return there_and_back(Tensor::from<float>({1, 16}, values), Lines::rows, scheme);
      };
      EXPECT_EQ(back(0).data<float>()[3], 0);
      EXPECT_EQ(back(1e-42F).data<float>()[0], 0);
      EXPECT_NEAR(back(3e38F).data<float>()[3] / 3e38F, 1, 0.01);
      EXPECT_NEAR(back(-3e38F).data<float>()[3] / 3e38F, -1, 0.01);
      EXPECT_EQ(back(-3e38F).data<float>()[0], 0);
    }
  }
}

TEST(Blocks, WhatIsNoSchemeIsRefused) {
  const Tensor tensor = matrix(32, 2);
  EXPECT_THROW(quantize_blocks(tensor, Lines::rows, {.bits = 5}), Error);
  EXPECT_THROW(quantize_blocks(tensor, Lines::rows, {.size = 48}), Error);
  EXPECT_THROW(quantize_blocks(tensor, Lines::rows, {.size = 512}), Error);
  EXPECT_THROW(quantize_blocks(Tensor::from<float>({2}, {1, 2}), Lines::rows, {}), Error);
}

TEST(Blocks, TensorsThatDoNotFitAreNotRead) {
  const Blocks blocks = quantize_blocks(matrix(64, 3), Lines::columns, {.symmetric = false});
  EXPECT_TRUE(BlockReader::of(blocks, 4, 32, {3, 64}));
  EXPECT_FALSE(BlockReader::of(blocks, 4, 32, {4, 64}));
  EXPECT_FALSE(BlockReader::of(blocks, 4, 32, {3, 65}));
  EXPECT_FALSE(BlockReader::of(blocks, 8, 32, {3, 64}));
  EXPECT_FALSE(BlockReader::of(blocks, 4, 0, {3, 64}));
  EXPECT_FALSE(BlockReader::of(blocks, 4, 32, {3, std::int64_t{1} << 62}));
  EXPECT_FALSE(BlockReader::of(blocks, 4, std::int64_t{1} << 62, {3, 64}));
  EXPECT_FALSE(BlockReader::of(blocks, 4, 32, {-3, 64}));
}

}  // namespace
}  // namespace quantlens
