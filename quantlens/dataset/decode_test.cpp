// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/decode.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/dataset/test_files.h"

namespace quantlens {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Bytes bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string decode_refusal(std::string_view file, std::int64_t most_pixels = kMostPixels) {
  return sentence([&] { decode_image(bytes_of(file), "a.jpg", most_pixels); });
}

TEST(DecodeImage, GivesThePixelsOfAPng) {
  const Image image = test_image(37, 23);
  const Image decoded = decode_image(bytes_of(png_file(image)), "a");
  EXPECT_EQ(decoded.width, 37);
  EXPECT_EQ(decoded.height, 23);
  EXPECT_EQ(decoded.pixels, image.pixels);
}

TEST(DecodeImage, SpreadsAGreyPngToThreeChannels) {
  const Image gray{.width = 2, .height = 1, .channels = 1, .pixels = {10, 250}};
  const std::vector<std::uint8_t> spread = {10, 10, 10, 250, 250, 250};
  EXPECT_EQ(decode_image(bytes_of(png_file(gray)), "a").pixels, spread);
}

TEST(DecodeImage, GivesAJpegOfTheBestQualityAlmostExactly) {
  const Image image{.width = 16,
                    .height = 16,
                    .channels = 3,
                    .pixels = std::vector<std::uint8_t>(16 * 16 * 3, 120)};
  const Image decoded = decode_image(bytes_of(jpeg_file(image)), "a");
  ASSERT_EQ(decoded.pixels.size(), image.pixels.size());
  for (const std::uint8_t level : decoded.pixels) EXPECT_LE(std::abs(level - 120), 1);
}

TEST(DecodeImage, RefusesAFileCutShortAtAnyLength) {
  for (const std::string& file : {jpeg_file(test_image(40, 40)), png_file(test_image(40, 40))}) {
    for (std::size_t size = 0; size + 13 < file.size(); size += 7) {  // PNG: the end chunk may go
      EXPECT_THAT(decode_refusal(std::string_view(file).substr(0, size)),
                  StartsWith("bad_input: a.jpg"))
          << size << " of " << file.size();
    }
  }
}

TEST(DecodeImage, NamesAnImageOfAnotherFormat) {
  EXPECT_THAT(decode_refusal("GIF89a..."),
              HasSubstr("is a GIF image; quantlens reads JPEG and PNG"));
  EXPECT_THAT(decode_refusal("RIFF....WEBPVP8 "), HasSubstr("WebP"));
  EXPECT_THAT(decode_refusal("hello"), HasSubstr("is no image"));
  EXPECT_THAT(decode_refusal(""), HasSubstr("the file is empty"));
}

TEST(DecodeImage, RefusesTooManyPixelsBeforeItAllocates) {
  EXPECT_THAT(decode_refusal(jpeg_file(test_image(40, 30)), 1199),
              HasSubstr("40x30 pixels is not read (at most 1199 pixels)"));
  EXPECT_EQ(decode_refusal(png_file(test_image(40, 30)), 1200), "");
  std::string huge = png_file(test_image(2, 2));
  EXPECT_EQ(huge.substr(12, 4), "IHDR");
  huge[17] = '\x0F';  // a width of a million, and a wrong checksum
  EXPECT_THAT(decode_refusal(huge), StartsWith("bad_input: a.jpg"));
}

TEST(DecodeImage, SurvivesFlippedBytes) {
  for (const std::string& file : {jpeg_file(test_image(24, 24)), png_file(test_image(24, 24))}) {
    for (std::size_t at = 0; at < file.size(); ++at) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
      const std::string said = decode_refusal(damaged, 1'000'000);  // or an image that differs
      EXPECT_TRUE(said.empty() || said.starts_with("bad_input: a.jpg: ")) << said;
    }
  }
}

}  // namespace
}  // namespace quantlens
