// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/store.h"

namespace quantlens::server {

/// The folders below which jobs read and write. All paths of a client go through here: what is not
/// below one of them, once all links are followed, is refused with 403, be it there or not.
class Roots {
 public:
  /// Of the workspace nothing but uploads/, workloads/ and jobs/ is allowed, whatever the others
  /// are: beside these lie the token and the server's key. REQUIRES: `workspace` exists. Throws
  /// Errc::usage for one of the `others` that is no folder.
  Roots(const fs::path& workspace, const std::vector<fs::path>& others);

  /// Without links, the workspace first.
  const std::vector<fs::path>& all() const { return roots_; }
  const fs::path& workspace() const { return roots_.front(); }

  /// A file or folder that a job reads, without links. `field` is how the client calls it. Throws
  /// Refusal.
  fs::path input(std::string_view text, std::string_view field) const;
  /// The same of whatever is there, as a named pipe, which is not to be opened for reading.
  fs::path existing(std::string_view text, std::string_view field) const;
  /// A file that a job makes: there is none of this name, and its folder is there, outside of the
  /// workspace. Throws Refusal.
  fs::path output(std::string_view text, std::string_view field) const;
  /// REQUIRES: no part of it is a link.
  bool allows(const fs::path& path) const;

 private:
  std::vector<fs::path> roots_;
};

/// Whether `path` is `folder` or below it, part by part.
bool is_below(const fs::path& path, const fs::path& folder);

/// Where a path leads: links are followed as far as it is there, and a part behind that is taken
/// as it is. Empty where that cannot be told.
fs::path resolved(const fs::path& path);

}  // namespace quantlens::server
