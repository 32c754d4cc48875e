// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <zlib.h>

namespace quantlens {

/// zlib's stream to gzip.
class Deflater {
 public:
  /// `level`: 1 to 9. Throws Errc::failed where memory is short.
  explicit Deflater(int level);
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { deflateEnd(&stream_); }
  /// What is compressed next, where it stands.
  void read(std::string_view text);
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

/// As gzip has it (RFC 1952), without a name or a time: equal bytes for equal text. `level`: 1 to
/// 9. Throws Errc::failed where memory is short or the text is too long (4 GiB).
std::string gzip(std::string_view text, int level);

/// Whether `gunzip` gives so much text of so many bytes: memory stays in the measure of the file.
bool may_be_unpacked(std::size_t packed, std::size_t text);

/// The reverse of `gzip`. Throws Errc::bad_input, naming `where`, for anything but one whole gzip
/// stream, and for one of more text than may_be_unpacked allows.
std::string gunzip(std::string_view bytes, std::string_view where);

}  // namespace quantlens
