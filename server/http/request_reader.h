// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "server/request.h"

namespace quantlens::server {

/// One request out of bytes as they arrive, however they are cut. It reads and waits for nothing:
/// sockets, tests and the fuzzer feed it alike. Beast parses; before it stand the rules by which
/// two readers of the same bytes could differ (request smuggling): whatever is not spelled plainly
/// is refused.
class RequestReader {
 public:
  enum class State {
    start,  ///< no byte yet
    head,
    head_read,  ///< waits for read_body
    body,
    done,
    refused,  ///< `refusal` says why; the connection cannot be read any further
  };

  explicit RequestReader(std::size_t most_head_bytes);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  /// Takes bytes up to the end of the head or of the request; returns how many. What is left
  /// belongs to what comes next.
  std::size_t feed(std::string_view bytes);
  /// Goes on to the body, which may have so many bytes and goes to `file`, if there is one.
  /// REQUIRES: state() is head_read.
  void read_body(std::uint64_t most_bytes, std::shared_ptr<PartFile> file = nullptr);

  State state() const { return state_; }
  /// Without its body until state() is done. REQUIRES: head_read or later.
  Request& request() { return request_; }
  /// What to answer. REQUIRES: state() is refused.
  const Response& refusal() const { return refusal_; }
  bool keep_alive() const { return keep_alive_; }
  /// The client sends its body when it is told to.
  bool expects_continue() const { return expects_continue_; }
  bool has_body() const;

 private:
  struct Parser;
  Response& refuse(unsigned status, std::string_view sentence);
  std::size_t feed_head(std::string_view bytes);
  std::size_t feed_body(std::string_view bytes);
  void parse_head();
  bool take_fields();
  void finish();

  std::size_t most_head_bytes_;
  State state_ = State::start;
  std::string text_;  ///< the head so far; then what a chunk's head has so far
  std::unique_ptr<Parser> parser_;
  std::uint64_t most_body_bytes_ = 0;
  bool keep_alive_ = false, expects_continue_ = false;
  Request request_;
  Response refusal_;
};

}  // namespace quantlens::server
