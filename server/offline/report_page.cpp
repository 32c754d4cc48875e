// SPDX-License-Identifier: Apache-2.0
#include "server/offline/report_page.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/markup.h"
#include "server/offline/packed.h"

namespace quantlens::server {
namespace {

constexpr std::string_view kTemplate = "report.html", kCode = "report.js", kStyle = "report.css";

const Asset& asset_named(const std::vector<Asset>& assets, std::string_view name) {
  const auto found = std::ranges::find(assets, name, &Asset::path);
  if (found != assets.end()) return *found;
  throw Error(
      Errc::unsupported,
      "this quantlens was built without its pages, which a report in HTML consists of; build it "
      "with Node.js and npm (docs/ui.md), or write the report as .md");
}

std::string packed_base64(const Asset& asset) {
  if (!asset.gzip.empty()) return to_base64(asset.gzip);
  Packed packed;
  packed.add(asset.plain);
  return packed.base64();
}

}  // namespace

std::string report_page(const std::vector<Asset>& assets, const ReportPage& page) {
  const std::pair<std::string_view, std::string> parts[] = {
      {"{{title}}", escaped_markup(page.title)},
      {"{{summary}}", escaped_markup(page.summary)},
      {"{{style}}", packed_base64(asset_named(assets, kStyle))},
      {"{{code}}", packed_base64(asset_named(assets, kCode))},
      {"{{data}}", page.data}};
  std::string_view rest = asset_named(assets, kTemplate).plain;
  std::string html;
  // In the order of the template; what a part holds is not looked at.
  while (!rest.empty()) {
    std::size_t next = rest.size();
    const std::pair<std::string_view, std::string>* part = nullptr;
    for (const auto& one : parts) {
      const std::size_t at = rest.find(one.first);
      if (at < next) std::tie(next, part) = std::tuple(at, &one);
    }
    html += rest.substr(0, next);
    if (part == nullptr) break;
    html += part->second;
    rest.remove_prefix(next + part->first.size());
  }
  return html;
}

}  // namespace quantlens::server
