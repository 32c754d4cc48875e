// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>
#include <sys/types.h>

#include "server/jobs/roots.h"

namespace quantlens::server {

BOOST_DEFINE_ENUM_CLASS(EntryKind, folder, file)

struct Entry {
  std::string name;
  std::string path;  ///< as a job takes it
  EntryKind kind = EntryKind::file;
  std::optional<std::uint64_t> bytes;  ///< of a file
  std::string modified;                ///< UTC, RFC 3339
};
BOOST_DESCRIBE_STRUCT(Entry, (), (name, path, kind, bytes, modified))

/// A page of a folder, or of the roots.
struct Listing {
  std::string root;               ///< empty: these are the roots
  std::string path;               ///< below the root
  std::optional<std::string> up;  ///< of the folder around it; null: it is the root
  std::uint64_t total = 0;
  std::uint64_t offset = 0;
  std::vector<Entry> entries;  ///< folders first, then by name
};
BOOST_DESCRIBE_STRUCT(Listing, (), (root, path, up, total, offset, entries))

struct Page {
  std::uint64_t offset = 0;
  std::uint64_t limit = 100;
};

Listing list_roots(const Roots& roots);
/// `root`: one of the roots; `path`: of a folder below it. What jobs may not use is not told, nor
/// what is no file and no folder. Throws Refusal.
Listing list_folder(const Roots& roots, std::string_view root, std::string_view path,
                    const Page& page);

std::string time_text(const timespec& time);

}  // namespace quantlens::server
