// SPDX-License-Identifier: Apache-2.0
#include "server/assets/assets.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "quantlens/base/text.h"

namespace quantlens::server {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kTypes = {{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".json", "application/json"},
    {".woff2", "font/woff2"},
    {".txt", "text/plain; charset=utf-8"},
    {".wasm", "application/wasm"},
}};

std::string_view type_of_asset(std::string_view path) {
  for (const auto& [end, type] : kTypes) {
    if (path.ends_with(end)) return type;
  }
  return "application/octet-stream";
}

/// "assets/index-B2x9_aQ4.js": bundlers put a hash of the bytes there.
bool has_hash(std::string_view path) {
  constexpr std::size_t kLeast = 8;
  const std::size_t dot = path.rfind('.');
  const std::size_t dash = path.substr(0, dot).rfind('-');
  if (dot == std::string_view::npos || dash == std::string_view::npos) return false;
  const std::string_view hash = path.substr(dash + 1, dot - dash - 1);
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  return hash.size() >= kLeast && std::ranges::all_of(hash, is_word) &&
         std::ranges::any_of(hash, is_digit);
}

std::string_view trimmed_tag(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

/// Of ";q=0.000" and the like.
bool is_refused(std::string_view parameters) {
  const std::size_t at = parameters.find("q=");
  if (at == std::string_view::npos) return false;
  return trimmed_tag(parameters.substr(at + 2)).find_first_not_of("0.") == std::string_view::npos;
}

bool names_tag(std::string_view list, std::string_view tag) {
  for (;;) {
    const std::size_t end = list.find(',');
    std::string_view one = trimmed_tag(list.substr(0, end));
    if (one.starts_with("W/")) one.remove_prefix(2);  // a GET compares weakly
    if (one == tag || one == "*") return true;
    if (end == std::string_view::npos) return false;
    list.remove_prefix(end + 1);
  }
}

}  // namespace

bool accepts_coding(std::string_view accepted, std::string_view coding) {
  bool all = false;
  for (;;) {
    const std::size_t end = accepted.find(',');
    const std::string_view one = accepted.substr(0, end);
    const std::size_t mark = std::min(one.find(';'), one.size());
    const std::string_view name = trimmed_tag(one.substr(0, mark));
    const bool taken = !is_refused(one.substr(mark));
    if (name == coding) return taken;
    if (name == "*") all = taken;
    if (end == std::string_view::npos) return all;
    accepted.remove_prefix(end + 1);
  }
}

Assets::Assets(const std::vector<Asset>& assets, std::string_view index) {
  for (const Asset& asset : assets) {
    if (asset.is_for_reports) continue;
    File file{.type = std::string(type_of_asset(asset.path)),
              .never_changes = has_hash(asset.path)};
    const std::string hash = sha256_hex(asset.plain).substr(0, 32);
    const auto add = [&](std::string_view coding, std::string_view bytes) {
      file.forms.push_back(
          {.coding = coding,
           .bytes = std::make_shared<const std::string>(bytes),
           .tag = fmt::format("\"{}{}{}\"", hash, coding.empty() ? "" : "-", coding)});
    };
    const auto helps = [&](std::string_view bytes) {
      return !bytes.empty() && bytes.size() < asset.plain.size();
    };
    if (helps(asset.brotli)) add("br", asset.brotli);
    if (helps(asset.gzip)) add("gzip", asset.gzip);
    add("", asset.plain);
    if (asset.path == index) files_.emplace("/", file);
    files_.emplace(fmt::format("/{}", asset.path), std::move(file));
  }
}

const Assets::Form& Assets::chosen(const File& file, const Request& request) const {
  const auto accepted = header_of(request, "accept-encoding");
  for (const Form& form : file.forms) {
    if (form.coding.empty() || (accepted && accepts_coding(*accepted, form.coding))) return form;
  }
  return file.forms.back();
}

Response Assets::answer(const Request& request) const {
  const auto found = files_.find(request.path);
  if (found == files_.end()) return text_response(404, "There is nothing at this address.");
  if (request.method != "GET" && request.method != "HEAD") {
    Response response = request.method == "OPTIONS"
                            ? Response{.status = 204}
                            : text_response(405, "This address is read by GET alone.");
    response.headers.emplace_back("Allow", "GET, HEAD, OPTIONS");
    return response;
  }
  const File& file = found->second;
  const Form& form = chosen(file, request);
  Response response;
  response.headers = {
      {"ETag", form.tag},
      {"Vary", "Accept-Encoding"},
      {"Cache-Control", file.never_changes ? "public, max-age=31536000, immutable" : "no-cache"}};
  if (const auto known = header_of(request, "if-none-match");
      known && names_tag(*known, form.tag)) {
    response.status = 304;
    return response;
  }
  if (!form.coding.empty()) response.headers.emplace_back("Content-Encoding", form.coding);
  response.type = file.type;
  response.body = form.bytes;
  return response;
}

}  // namespace quantlens::server
