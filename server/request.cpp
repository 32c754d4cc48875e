// SPDX-License-Identifier: Apache-2.0
#include "server/request.h"

#include <algorithm>
#include <charconv>
#include <exception>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens::server {
namespace {

std::optional<std::string_view> first_of(const Pairs& pairs, std::string_view name) {
  const auto found = std::ranges::find(pairs, name, &Pairs::value_type::first);
  return found == pairs.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

unsigned status_of(Errc code) {
  switch (code) {
    case Errc::usage:
    case Errc::bad_input:
      return 400;
    case Errc::not_found:
      return 404;
    case Errc::failed:
    case Errc::unsupported:
    case Errc::io:
    case Errc::interrupted:
      break;
  }
  return 500;
}

}  // namespace

std::optional<std::string_view> header_of(const Request& request, std::string_view name) {
  return first_of(request.headers, name);
}

std::optional<std::string_view> query_of(const Request& request, std::string_view name) {
  return first_of(request.query, name);
}

std::optional<std::string_view> bytes_of(const Response& response) {
  if (response.body) return *response.body;
  return response.file ? std::optional(response.file->text()) : std::nullopt;
}

std::optional<std::uint64_t> announced_bytes(const Request& request) {
  const auto text = header_of(request, "content-length");
  std::uint64_t bytes = 0;
  if (!text) return std::nullopt;
  const char* const end = text->data() + text->size();
  const auto [at, error] = std::from_chars(text->data(), end, bytes);
  return error == std::errc() && at == end ? std::optional(bytes) : std::nullopt;
}

Response text_response(unsigned status, std::string_view sentence) {
  return {.status = status,
          .type = std::string(kText),
          .body = std::make_shared<const std::string>(valid_utf8(sentence))};
}

Response json_response(std::string text) {
  return {.type = std::string(kJson), .body = std::make_shared<const std::string>(std::move(text))};
}

Response error_response() {
  try {
    throw;
  } catch (const Error& error) {
    return text_response(status_of(error.code()), error.what());
  } catch (const std::exception&) {
    return text_response(500, "The server failed at this request; its log says more.");
  }
}

}  // namespace quantlens::server
