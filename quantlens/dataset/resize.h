// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "quantlens/dataset/image.h"

namespace quantlens {

/// A part of the image scaled to `size` by an antialiased triangle filter: equal byte for byte to
/// the same part of Pillow's `Image.resize((width, height), BILINEAR)`. (Pillow 13 scales rows
/// first where the height shrinks much more than the width; there they differ by one grey level at
/// most.) Only what the part needs is computed. REQUIRES: `size` is positive and `part` is within
/// it and not empty. Throws Errc::bad_input naming `where` where the work is out of proportion
/// (kMostPixels).
Image resize_bilinear(const Image& image, ImageSize size, const ImagePart& part,
                      std::string_view where);

/// The whole of it.
inline Image resize_bilinear(const Image& image, ImageSize size, std::string_view where) {
  return resize_bilinear(image, size, {.top = 0, .left = 0, .size = size}, where);
}

}  // namespace quantlens
