// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/transform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/dataset/test_files.h"
#include "quantlens/tensor/half.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

InputSpec spec(Shape shape, DType dtype = DType::float32) {
  return {.name = "x", .dtype = dtype, .shape = std::move(shape)};
}

Tensor apply(const ImageSteps& steps, const InputSpec& input, const Image& image) {
  return ImageTransform(steps, input, "doc.yaml").apply(image, "a.jpg");
}

/// Two pixels: (1,2,3) and (4,5,6).
Image two_pixels() {
  return {.width = 2, .height = 1, .channels = 3, .pixels = {1, 2, 3, 4, 5, 6}};
}

TEST(ImageTransform, WritesChannelsApartOrTogether) {
  const Tensor planes = apply({.layout = PixelLayout::nchw}, spec({}), two_pixels());
  EXPECT_EQ(planes.shape(), Shape({3, 1, 2}));
  EXPECT_THAT(planes.data<float>(), ElementsAre(1, 4, 2, 5, 3, 6));
  const Tensor pixels = apply({.layout = PixelLayout::nhwc}, spec({}), two_pixels());
  EXPECT_EQ(pixels.shape(), Shape({1, 2, 3}));
  EXPECT_THAT(pixels.data<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(ImageTransform, TakesLayoutAndColorFromTheModelWhereNotSaid) {
  EXPECT_EQ(apply({}, spec({-1, 3, -1, -1}), two_pixels()).shape(), Shape({3, 1, 2}));
  EXPECT_EQ(apply({}, spec({-1, -1, -1, 3}), two_pixels()).shape(), Shape({1, 2, 3}));
  EXPECT_EQ(apply({}, spec({-1, 1, -1, -1}), two_pixels()).shape(), Shape({1, 1, 2}));
}

TEST(ImageTransform, AppliesMeanAndStdInTheOrderOfTheChannels) {
  const ImageSteps steps{
      .color = ColorOrder::bgr, .mean = {3, 2, 1}, .std = {2, 1, 0.5}, .layout = PixelLayout::nchw};
  EXPECT_THAT(apply(steps, spec({}), two_pixels()).data<float>(),
              ElementsAre(0, 1.5, 0, 3, 0, 6));  // blue, green, red
}

TEST(ImageTransform, MakesGreyAsPillowDoes) {
  const Image image{
      .width = 3, .height = 1, .channels = 3, .pixels = {255, 0, 0, 0, 255, 0, 0, 0, 255}};
  EXPECT_THAT(apply({.color = ColorOrder::gray}, spec({}), image).data<float>(),
              ElementsAre(76, 150, 29));  // Image.convert("L")
}

TEST(ImageTransform, CutsTheCentreAndRoundsItsCornerDown) {
  Image image{.width = 5, .height = 4, .channels = 3, .pixels = {}};
  for (std::uint8_t i = 0; i < 20; ++i) image.pixels.insert(image.pixels.end(), {i, i, i});
  const ImageSteps steps{.crop = ImageSize{.height = 1, .width = 2}};
  EXPECT_THAT(apply(steps, spec({-1, 3, 1, 2}), image).data<float>().first(2),
              ElementsAre(6, 7));  // row (4 - 1) / 2 = 1, column (5 - 2) / 2 = 1
}

TEST(ImageTransform, BringsTheShorterSideToSizeAndCutsTheLongerOneToWholePixels) {
  const ImageSteps steps{.resize_short = 10};
  EXPECT_EQ(apply(steps, spec({}), test_image(33, 20)).shape(), Shape({3, 10, 16}));
  EXPECT_EQ(apply(steps, spec({}), test_image(20, 39)).shape(), Shape({3, 19, 10}));
}

TEST(ImageTransform, RefusesAnImageSmallerThanTheCrop) {
  const ImageSteps steps{.crop = ImageSize{.height = 8, .width = 8}};
  EXPECT_THAT(sentence([&] { apply(steps, spec({}), test_image(20, 7)); }),
              HasSubstr("bad_input: a.jpg: 20x7 pixels are less than the crop of 8x8"));
}

TEST(ImageTransform, NamesBothSidesWhereTheResultIsNotWhatTheModelTakes) {
  const ImageSteps crop{.crop = ImageSize{.height = 227, .width = 227}};
  EXPECT_THAT(sentence([&] {
                ImageTransform(crop, spec({-1, 3, 224, 224}), "doc.yaml");
              }),
              HasSubstr("doc.yaml: the image becomes [3,227,227], but the model's input 'x' takes "
                        "float32 [3,224,224]"));
  EXPECT_THAT(sentence([] {
                apply({}, spec({-1, 3, 224, 224}), test_image(20, 10));
              }),
              HasSubstr("a.jpg: the image becomes [3,10,20]"));
}

TEST(ImageTransform, FeedsWholeNumbersToAnIntegerInputAndRefusesOthers) {
  const Tensor bytes = apply({}, spec({-1, 3, 1, 2}, DType::uint8), two_pixels());
  EXPECT_THAT(bytes.data<std::uint8_t>(), ElementsAre(1, 4, 2, 5, 3, 6));
  const Tensor centred = apply({.mean = {128}}, spec({-1, 3, 1, 2}, DType::int8), two_pixels());
  EXPECT_EQ(centred.data<std::int8_t>()[0], -127);
  EXPECT_THAT(sentence([] { apply({.std = {2}}, spec({}, DType::uint8), two_pixels()); }),
              HasSubstr("not all of the grey levels 0 to 255 become uint8"));
}

TEST(ImageTransform, RoundsOnceToHalf) {
  const ImageSteps steps{.mean = {127.5}, .std = {127.5}};
  const Tensor half = apply(steps, spec({}, DType::float16), two_pixels());
  EXPECT_EQ(half.data<std::uint16_t>()[0], half_from_float(static_cast<float>(-126.5 / 127.5)));
}

TEST(ImageTransform, RefusesStepsThatContradictEachOther) {
  const auto made = [](const ImageSteps& steps) {
    return sentence([&] { ImageTransform(steps, spec({}), "doc.yaml"); });
  };
  EXPECT_THAT(made({.resize_short = 8, .resize = ImageSize{8, 8}}),
              HasSubstr("usage: doc.yaml: resize and resize_short contradict"));
  EXPECT_THAT(made({.std = {1, 0, 1}}), HasSubstr("std must not be 0"));
  EXPECT_THAT(made({.mean = {1, 2}}), HasSubstr("mean has 2 values for 3 channels"));
  EXPECT_THAT(made({.dtype = DType::uint8}),
              HasSubstr("the pixels become uint8, but the model's input 'x' takes float32"));
}

TEST(ImageTransform, RefusesAnImageTooLongToScale) {
  Image line{.width = 1'000'000, .height = 1, .channels = 3, .pixels = {}};
  line.pixels.resize(3'000'000);
  EXPECT_THAT(sentence([&] { apply({.resize_short = 224}, spec({}), line); }),
              HasSubstr("1000000x1 pixels are too long and narrow for resize_short 224"));
}

}  // namespace
}  // namespace quantlens
