// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/listing.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <tuple>

#include <fmt/format.h>
#include <sys/stat.h>

#include "quantlens/base/text.h"
#include "quantlens/workspace/workload_id.h"
#include "server/jobs/refusal.h"

namespace quantlens::server {
namespace {

constexpr std::size_t kMostEntries = 100'000;

/// REQUIRES: of the path, the last part alone may be a link.
std::optional<Entry> entry_of(const fs::path& path, const Roots& roots) {
  const std::string name = path.filename().string();
  if (valid_utf8(name) != name || printable(name) != name) return std::nullopt;  // no job takes it
  struct stat info = {};
  if (name.starts_with('.') || ::lstat(path.c_str(), &info) != 0) return std::nullopt;
  const fs::path target = S_ISLNK(info.st_mode) ? resolved(path) : path;
  if (target.empty() || !roots.allows(target)) return std::nullopt;
  if (S_ISLNK(info.st_mode) && ::lstat(target.c_str(), &info) != 0) return std::nullopt;
  if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return std::nullopt;
  Entry entry{.name = name,
              .path = path.string(),
              .kind = S_ISDIR(info.st_mode) ? EntryKind::folder : EntryKind::file,
              .bytes = {},
              .modified = time_text(info.st_mtim)};
  if (entry.kind == EntryKind::file) entry.bytes = static_cast<std::uint64_t>(info.st_size);
  return entry;
}

void sort(std::vector<Entry>& entries) {
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return std::tie(a.kind, a.name) < std::tie(b.kind, b.name);
  });
}

std::vector<Entry> entries_of(const fs::path& folder, const Roots& roots) {
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entries.size() >= kMostEntries)
      throw Refusal(kTooLarge, "The folder has too many files to be listed; type the path.");
    if (auto one = entry_of(entry->path(), roots)) entries.push_back(*std::move(one));
  }
  if (error)
    throw Refusal(kForbidden, fmt::format("The folder cannot be listed: {}", error.message()));
  sort(entries);
  return entries;
}

[[noreturn]] void refuse() {
  throw Refusal(kForbidden,
                "path: is not below a folder that jobs may use; GET /api/v1/files without "
                "arguments lists these");
}

}  // namespace

std::string time_text(const timespec& time) {
  namespace chrono = std::chrono;
  const auto since_epoch = chrono::seconds(time.tv_sec) + chrono::nanoseconds(time.tv_nsec);
  return utc_text(Moment(chrono::duration_cast<chrono::system_clock::duration>(since_epoch)));
}

Listing list_roots(const Roots& roots) {
  Listing listing;
  for (const fs::path& root : roots.all()) {
    struct stat info = {};
    if (::stat(root.c_str(), &info) != 0) continue;
    listing.entries.push_back({.name = valid_utf8(root.string()),
                               .path = valid_utf8(root.string()),
                               .kind = EntryKind::folder,
                               .bytes = {},
                               .modified = time_text(info.st_mtim)});
  }
  listing.total = listing.entries.size();
  return listing;
}

Listing list_folder(const Roots& roots, std::string_view root, std::string_view path,
                    const Page& page) {
  const auto found = std::ranges::find(roots.all(), fs::path(root));
  const fs::path relative = (fs::path(path) / "").lexically_normal().parent_path();
  const fs::path whole(path);
  const bool climbs = std::ranges::find(whole, fs::path("..")) != whole.end();
  if (found == roots.all().end() || whole.is_absolute() || climbs ||
      path.find('\0') != std::string_view::npos)
    refuse();
  const fs::path asked = (*found / relative).lexically_normal();
  const fs::path folder = resolved(asked);
  // The workspace itself holds more than jobs may use; entry_of leaves that out.
  if (folder.empty() || (folder != roots.workspace() && folder != *found && !roots.allows(folder)))
    refuse();
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw Refusal(kNotThere, "path: is no folder; check the path");
  Listing listing{
      .root = found->string(), .path = relative.string(), .up = {}, .offset = page.offset};
  if (folder != *found) listing.up = relative.parent_path().string();
  std::vector<Entry> entries = entries_of(folder, roots);
  listing.total = entries.size();
  const std::uint64_t begin = std::min<std::uint64_t>(page.offset, entries.size());
  const std::uint64_t count = std::min<std::uint64_t>(page.limit, entries.size() - begin);
  const auto from = entries.begin() + static_cast<std::ptrdiff_t>(begin);
  listing.entries.assign(from, from + static_cast<std::ptrdiff_t>(count));
  return listing;
}

}  // namespace quantlens::server
