// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/resize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/dataset/test_files.h"

// That it agrees with Pillow itself is tested by pillow_test.cpp.

namespace quantlens {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(ResizeBilinear, LeavesAnImageOfThatSizeAsItIs) {
  const Image image = test_image(19, 11);
  EXPECT_EQ(resize_bilinear(image, {11, 19}, "a").pixels, image.pixels);
}

TEST(ResizeBilinear, KeepsAConstantImageConstant) {
  const Image flat{.width = 31,
                   .height = 17,
                   .channels = 3,
                   .pixels = std::vector<std::uint8_t>(31 * 17 * 3, 201)};
  for (const ImageSize size : {ImageSize{5, 7}, {100, 90}, {17, 3}, {1, 1}}) {
    EXPECT_THAT(resize_bilinear(flat, size, "a").pixels, Each(201));
  }
}

TEST(ResizeBilinear, AveragesAllPixelsOfAStrongReduction) {
  const Image row{.width = 4, .height = 1, .channels = 1, .pixels = {8, 16, 24, 80}};
  // 2 of 4: weights 3, 3, 1 (and 1, 3, 3 mirrored); 1 of 4: weights 5, 7, 7, 5.
  EXPECT_THAT(resize_bilinear(row, {1, 2}, "a").pixels, ElementsAre(14, 47));
  EXPECT_THAT(resize_bilinear(row, {1, 1}, "a").pixels, ElementsAre(30));
}

TEST(ResizeBilinear, InterpolatesOnEnlarging) {
  const Image row{.width = 2, .height = 1, .channels = 1, .pixels = {0, 100}};
  EXPECT_THAT(resize_bilinear(row, {1, 4}, "a").pixels, ElementsAre(0, 25, 75, 100));
}

TEST(ResizeBilinear, GivesThePartOfTheWhole) {
  const Image image = test_image(50, 41);
  const ImageSize size{.height = 33, .width = 64};
  const Image whole = resize_bilinear(image, size, "a");
  const ImagePart part{.top = 5, .left = 9, .size = {.height = 20, .width = 30}};
  const Image piece = resize_bilinear(image, size, part, "a");
  ASSERT_EQ(piece.pixels.size(), 20U * 30U * 3U);
  for (std::size_t y = 0; y < 20; ++y) {
    for (std::size_t x = 0; x < 90; ++x) {
      ASSERT_EQ(piece.pixels[y * 90 + x], whole.pixels[(y + 5) * 64 * 3 + 9 * 3 + x]);
    }
  }
}

TEST(ResizeBilinear, RefusesWorkOutOfProportion) {
  const Image tall{
      .width = 1, .height = 100'000, .channels = 1, .pixels = std::vector<std::uint8_t>(100'000)};
  EXPECT_THAT(sentence([&] {
                resize_bilinear(tall, {1, 1001}, "a.png");
              }),
              HasSubstr("bad_input: a.png: scaling it to 1001x100000 pixels is too much"));
}

}  // namespace
}  // namespace quantlens
