// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/crc32c.h"

#include <bit>

#include <boost/crc.hpp>
#include <boost/endian/conversion.hpp>

namespace quantlens {

std::uint32_t masked_crc32c(std::string_view bytes) {
  constexpr std::uint32_t kPolynomial = 0x1EDC6F41, kAll = 0xFFFFFFFF, kMask = 0xA282EAD8;
  constexpr int kRotation = 15;
  boost::crc_optimal<32, kPolynomial, kAll, kAll, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return std::rotr(static_cast<std::uint32_t>(crc.checksum()), kRotation) + kMask;
}

bool begin_with_record(std::string_view bytes) {
  constexpr std::size_t kLength = 8, kChecksum = 4;
  if (bytes.size() < kLength + kChecksum) return false;
  const auto* stored = reinterpret_cast<const unsigned char*>(bytes.data()) + kLength;
  return boost::endian::load_little_u32(stored) == masked_crc32c(bytes.substr(0, kLength));
}

}  // namespace quantlens
