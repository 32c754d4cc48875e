// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace quantlens::server {

/// Text of any length as gzip has it (zlib's best level) and then in base64 (RFC 4648, by OpenSSL),
/// so that it can stand inside a page. Equal text gives equal bytes. What it keeps is the packed
/// form.
class Packed {
 public:
  Packed();
  ~Packed();
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;

  /// Throws Errc::failed where memory is short.
  void add(std::string_view text);
  /// REQUIRES: called once, and nothing is added after it.
  std::string base64();

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
  std::string bytes_;
};

std::string to_base64(std::string_view bytes);

}  // namespace quantlens::server
