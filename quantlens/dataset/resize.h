// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "quantlens/dataset/image.h"

namespace quantlens {

/// The image scaled to width x height by an antialiased triangle filter, equal byte for byte to
/// Pillow's `Image.resize((width, height), BILINEAR)`.
/// REQUIRES: width and height are positive. Throws Errc::bad_input naming `where` where the result,
/// or the step between its two passes, has more than kMostPixels.
Image resize_bilinear(const Image& image, int width, int height, std::string_view where);

}  // namespace quantlens
