// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/roots.h"

#include <algorithm>
#include <array>
#include <system_error>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "server/control.h"
#include "server/jobs/refusal.h"
#include "server/shown.h"

namespace quantlens::server {
namespace {

constexpr std::size_t kMostPathBytes = 4096;
constexpr std::array<std::string_view, 3> kOpenParts = {"uploads", "workloads", "jobs"};

/// A name that begins with a dot holds keys and settings rather than models.
bool has_hidden(const fs::path& relative) {
  return std::ranges::any_of(
      relative, [](const fs::path& part) { return part.native().starts_with('.') && part != "."; });
}

void check_text(std::string_view text, std::string_view field) {
  if (text.empty() || text.size() > kMostPathBytes || has_control(text) ||
      valid_utf8(text) != text) {
    throw Refusal(kWrongRequest, fmt::format("{}: is no path of UTF-8 text without control "
                                             "characters; rename the file",
                                             field));
  }
  if (!text.starts_with('/')) {
    throw Refusal(kWrongRequest,
                  fmt::format("{}: '{}' is no absolute path; begin with a folder that GET "
                              "/api/v1/files lists",
                              field, shown(text)));
  }
}

[[noreturn]] void refuse(std::string_view text, std::string_view field) {
  throw Refusal(kForbidden,
                fmt::format("{}: '{}' is not below a folder that jobs may use, or is hidden there; "
                            "GET /api/v1/files lists these folders, and serve --root adds one",
                            field, shown(text)));
}

}  // namespace

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [end, at] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

fs::path resolved(const fs::path& path) {
  std::error_code error;
  fs::path found = fs::weakly_canonical(path, error);
  return error ? fs::path() : found;
}

Roots::Roots(const fs::path& workspace, const std::vector<fs::path>& others)
    : roots_{fs::canonical(workspace)} {
  for (const fs::path& other : others) {
    std::error_code error;
    fs::path root = fs::canonical(other, error);
    if (error || !fs::is_directory(root, error)) {
      throw Error(Errc::usage, fmt::format("--root {}: is no folder; give one that is there",
                                           shown(other.string())));
    }
    if (std::ranges::find(roots_, root) == roots_.end()) roots_.push_back(std::move(root));
  }
}

bool Roots::allows(const fs::path& path) const {
  if (is_below(path, workspace())) {
    const fs::path inside = path.lexically_relative(workspace());
    return std::ranges::find(kOpenParts, inside.begin()->native()) != kOpenParts.end() &&
           !has_hidden(inside);
  }
  return std::any_of(roots_.begin() + 1, roots_.end(), [&](const fs::path& root) {
    return is_below(path, root) && !has_hidden(path.lexically_relative(root));
  });
}

fs::path Roots::existing(std::string_view text, std::string_view field) const {
  check_text(text, field);
  fs::path path = resolved(text);
  if (path.empty() || !allows(path)) refuse(text, field);
  std::error_code error;
  if (!fs::exists(fs::symlink_status(path, error))) {
    throw Refusal(kNotThere,
                  fmt::format("{}: there is no '{}'; check the path", field, shown(text)));
  }
  return path;
}

fs::path Roots::input(std::string_view text, std::string_view field) const {
  fs::path path = existing(text, field);
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::is_regular_file(status) && !fs::is_directory(status)) {
    throw Refusal(kWrongRequest,
                  fmt::format("{}: '{}' is no regular file and no folder", field, shown(text)));
  }
  return path;
}

fs::path Roots::output(std::string_view text, std::string_view field) const {
  check_text(text, field);
  const fs::path asked(text);
  const fs::path name = asked.filename();
  if (name.empty() || name == "." || name == "..") refuse(text, field);
  const fs::path folder = resolved(asked.parent_path());
  fs::path path = folder / name;
  if (folder.empty() || !allows(path) || is_below(path, workspace())) refuse(text, field);
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(folder, error))) {
    throw Refusal(kNotThere, fmt::format("{}: there is no folder for '{}'; make it first", field,
                                         shown(text)));
  }
  if (fs::exists(fs::symlink_status(path, error))) {
    throw Refusal(kConflict, fmt::format("{}: '{}' is there already; choose another name", field,
                                         shown(text)));
  }
  return path;
}

}  // namespace quantlens::server
