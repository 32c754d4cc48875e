// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <boost/describe.hpp>

#include "quantlens/tensor/tensor.h"

namespace quantlens {

/// How the lines of a matrix become codes of few bits: each line in blocks of neighbours, each
/// block with a scale of its own, the last one perhaps shorter than the others. Codes are unsigned,
/// real = scale * (code - zero point). Symmetric: the zero point is the middle code, and the scale,
/// which may be negative, takes the value furthest from zero to code 0.
struct BlockScheme {
  int bits = 4;            ///< 4 or 8
  std::int64_t size = 32;  ///< a power of two from 16 to 256
  bool symmetric = true;
  bool searched = false;  ///< the scale with the least squared error of those that are tried
  bool operator==(const BlockScheme&) const = default;
};
BOOST_DESCRIBE_STRUCT(BlockScheme, (), (bits, size, symmetric, searched))

/// Along which axis of a matrix its lines run.
enum class Lines { columns, rows };

/// A matrix in blocks.
struct Blocks {
  Tensor codes;   ///< uint8 [lines, blocks, size * bits / 8]; of two codes a byte the first is low
  Tensor scales;  ///< float32 [lines, blocks]
  std::optional<Tensor> zero_points;  ///< uint8 [lines, bytes of all blocks], packed like codes
};

/// Throws Errc::bad_input for a scheme that there is none, and for what is no matrix of float32.
Blocks quantize_blocks(const Tensor& matrix, Lines lines, const BlockScheme& scheme);

/// The shapes that `quantize_blocks` gives.
struct BlockShapes {
  Shape codes, scales, zero_points;
};
BlockShapes block_shapes(const Shape& matrix, Lines lines, const BlockScheme& scheme);

/// Reads single elements of a matrix in blocks.
class BlockReader {
 public:
  /// Nothing where the tensors have not the types and sizes that so many lines of this length ask
  /// for, with codes of 4 or 8 bits in blocks of `size`.
  static std::optional<BlockReader> of(const Blocks& blocks, std::int64_t bits, std::int64_t size,
                                       const Shape& lines_and_length);

  std::int64_t lines() const { return lines_; }
  std::int64_t length() const { return length_; }
  int bits() const { return bits_; }
  bool is_symmetric() const { return !blocks_.zero_points; }
  /// Element number `at` of a line.
  float value(std::int64_t line, std::int64_t at) const;

 private:
  BlockReader(Blocks blocks, int bits, std::int64_t size, std::int64_t lines, std::int64_t length);

  Blocks blocks_;
  int bits_;
  std::int64_t size_, lines_, length_;
  std::int64_t count_;  ///< blocks a line
};

/// All elements, as a matrix whose lines run along columns or rows.
Tensor dequantize_blocks(const BlockReader& reader, Lines along);

}  // namespace quantlens
