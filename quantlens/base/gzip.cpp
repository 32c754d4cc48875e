// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/gzip.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

constexpr int kGzip = 16 + MAX_WBITS;
constexpr int kMemory = 8;  // zlib's usual one
constexpr std::size_t kTrailerBytes = 8;
constexpr std::size_t kMostAtOnce = std::numeric_limits<uInt>::max();

[[noreturn]] void refuse_packed(std::string_view where, std::string_view problem) {
  throw Error(Errc::bad_input, fmt::format("{}: {}; run the command again", where, problem));
}

/// zlib reads only; its type is older than const.
void give(std::string_view text, z_stream& stream) {
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // NOLINT
  stream.avail_in = static_cast<uInt>(text.size());
}

class Inflater {
 public:
  explicit Inflater(std::string_view bytes) {
    give(bytes, stream_);
    if (inflateInit2(&stream_, kGzip) != Z_OK)
      throw Error(Errc::failed, "memory is too short to unpack with");
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  /// Fills `text` from `at` on; how far it came.
  std::size_t run(std::string& text, std::size_t at) {
    const std::size_t room = std::min(text.size() - at, kMostAtOnce);
    stream_.next_out = reinterpret_cast<Bytef*>(text.data() + at);
    stream_.avail_out = static_cast<uInt>(room);
    result_ = inflate(&stream_, Z_NO_FLUSH);
    return at + room - stream_.avail_out;
  }
  bool has_ended() const { return result_ == Z_STREAM_END; }
  bool is_damaged() const { return result_ != Z_STREAM_END && result_ != Z_OK; }
  bool has_more() const { return stream_.avail_in != 0; }

 private:
  z_stream stream_{};
  int result_ = Z_OK;
};

/// How much text the last bytes tell; where they lie, no more than so many bytes can hold.
std::size_t told_size(std::string_view bytes) {
  constexpr std::size_t kBestDeflate = 1032;
  std::size_t size = 0;
  for (std::size_t i = 1; i <= sizeof(std::uint32_t); ++i)
    size = size << 8U | static_cast<unsigned char>(bytes[bytes.size() - i]);
  return std::clamp<std::size_t>(size, 1, bytes.size() * kBestDeflate);
}

}  // namespace

Deflater::Deflater(int level) {
  if (deflateInit2(&stream_, level, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error(Errc::failed, "memory is too short to compress with");
}

void Deflater::read(std::string_view text) {
  give(text, stream_);
}

std::string gzip(std::string_view text, int level) {
  if (text.size() > kMostAtOnce) throw Error(Errc::failed, "text is too long to be compressed");
  Deflater deflater(level);
  z_stream& stream = deflater.stream();
  std::string bytes(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  deflater.read(text);
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(std::min(bytes.size(), kMostAtOnce));
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
    throw Error(Errc::failed, "text cannot be compressed");
  bytes.resize(stream.total_out);
  bytes.shrink_to_fit();
  return bytes;
}

bool may_be_unpacked(std::size_t packed, std::size_t text) {
  constexpr std::size_t kAlways = std::size_t{64} << 20;
  constexpr std::size_t kTimes = 100;
  return text <= kAlways || text / kTimes <= packed;
}

std::string gunzip(std::string_view bytes, std::string_view where) {
  if (bytes.size() < kTrailerBytes || bytes.size() > kMostAtOnce) {
    refuse_packed(where, "it is cut off, or no gzip file");
  }
  std::size_t room = told_size(bytes);
  std::string text;
  Inflater inflater(bytes);
  for (std::size_t filled = 0; !inflater.has_ended(); room = 2 * filled) {
    if (!may_be_unpacked(bytes.size(), room))
      refuse_packed(where, "it holds more text than is read");
    text.resize(room);
    filled = inflater.run(text, filled);
    if (inflater.is_damaged() || (filled < room && !inflater.has_ended())) {
      refuse_packed(where, "it is damaged, or no gzip file");
    }
    if (inflater.has_ended()) text.resize(filled);
  }
  if (inflater.has_more()) refuse_packed(where, "bytes follow its end");
  return text;
}

}  // namespace quantlens
