// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quant/blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/quant/rounding.h"

namespace quantlens {
namespace {

constexpr std::int64_t kLeastSize = 16, kGreatestSize = 256;
constexpr std::int64_t kTogether = 16;  // lines: their neighbours share a line of the cache

struct BlockParams {
  float scale = 1;
  float zero_point = 0;
};

/// Codes of a scheme, as floats.
struct CodeSpan {
  float middle, top;
  explicit CodeSpan(int bits)
      : middle(static_cast<float>(1 << (bits - 1))), top(static_cast<float>((1 << bits) - 1)) {}
};

float usable(float scale) {
  if (std::isnormal(scale)) return scale;
  return std::copysign(std::numeric_limits<float>::min(), scale);
}

float code_of(float value, const BlockParams& params, float top) {
  return std::clamp(round_half_even(value / params.scale) + params.zero_point, 0.0F, top);
}

BlockParams symmetric_params(std::span<const float> values, const CodeSpan& codes) {
  const float furthest =
      *std::ranges::max_element(values, {}, [](float value) { return std::abs(value); });
  if (furthest == 0) return {.scale = 1, .zero_point = codes.middle};
  return {.scale = usable(furthest / -codes.middle), .zero_point = codes.middle};
}

BlockParams affine_params(float min, float max, const CodeSpan& codes) {
  min = std::min(min, 0.0F);
  max = std::max(max, 0.0F);
  if (min == max) return {.scale = 1, .zero_point = 0};
  const float scale = usable(max / codes.top - min / codes.top);
  return {.scale = scale, .zero_point = std::clamp(round_half_even(-min / scale), 0.0F, codes.top)};
}

/// Of scales that are tried, the codes that fit best, and the scale that fits these codes best.
class BlockSearch {
 public:
  BlockSearch(std::span<const float> values, const CodeSpan& codes)
      : values_(values), codes_(codes) {}

  void offer(const BlockParams& params) {
    const Fit fit = fit_of(params);
    if (fit.square == 0) return;
    const double share = fit.product / fit.square;  // best scale for these codes, in `params.scale`
    const double explained =
        share * fit.product * params.scale * params.scale;  // of the square sum
    const auto scale = static_cast<float>(share * params.scale);
    if (explained <= best_ || !std::isnormal(scale)) return;
    best_ = explained;
    found_ = {.scale = scale, .zero_point = params.zero_point};
  }
  std::optional<BlockParams> found() const { return found_; }

 private:
  /// Sums over a block, values in units of the scale that is tried.
  struct Fit {
    double product = 0, square = 0;
  };
  Fit fit_of(const BlockParams& params) const {
    constexpr std::size_t kLanes = kLeastSize;  // summed apart, so that they are summed at once
    constexpr float kRound = 0x1.8p23f;         // what is added and taken away leaves an integer
    const float inverse = 1 / params.scale;
    const float low = -params.zero_point, high = codes_.top - params.zero_point;
    std::array<float, kLanes> product{}, square{};
    for (std::size_t i = 0; i < values_.size(); i += kLanes) {
      const float* const block = values_.data() + i;
      for (std::size_t k = 0; k < kLanes; ++k) {
        const float exact = block[k] * inverse;
        const float steps = (std::min(std::max(exact, low), high) + kRound) - kRound;
        product[k] += exact * steps;
        square[k] += steps * steps;
      }
    }
    Fit fit;
    for (std::size_t k = 0; k < kLanes; ++k) fit.product += product[k], fit.square += square[k];
    return fit;
  }

  std::span<const float> values_;
  const CodeSpan& codes_;
  double best_ = 0;
  std::optional<BlockParams> found_;
};

/// By how much ranges are narrowed and widened: less the more codes there are.
constexpr std::array kSteps = {0.0F, -1.0F, -2.0F, -3.0F, -4.0F, -5.0F, -6.0F, 1.0F, 2.0F};
constexpr std::array kEnds = {0.0F, -1.5F, -3.0F, -5.0F};
float factor(float step, const CodeSpan& codes) {
  constexpr float kShare = 0.4F;
  return 1 + step * kShare / codes.middle;
}

BlockParams searched_params(std::span<const float> values, bool symmetric, const CodeSpan& codes) {
  BlockSearch search(values, codes);
  const auto [min, max] = std::ranges::minmax(values);
  const BlockParams plain =
      symmetric ? symmetric_params(values, codes) : affine_params(min, max, codes);
  if (symmetric) {
    for (const float step : kSteps) {
      const float scale = usable(plain.scale * factor(step, codes));
      search.offer({.scale = scale, .zero_point = codes.middle});
      search.offer({.scale = -scale, .zero_point = codes.middle});
    }
  } else {
    for (const float low : kEnds) {
      for (const float high : kEnds) {
        search.offer(affine_params(min * factor(low, codes), max * factor(high, codes), codes));
      }
    }
  }
  return search.found().value_or(plain);
}

BlockParams params_of(std::span<const float> values, const BlockScheme& scheme,
                      const CodeSpan& codes) {
  if (scheme.searched) return searched_params(values, scheme.symmetric, codes);
  if (scheme.symmetric) return symmetric_params(values, codes);
  const auto [min, max] = std::ranges::minmax(values);
  return affine_params(min, max, codes);
}

void check(const Shape& shape, const BlockScheme& scheme) {
  const bool is_power = scheme.size > 0 && (scheme.size & (scheme.size - 1)) == 0;
  if (shape.size() != 2 || (scheme.bits != 4 && scheme.bits != 8) || !is_power ||
      scheme.size < kLeastSize || scheme.size > kGreatestSize) {
    throw Error(Errc::bad_input,
                fmt::format("a tensor of shape {} in blocks of {} with {} bits: only matrices are "
                            "stored so, in blocks of 16, 32, 64, 128 or 256 with 4 or 8 bits",
                            to_string(shape), scheme.size, scheme.bits));
  }
}

/// Puts one code of 4 or 8 bits at its place of zeroed bytes.
void put(std::span<std::uint8_t> bytes, std::int64_t at, float code, int bits) {
  const auto value = static_cast<std::uint8_t>(code);
  if (bits == 8) {
    bytes[static_cast<std::size_t>(at)] = value;
  } else {
    std::uint8_t& byte = bytes[static_cast<std::size_t>(at / 2)];
    byte = static_cast<std::uint8_t>(byte | (at % 2 == 0 ? value : value << 4));
  }
}

std::uint8_t get(std::span<const std::byte> bytes, std::int64_t at, int bits) {
  if (bits == 8) return std::to_integer<std::uint8_t>(bytes[static_cast<std::size_t>(at)]);
  const auto byte = std::to_integer<std::uint8_t>(bytes[static_cast<std::size_t>(at / 2)]);
  return at % 2 == 0 ? byte & 0xF : byte >> 4;
}

struct Extents {
  std::int64_t lines = 0, length = 0, blocks = 0;
};

Extents extents(const Shape& matrix, Lines lines, std::int64_t size) {
  const bool rows = lines == Lines::rows;
  const std::int64_t length = matrix[rows ? 1 : 0];
  return {.lines = matrix[rows ? 0 : 1], .length = length, .blocks = (length + size - 1) / size};
}

/// Quantizes a matrix, a few lines at a time.
class BlockWriter {
 public:
  BlockWriter(std::span<const float> values, const Extents& extents, Lines lines,
              const BlockScheme& scheme)
      : values_(values), extents_(extents), lines_(lines), scheme_(scheme), codes_(scheme.bits) {
    const auto count = static_cast<std::size_t>(extents.lines * extents.blocks);
    const std::int64_t zeros = (extents.blocks * scheme.bits + 7) / 8;
    line_zeros_ = static_cast<std::size_t>(zeros);
    bytes_.resize(count * static_cast<std::size_t>(scheme.size * scheme.bits / 8));
    scales_.resize(count);
    if (!scheme.symmetric) zeros_.resize(static_cast<std::size_t>(extents.lines) * line_zeros_);
  }

  Blocks run(const BlockShapes& shapes) {
    std::vector<float> buffer(static_cast<std::size_t>(kTogether * scheme_.size));
    for (std::int64_t line = 0; line < extents_.lines; line += kTogether) {
      const std::int64_t count = std::min(kTogether, extents_.lines - line);
      for (std::int64_t block = 0; block < extents_.blocks; ++block) {
        const std::int64_t first = block * scheme_.size;
        const std::int64_t length = std::min(scheme_.size, extents_.length - first);
        if (length < scheme_.size) std::ranges::fill(buffer, 0.0F);  // zeros fill up the last one
        gather({line, count}, {first, length}, buffer);
        for (std::int64_t l = 0; l < count; ++l) {
          write(line + l, block,
                std::span(buffer).subspan(static_cast<std::size_t>(l * scheme_.size),
                                          static_cast<std::size_t>(scheme_.size)));
        }
      }
    }
    Blocks out{.codes = Tensor::from<std::uint8_t>(shapes.codes, std::move(bytes_)),
               .scales = Tensor::from<float>(shapes.scales, std::move(scales_)),
               .zero_points = {}};
    if (!scheme_.symmetric)
      out.zero_points = Tensor::from<std::uint8_t>(shapes.zero_points, std::move(zeros_));
    return out;
  }

 private:
  struct Part {
    std::int64_t first, count;
  };
  void gather(const Part& lines, const Part& elements, std::vector<float>& buffer) const {
    const bool rows = lines_ == Lines::rows;
    const std::int64_t along = rows ? 1 : extents_.lines;
    const std::int64_t across = rows ? extents_.length : 1;
    for (std::int64_t e = 0; e < elements.count; ++e) {
      for (std::int64_t l = 0; l < lines.count; ++l) {
        const std::int64_t from = (lines.first + l) * across + (elements.first + e) * along;
        buffer[static_cast<std::size_t>(l * scheme_.size + e)] =
            values_[static_cast<std::size_t>(from)];
      }
    }
  }

  void write(std::int64_t line, std::int64_t block, std::span<const float> values) {
    const BlockParams params = params_of(values, scheme_, codes_);
    const auto number = static_cast<std::size_t>(line * extents_.blocks + block);
    scales_[number] = params.scale;
    if (!scheme_.symmetric) {
      put(std::span(zeros_).subspan(static_cast<std::size_t>(line) * line_zeros_, line_zeros_),
          block, params.zero_point, scheme_.bits);
    }
    const auto size = static_cast<std::size_t>(scheme_.size * scheme_.bits / 8);
    const auto bytes = std::span(bytes_).subspan(number * size, size);
    for (std::int64_t i = 0; i < scheme_.size; ++i) {
      put(bytes, i, code_of(values[static_cast<std::size_t>(i)], params, codes_.top), scheme_.bits);
    }
  }

  std::span<const float> values_;
  Extents extents_;
  Lines lines_;
  BlockScheme scheme_;
  CodeSpan codes_;
  std::size_t line_zeros_ = 0;
  std::vector<std::uint8_t> bytes_;
  std::vector<float> scales_;
  std::vector<std::uint8_t> zeros_;
};

}  // namespace

BlockShapes block_shapes(const Shape& matrix, Lines lines, const BlockScheme& scheme) {
  check(matrix, scheme);
  const Extents all = extents(matrix, lines, scheme.size);
  return {.codes = {all.lines, all.blocks, scheme.size * scheme.bits / 8},
          .scales = {all.lines, all.blocks},
          .zero_points = {all.lines, (all.blocks * scheme.bits + 7) / 8}};
}

Blocks quantize_blocks(const Tensor& matrix, Lines lines, const BlockScheme& scheme) {
  const BlockShapes shapes = block_shapes(matrix.shape(), lines, scheme);
  const Tensor values = aligned(matrix);
  const Extents all = extents(matrix.shape(), lines, scheme.size);
  return BlockWriter(values.data<float>(), all, lines, scheme).run(shapes);
}

std::optional<BlockReader> BlockReader::of(const Blocks& blocks, std::int64_t bits,
                                           std::int64_t size, const Shape& lines_and_length) {
  if (lines_and_length.size() != 2 || (bits != 4 && bits != 8) || size < 2) return std::nullopt;
  const std::int64_t lines = lines_and_length[0];
  const std::int64_t length = lines_and_length[1];
  constexpr std::int64_t kMost = std::int64_t{1} << 40;  // keeps the products below in range
  if (lines < 1 || length < 1 || lines > kMost / length || size > kMost / lines) return {};
  const std::int64_t count = (length - 1) / size + 1;
  const std::int64_t codes = count * (size * bits / 8);
  const std::int64_t zeros = (count * bits + 7) / 8;
  const auto holds = [&](const Tensor& tensor, DType dtype, std::int64_t each) {
    return tensor.dtype() == dtype && tensor.size() % lines == 0 && tensor.size() / lines == each;
  };
  if (!holds(blocks.codes, DType::uint8, codes) || !holds(blocks.scales, DType::float32, count) ||
      (blocks.zero_points && !holds(*blocks.zero_points, DType::uint8, zeros))) {
    return std::nullopt;
  }
  return BlockReader(
      {.codes = blocks.codes, .scales = aligned(blocks.scales), .zero_points = blocks.zero_points},
      static_cast<int>(bits), size, lines, length);
}

BlockReader::BlockReader(Blocks blocks, int bits, std::int64_t size, std::int64_t lines,
                         std::int64_t length)
    : blocks_(std::move(blocks)),
      bits_(bits),
      size_(size),
      lines_(lines),
      length_(length),
      count_((length - 1) / size + 1) {}

float BlockReader::value(std::int64_t line, std::int64_t at) const {
  const std::int64_t block = line * count_ + at / size_;
  const int code = get(blocks_.codes.bytes(), block * size_ + at % size_, bits_);
  int zero_point = 1 << (bits_ - 1);
  if (blocks_.zero_points) {
    const std::int64_t bytes = (count_ * bits_ + 7) / 8;
    zero_point = get(blocks_.zero_points->bytes().subspan(static_cast<std::size_t>(line * bytes)),
                     at / size_, bits_);
  }
  const float scale = blocks_.scales.data<float>()[static_cast<std::size_t>(block)];
  return static_cast<float>(code - zero_point) * scale;
}

Tensor dequantize_blocks(const BlockReader& reader, Lines along) {
  const bool rows = along == Lines::rows;
  const std::int64_t lines = reader.lines(), length = reader.length();
  std::vector<float> values(static_cast<std::size_t>(lines * length));
  for (std::int64_t line = 0; line < lines; ++line) {
    for (std::int64_t at = 0; at < length; ++at) {
      const std::int64_t to = rows ? line * length + at : at * lines + line;
      values[static_cast<std::size_t>(to)] = reader.value(line, at);
    }
  }
  const Shape shape = rows ? Shape{lines, length} : Shape{length, lines};
  return Tensor::from<float>(shape, std::move(values));
}

}  // namespace quantlens
