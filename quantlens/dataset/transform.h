// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "quantlens/dataset/dataset.h"
#include "quantlens/dataset/image.h"

namespace quantlens {

enum class ColorOrder { rgb, bgr, gray };
enum class PixelLayout { nchw, nhwc };

/// What is done to an image, in this order; whatever is absent is left out. docs/data.md has the
/// exact meaning of each.
struct ImageSteps {
  std::optional<ColorOrder> color;  ///< absent: gray where the model takes one channel, else rgb
  std::optional<int> resize_short;  ///< pixels of the shorter side; not together with `resize`
  std::optional<ImageSize> resize;
  std::optional<ImageSize> crop;      ///< of the centre
  std::vector<double> mean;           ///< none, one, or one a channel in the order of `color`
  std::vector<double> std;            ///< x becomes (x - mean) / std, x in 0..255
  std::optional<PixelLayout> layout;  ///< absent: nhwc where the model's shape says so, else nchw
  std::optional<DType> dtype;         ///< absent: the model's
};

/// The height and width of the images that a model of the shape [N,C,H,W] or [N,H,W,C] takes;
/// nothing where they are open or it takes no images.
std::optional<ImageSize> image_size(const InputSpec& input);

/// Images to tensors of one element type and layout. Immutable, so thread-safe.
class ImageTransform {
 public:
  /// Throws Errc::usage naming `where` for steps that contradict each other, and Errc::bad_input
  /// for steps whose result is never what the model takes.
  ImageTransform(const ImageSteps& steps, const InputSpec& input, std::string_view where);

  /// The tensor without a batch dimension. REQUIRES: `image` has three channels.
  /// Throws Errc::bad_input naming `name` where the image does not become what the model takes.
  Tensor apply(Image image, std::string_view name) const;

 private:
  void check_fixed_size(std::string_view where) const;
  void make_table(std::string_view where);
  ImageSize scaled_size(const Image& image, std::string_view name) const;
  Tensor write(const Image& image, const ImagePart& part) const;

  ImageSteps steps_;
  InputSpec input_;
  /// Encoded results of the 256 grey levels, one run of 256 a channel in the order of `color`.
  std::vector<std::byte> table_;
};

}  // namespace quantlens
