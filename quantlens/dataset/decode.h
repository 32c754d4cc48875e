// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "quantlens/base/store.h"
#include "quantlens/dataset/image.h"

namespace quantlens {

/// "JPEG", "PNG" and other formats that we can name by their first bytes; nothing where unknown.
std::optional<std::string_view> image_format(Bytes file);

/// The image of a JPEG or PNG file, found by its content, as RGB of 8 bits: the pixels that
/// Pillow's `Image.open(file).convert("RGB")` gives, where 16-bit samples keep their high byte,
/// transparency is dropped and an EXIF orientation is not applied.
/// Throws Errc::bad_input naming `where` for anything else, for a file that ends too early, and
/// for more than `most_pixels`.
Image decode_image(Bytes file, std::string_view where, std::int64_t most_pixels = kMostPixels);

}  // namespace quantlens
