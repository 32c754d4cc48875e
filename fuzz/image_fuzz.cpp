// SPDX-License-Identifier: Apache-2.0
// Any bytes as a JPEG or PNG file: decoded, scaled and cropped, or refused with a sentence.
#include <cstdlib>

#include "quantlens/base/error.h"
#include "quantlens/dataset/decode.h"
#include "quantlens/dataset/transform.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quantlens;
  constexpr std::int64_t kMostFuzzed = 1 << 18;  // pixels: more take long and find no more
  const InputSpec input{.name = "x", .shape = {-1, 3, 16, 24}};
  const ImageSteps steps{.resize_short = 25, .crop = ImageSize{.height = 16, .width = 24}};
  try {
    Image image = decode_image(std::as_bytes(std::span(data, size)), "fuzz.png", kMostFuzzed);
    if (image.pixels.size() != image.row_bytes() * static_cast<std::size_t>(image.height)) {
      std::abort();
    }
    const Tensor pixels = ImageTransform(steps, input, "fuzz").apply(std::move(image), "fuzz.png");
    if (pixels.shape() != Shape({3, 16, 24})) std::abort();
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
