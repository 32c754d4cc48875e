// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/transform.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/dataset/fit.h"
#include "quantlens/dataset/resize.h"

namespace quantlens {
namespace {

constexpr std::size_t kLevels = 256;

[[noreturn]] void fail_usage(std::string_view where, std::string_view problem) {
  throw Error(Errc::usage, fmt::format("{}: {}", printable(where), problem));
}

/// Where a model's shape [N,a,b,c] keeps its channels, if the shape tells.
std::optional<PixelLayout> layout_of(const Shape& shape) {
  if (shape.size() != 4) return std::nullopt;
  const auto may_be_channels = [](std::int64_t extent) { return extent == 1 || extent == 3; };
  if (may_be_channels(shape[1])) return PixelLayout::nchw;
  if (may_be_channels(shape[3])) return PixelLayout::nhwc;
  return std::nullopt;
}

ColorOrder color_of(const Shape& shape, PixelLayout layout) {
  if (shape.size() != 4) return ColorOrder::rgb;
  return shape[layout == PixelLayout::nchw ? 1 : 3] == 1 ? ColorOrder::gray : ColorOrder::rgb;
}

Shape shape_of(ImageSize size, std::int64_t channels, PixelLayout layout) {
  if (layout == PixelLayout::nchw) return {channels, size.height, size.width};
  return {size.height, size.width, channels};
}

/// Luma as Pillow computes it: ITU-R 601-2 in fixed point.
Image to_gray(const Image& rgb) {
  Image gray{.width = rgb.width, .height = rgb.height, .channels = 1, .pixels = {}};
  gray.pixels.resize(rgb.pixels.size() / 3);
  const std::uint8_t* pixel = rgb.pixels.data();
  for (std::uint8_t& level : gray.pixels) {
    const unsigned luma = pixel[0] * 19595U + pixel[1] * 38470U + pixel[2] * 7471U + 0x8000U;
    level = static_cast<std::uint8_t>(luma >> 16U);
    pixel += 3;
  }
  return gray;
}

/// The size whose shorter side is `side`; the longer one is cut to whole pixels, as torchvision
/// does it.
ImageSize shorter_side(const Image& image, int side, std::string_view name) {
  const std::int64_t shorter = std::min(image.width, image.height);
  const std::int64_t longer = std::max(image.width, image.height);
  const std::int64_t scaled = side * longer / shorter;
  if (scaled > kMostPixels / side) {
    throw Error(Errc::bad_input,
                fmt::format("{}: {}x{} pixels are too long and narrow for resize_short {}; leave "
                            "it out",
                            printable(name), image.width, image.height, side));
  }
  const int long_side = static_cast<int>(scaled);
  return image.width < image.height ? ImageSize{.height = long_side, .width = side}
                                    : ImageSize{.height = side, .width = long_side};
}

/// The part's pixels through the table, to Words in the layout.
template <class Word>
Tensor write_words(const Image& image, const ImagePart& part, const std::vector<std::byte>& table,
                   const ImageSteps& steps) {
  const auto channels = static_cast<std::size_t>(image.channels);
  const auto height = static_cast<std::size_t>(part.size.height);
  const auto width = static_cast<std::size_t>(part.size.width);
  const bool planar = *steps.layout == PixelLayout::nchw;
  std::vector<Word> lookup(table.size() / sizeof(Word));
  std::memcpy(lookup.data(), table.data(), table.size());
  const auto out = std::make_shared<std::vector<Word>>(channels * height * width);
  for (std::size_t c = 0; c < channels; ++c) {
    const std::size_t source = *steps.color == ColorOrder::bgr ? channels - 1 - c : c;
    const Word* levels = lookup.data() + c * kLevels;
    const std::size_t step = planar ? 1 : channels;
    for (std::size_t y = 0; y < height; ++y) {
      const std::uint8_t* from = image.pixels.data() +
                                 (static_cast<std::size_t>(part.top) + y) * image.row_bytes() +
                                 static_cast<std::size_t>(part.left) * channels + source;
      Word* to = out->data() + (planar ? (c * height + y) * width : y * width * channels + c);
      for (std::size_t x = 0; x < width; ++x) to[x * step] = levels[from[x * channels]];
    }
  }
  return Tensor(*steps.dtype, shape_of(part.size, image.channels, *steps.layout),
                std::as_bytes(std::span(*out)), out);
}

std::string unfit_sentence(std::string_view name, const Shape& shape, const InputSpec& input) {
  return fmt::format(
      "{}: the image becomes {}, but the model's input '{}' takes {}; set resize, "
      "crop, color or layout (docs/data.md)",
      printable(name), to_string(shape), printable(input.name), describe(input));
}

}  // namespace

std::optional<ImageSize> image_size(const InputSpec& input) {
  const std::optional<PixelLayout> layout = layout_of(input.shape);
  if (!layout) return std::nullopt;
  const std::size_t height_axis = *layout == PixelLayout::nchw ? 2 : 1;
  const std::int64_t height = input.shape[height_axis];
  const std::int64_t width = input.shape[height_axis + 1];
  if (height <= 0 || width <= 0 || height > kMostPixels / width) return std::nullopt;
  return ImageSize{.height = static_cast<int>(height), .width = static_cast<int>(width)};
}

ImageTransform::ImageTransform(const ImageSteps& steps, const InputSpec& input,
                               std::string_view where)
    : steps_(steps), input_(input) {
  if (steps.resize && steps.resize_short) {
    fail_usage(where, "resize and resize_short contradict each other; keep one");
  }
  if (!steps_.layout) steps_.layout = layout_of(input.shape).value_or(PixelLayout::nchw);
  if (!steps_.color) steps_.color = color_of(input.shape, *steps_.layout);
  if (!steps_.dtype) steps_.dtype = input.dtype;
  if (steps_.dtype != input.dtype || steps_.dtype == DType::string) {
    throw Error(Errc::bad_input,
                fmt::format("{}: the pixels become {}, but the model's input '{}' takes {}; leave "
                            "dtype out, or name another input",
                            printable(where), name(*steps_.dtype), printable(input.name),
                            name(input.dtype)));
  }
  check_fixed_size(where);
  make_table(where);
}

void ImageTransform::check_fixed_size(std::string_view where) const {
  const std::optional<ImageSize> size = steps_.crop ? steps_.crop : steps_.resize;
  if (!size) return;
  const Shape shape = shape_of(*size, *steps_.color == ColorOrder::gray ? 1 : 3, *steps_.layout);
  if (!fit_shape(shape, input_)) {
    throw Error(Errc::bad_input, unfit_sentence(where, shape, input_));
  }
}

void ImageTransform::make_table(std::string_view where) {
  const std::size_t channels = *steps_.color == ColorOrder::gray ? 1 : 3;
  const auto of_channel = [&](const std::vector<double>& values, double absent, const char* key) {
    for (const double value : values) {
      if (!std::isfinite(value)) fail_usage(where, fmt::format("{} must be finite", key));
    }
    if (values.empty()) return std::vector<double>(channels, absent);
    if (values.size() == 1) return std::vector<double>(channels, values.front());
    if (values.size() == channels) return values;
    fail_usage(where, fmt::format("{} has {} values for {} channel{}; give one, or one a channel",
                                  key, values.size(), channels, channels == 1 ? "" : "s"));
  };
  const std::vector<double> mean = of_channel(steps_.mean, 0, "mean");
  const std::vector<double> std = of_channel(steps_.std, 1, "std");
  std::vector<double> results;
  for (std::size_t c = 0; c < channels; ++c) {
    if (std[c] == 0) fail_usage(where, "std must not be 0");
    for (std::size_t level = 0; level < kLevels; ++level) {
      results.push_back((static_cast<double>(level) - mean[c]) / std[c]);
    }
  }
  const auto count = static_cast<std::int64_t>(results.size());
  try {
    const Tensor table =
        convert(Tensor::from<double>({count}, std::move(results)), *steps_.dtype, where);
    table_.assign(table.bytes().begin(), table.bytes().end());
  } catch (const Error&) {
    throw Error(Errc::bad_input,
                fmt::format("{}: with this mean and std not all of the grey levels 0 to 255 become "
                            "{}, which the model's input '{}' takes; choose others",
                            printable(where), name(*steps_.dtype), printable(input_.name)));
  }
}

ImageSize ImageTransform::scaled_size(const Image& image, std::string_view name) const {
  if (steps_.resize) return *steps_.resize;
  if (steps_.resize_short) return shorter_side(image, *steps_.resize_short, name);
  return {.height = image.height, .width = image.width};
}

Tensor ImageTransform::apply(Image image, std::string_view name) const {
  if (*steps_.color == ColorOrder::gray) image = to_gray(image);
  const ImageSize size = scaled_size(image, name);
  ImagePart part{.top = 0, .left = 0, .size = steps_.crop.value_or(size)};
  if (part.size.width > size.width || part.size.height > size.height) {
    throw Error(
        Errc::bad_input,
        fmt::format("{}: {}x{} pixels are less than the crop of {}x{}; scale it up by "
                    "resize_short",
                    printable(name), size.width, size.height, part.size.width, part.size.height));
  }
  part.top = (size.height - part.size.height) / 2;
  part.left = (size.width - part.size.width) / 2;
  if (size != ImageSize{.height = image.height, .width = image.width}) {
    image = resize_bilinear(image, size, part, name);
    part.top = part.left = 0;
  }
  const Tensor pixels = write(image, part);
  const std::optional<Shape> shape = fit_shape(pixels.shape(), input_);
  if (!shape) throw Error(Errc::bad_input, unfit_sentence(name, pixels.shape(), input_));
  return pixels.reshaped(*shape);
}

Tensor ImageTransform::write(const Image& image, const ImagePart& part) const {
  switch (byte_size(*steps_.dtype)) {
    case 1:
      return write_words<std::uint8_t>(image, part, table_, steps_);
    case 2:
      return write_words<std::uint16_t>(image, part, table_, steps_);
    case 4:
      return write_words<std::uint32_t>(image, part, table_, steps_);
    default:
      return write_words<std::uint64_t>(image, part, table_, steps_);
  }
}

}  // namespace quantlens
