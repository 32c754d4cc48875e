// SPDX-License-Identifier: Apache-2.0
#include "server/api/gzip.h"

#include <algorithm>
#include <limits>

#include "quantlens/base/error.h"

namespace quantlens::server {
namespace {

constexpr std::size_t kLong = 1 << 20;
constexpr int kLevel = 5, kLevelOfLong = 2;
constexpr int kGzip = 16 + MAX_WBITS;
constexpr int kMemory = 8;  // zlib's usual one

}  // namespace

Deflater::Deflater(int level) {
  if (deflateInit2(&stream_, level, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error(Errc::failed, "memory is too short to compress with");
}

void Deflater::read(std::string_view text) {
  // zlib reads only; its type is older than const.
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // NOLINT
  stream_.avail_in = static_cast<uInt>(text.size());
}

std::string gzip(std::string_view text) {
  if (text.size() > std::numeric_limits<uInt>::max())
    throw Error(Errc::failed, "the answer is too long to be compressed");
  Deflater deflater(text.size() > kLong ? kLevelOfLong : kLevel);
  z_stream& stream = deflater.stream();
  std::string bytes(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  deflater.read(text);
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out =
      static_cast<uInt>(std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max()));
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
    throw Error(Errc::failed, "the answer cannot be compressed");
  bytes.resize(stream.total_out);
  bytes.shrink_to_fit();
  return bytes;
}

}  // namespace quantlens::server
