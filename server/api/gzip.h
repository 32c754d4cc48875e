// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <zlib.h>

namespace quantlens::server {

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

/// As Content-Encoding: gzip has it; equal bytes for equal text. Fast rather than small where the
/// text is long.
std::string gzip(std::string_view text);

}  // namespace quantlens::server
