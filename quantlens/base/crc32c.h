// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace quantlens {

/// CRC-32C of the bytes (Castagnoli; RFC 3720, appendix B.4), masked as TensorFlow's records have
/// it: rotated right by 15 bits, plus 0xa282ead8.
std::uint32_t masked_crc32c(std::string_view bytes);

/// Whether the bytes begin as a file of TensorFlow's records does: with a length in 8 bytes and its
/// masked checksum in 4, the least byte first.
bool begin_with_record(std::string_view bytes);

}  // namespace quantlens
