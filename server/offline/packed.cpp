// SPDX-License-Identifier: Apache-2.0
#include "server/offline/packed.h"

#include <algorithm>
#include <array>
#include <limits>

#include <openssl/evp.h>

#include "quantlens/base/gzip.h"

namespace quantlens::server {
namespace {

constexpr int kBestLevel = 9;

}  // namespace

struct Packed::Stream {
  /// Appends what comes out of all that was read.
  void run(int flush, std::string& bytes) {
    z_stream& z = deflater.stream();
    do {
      z.next_out = reinterpret_cast<Bytef*>(out.data());
      z.avail_out = static_cast<uInt>(out.size());
      deflate(&z, flush);  // no other error is possible: the stream is ours
      bytes.append(out.data(), out.size() - z.avail_out);
    } while (z.avail_out == 0);
  }

  Deflater deflater{kBestLevel};
  std::array<char, 1 << 16> out{};
};

Packed::Packed() : stream_(std::make_unique<Stream>()) {}
Packed::~Packed() = default;

void Packed::add(std::string_view text) {
  while (!text.empty()) {
    const std::size_t count = std::min<std::size_t>(text.size(), std::numeric_limits<uInt>::max());
    stream_->deflater.read(text.substr(0, count));
    stream_->run(Z_NO_FLUSH, bytes_);
    text.remove_prefix(count);
  }
}

std::string Packed::base64() {
  stream_->run(Z_FINISH, bytes_);
  return to_base64(bytes_);
}

std::string to_base64(std::string_view bytes) {
  constexpr std::size_t kThree = std::size_t{3} << 20U;  // bytes at once, of which no padding comes
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  std::string part((kThree + 2) / 3 * 4 + 1, '\0');
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kThree, bytes.size()))) {
    const std::string_view one = bytes.substr(0, kThree);
    const int count = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(part.data()),
                                      reinterpret_cast<const unsigned char*>(one.data()),
                                      static_cast<int>(one.size()));
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace quantlens::server
