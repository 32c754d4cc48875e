// SPDX-License-Identifier: Apache-2.0
#include "server/http/request_reader.h"

#include <algorithm>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>

#include "quantlens/base/error.h"
#include "server/http/target.h"
#include "server/part_file.h"

namespace quantlens::server {

namespace http = boost::beast::http;

namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::string_view kLastChunk = "0\r\n\r\n";
constexpr std::size_t kMostFields = 100;
constexpr std::size_t kMostChunkHeadBytes =
    4096;  // its size, extensions, and fields after the last

/// Whether its lines end in CR LF, none goes on in the next one, and no other control character but
/// a tab is in them: readers differ about all of these.
bool is_plain(std::string_view head) {
  for (std::size_t i = 0; i < head.size(); ++i) {
    const auto c = static_cast<unsigned char>(head[i]);
    if (c == '\r') {
      if (i + 1 == head.size() || head[i + 1] != '\n') return false;
    } else if (c == '\n') {
      if (i == 0 || head[i - 1] != '\r') return false;
      if (i + 1 < head.size() && (head[i + 1] == ' ' || head[i + 1] == '\t')) return false;
    } else if ((c < 0x20 && c != '\t') || c == 0x7f) {
      return false;
    }
  }
  return true;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 19 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

/// What Beast asks of a body's type: it goes into a file, where there is one, or into a text.
struct PlacedBody {
  struct value_type {  // NOLINT(readability-identifier-naming): Beast's name, as the next one
    std::string text;
    std::shared_ptr<PartFile> file;
    std::uint64_t bytes = 0;
  };
  class reader {  // NOLINT(readability-identifier-naming)
   public:
    template <class Head>
    reader(Head&, value_type& body) : body_(body) {}
    void init(const boost::optional<std::uint64_t>&, boost::beast::error_code& error) {
      error = {};
    }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, boost::beast::error_code& error) {
      error = {};
      std::size_t count = 0;
      for (const boost::asio::const_buffer piece : boost::beast::buffers_range_ref(buffers)) {
        const std::string_view bytes(static_cast<const char*>(piece.data()), piece.size());
        if (body_.file) {
          body_.file->write(bytes);
        } else {
          body_.text.append(bytes);
        }
        count += bytes.size();
      }
      body_.bytes += count;
      return count;
    }
    void finish(boost::beast::error_code& error) { error = {}; }

   private:
    value_type& body_;
  };
};

}  // namespace

struct RequestReader::Parser {
  http::request_parser<PlacedBody> of;
};

RequestReader::RequestReader(std::size_t most_head_bytes) : most_head_bytes_(most_head_bytes) {}
RequestReader::~RequestReader() = default;

std::size_t RequestReader::feed(std::string_view bytes) {
  switch (state_) {
    case State::start:
    case State::head:
      return bytes.empty() ? 0 : feed_head(bytes);
    case State::body:
      return feed_body(bytes);
    case State::head_read:
    case State::done:
    case State::refused:
      break;
  }
  return 0;
}

Response& RequestReader::refuse(unsigned status, std::string_view sentence) {
  state_ = State::refused;
  keep_alive_ = false;
  return refusal_ = text_response(status, sentence);
}

std::size_t RequestReader::feed_head(std::string_view bytes) {
  state_ = State::head;
  const std::size_t before = text_.size();
  // One more than fits, so that a head which is too long is seen to be.
  text_.append(bytes.substr(0, most_head_bytes_ + 1 - std::min(before, most_head_bytes_)));
  if (text_ == "\r\n") {  // some clients send one after a body; it may be skipped
    text_.clear();
    state_ = State::start;
    return bytes.size();
  }
  const std::size_t begin = text_.starts_with("\r\n") ? 2 : 0;
  const std::size_t seen = before - std::min(before, kHeadEnd.size() - 1);  // it may be cut
  const std::size_t end = text_.find(kHeadEnd, std::max(begin, seen));
  if (end == std::string::npos) {
    if (text_.size() > most_head_bytes_) refuse(431, "The head of this request is too long.");
    return bytes.size();
  }
  text_.resize(end + kHeadEnd.size());
  const std::size_t taken = text_.size() - before;
  text_.erase(0, begin);
  parse_head();
  return taken;
}

void RequestReader::parse_head() {
  if (!is_plain(text_)) {
    refuse(400, "The head of this request is malformed.");
    return;
  }
  parser_ = std::make_unique<Parser>();
  auto& parser = parser_->of;
  parser.header_limit(static_cast<std::uint32_t>(most_head_bytes_ + 1));
  parser.body_limit(boost::none);  // judged when the route is known
  boost::beast::error_code error;
  parser.put(boost::asio::buffer(text_), error);
  if (error || !parser.is_header_done()) {
    const bool is_version = error == http::error::bad_version;
    refuse(is_version ? 505 : 400, is_version ? "Only HTTP/1.0 and HTTP/1.1 are spoken here."
                                              : "The head of this request is malformed.");
    return;
  }
  text_.clear();
  if (take_fields()) state_ = State::head_read;
}

bool RequestReader::take_fields() {
  const auto& head = parser_->of.get();
  const auto fail = [this](unsigned status, std::string_view sentence) {
    refuse(status, sentence);
    return false;
  };
  request_.method = std::string(view(head.method_string()));
  if (std::ranges::find(kMethods, request_.method) == std::end(kMethods)) {
    refuse(405, "This method is not answered here.").headers.emplace_back("Allow", kAllow);
    return false;
  }
  auto target = parse_target(view(head.target()));
  if (!target) return fail(400, "The address of this request is malformed.");
  request_.path = std::move(target->path);
  request_.query = std::move(target->query);
  for (const auto& field : head) {
    if (request_.headers.size() == kMostFields)
      return fail(431, "This request has too many fields.");
    request_.headers.emplace_back(lower_case(view(field.name_string())), view(field.value()));
  }
  const auto count = [this](std::string_view name) {
    return std::ranges::count(request_.headers, name, &Pairs::value_type::first);
  };
  const auto coding = header_of(request_, "transfer-encoding");
  const auto length = header_of(request_, "content-length");
  const bool is_ambiguous = (coding && length) || count("content-length") > 1 ||
                            count("host") > 1 || count("transfer-encoding") > 1 ||
                            (length && !is_number(*length)) ||
                            (coding && (lower_case(*coding) != "chunked" || head.version() < 11));
  if (is_ambiguous) return fail(400, "The head of this request can be read in two ways.");
  if (head.version() >= 11 && !header_of(request_, "host"))
    return fail(400, "This request names no host.");
  if (const auto expected = header_of(request_, "expect")) {
    if (lower_case(*expected) != "100-continue")
      return fail(417, "Only 100-continue is understood.");
    expects_continue_ = head.version() >= 11 && has_body();
  }
  keep_alive_ = head.keep_alive();
  return true;
}

bool RequestReader::has_body() const {
  const auto length = parser_->of.content_length();
  return parser_->of.chunked() || (length && *length > 0);
}

void RequestReader::read_body(std::uint64_t most_bytes, std::shared_ptr<PartFile> file) {
  auto& parser = parser_->of;
  parser.get().body().file = std::move(file);
  most_body_bytes_ = most_bytes;
  if (const auto length = parser.content_length(); length && *length > most_bytes) {
    refuse(413, "The body of this request is too large.");
    return;
  }
  if (parser.is_done()) return finish();
  parser.body_limit(most_bytes);
  parser.eager(true);
  state_ = State::body;
}

std::size_t RequestReader::feed_body(std::string_view bytes) {
  if (bytes.empty()) return 0;
  auto& parser = parser_->of;
  text_.append(bytes);
  // No body in chunks ends in fewer bytes than these, and Beast asserts that a last chunk has them.
  if (parser.chunked() && text_.size() < kLastChunk.size()) return bytes.size();
  boost::beast::error_code error;
  try {
    text_.erase(0, parser.put(boost::asio::buffer(text_), error));
  } catch (const Error&) {
    refuse(507, "The body of this request cannot be kept; the disk may be full.");
    return bytes.size();
  }
  if (error == http::error::body_limit || parser.get().body().bytes > most_body_bytes_) {
    refuse(413, "The body of this request is too large.");
    return bytes.size();
  }
  const bool waits = !error || error == http::error::need_more;
  if (!waits || (!parser.is_done() && text_.size() > kMostChunkHeadBytes)) {
    refuse(400, "The body of this request is malformed.");
    return bytes.size();
  }
  if (!parser.is_done()) return bytes.size();
  const std::size_t left = text_.size();
  text_.clear();
  finish();
  return bytes.size() - std::min(left, bytes.size());
}

void RequestReader::finish() {
  auto& body = parser_->of.get().body();
  request_.body = std::move(body.text);
  request_.file = std::move(body.file);
  state_ = State::done;
}

}  // namespace quantlens::server
