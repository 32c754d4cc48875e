// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quantlens {

/// Decoded pixels: rows from the top, `channels` bytes a pixel (3: red, green, blue; 1: grey).
struct Image {
  int width = 0;
  int height = 0;
  int channels = 3;
  std::vector<std::uint8_t> pixels;

  std::size_t row_bytes() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
  }
};

struct ImageSize {
  int height = 0;
  int width = 0;
  bool operator==(const ImageSize&) const = default;
};

/// A rectangle of pixels.
struct ImagePart {
  int top = 0;
  int left = 0;
  ImageSize size;
};

/// Larger images are refused: a few bytes of a hostile file can claim any size.
constexpr std::int64_t kMostPixels = 100'000'000;

}  // namespace quantlens
