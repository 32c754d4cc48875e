// SPDX-License-Identifier: Apache-2.0
// Any bytes as HTTP requests, as a connection reads them: refused, or read, the same however they
// are cut, and never a path that leaves its folder. What is read is judged by the gate and told by
// a head of an answer.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "quantlens/base/text.h"
#include "server/gate/gate.h"
#include "server/http/request_reader.h"
#include "server/http/response_text.h"

namespace {

using namespace quantlens::server;  // NOLINT(google-build-using-namespace): the subject of this
                                    // file

void require(bool holds) {
  if (!holds) std::abort();
}

void judge(Request request, bool keep_alive) {
  require(request.path.starts_with('/') && quantlens::valid_utf8(request.path) == request.path);
  require((request.path + "/").find("/../") == std::string::npos);
  require(request.path.find('\0') == std::string::npos);
  static Gate gate({.token = "0123456789abcdef", .names = {"a"}, .prefix = "/p"});
  const auto answer = gate.check(request, {.address = "127.0.0.1", .local_address = "127.0.0.1"});
  const std::string head = head_text(answer.value_or(Response()), {.keep_alive = keep_alive});
  require(head.find("\r\n\r\n") == head.size() - 4);
}

/// What all requests in the bytes are, in words, fed in pieces of this size.
std::string read(std::string_view bytes, std::size_t piece) {
  std::string told;
  while (!bytes.empty()) {
    RequestReader reader(512);
    while (!bytes.empty() && reader.state() != RequestReader::State::done) {
      if (reader.state() == RequestReader::State::head_read) reader.read_body(64);
      if (reader.state() == RequestReader::State::refused)
        return told + std::to_string(reader.refusal().status);
      bytes.remove_prefix(reader.feed(bytes.substr(0, piece)));
    }
    if (reader.state() == RequestReader::State::head_read) reader.read_body(64);
    if (reader.state() != RequestReader::State::done) return told;
    const Request& request = reader.request();
    told += request.method + ' ' + request.path + ' ' + request.body + '\n';
    judge(request, reader.keep_alive());
  }
  return told;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t piece = data[0] % 64 + std::size_t{1};
  // A refusal may come later in small pieces, where one big piece shows at once that it is too
  // long.
  const std::string whole = read(bytes, bytes.size() + 1), cut = read(bytes, piece);
  require(whole.substr(0, whole.rfind('\n') + 1) == cut.substr(0, cut.rfind('\n') + 1));
  return 0;
}
