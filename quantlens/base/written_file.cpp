// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/written_file.h"

#include <system_error>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {

fs::path written_file(const fs::path& path) {
  constexpr int kMostLinks = 40;  // one after another, as Linux follows them
  fs::path target = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, error)); ++links) {
    const fs::path next = fs::read_symlink(target, error);
    if (links == kMostLinks) error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
    if (error) {
      throw Error(Errc::io, fmt::format("{}: cannot write: {}; name a file that is no such link",
                                        printable(path.string()), error.message()));
    }
    target = target.parent_path() / next;  // an absolute one as it is
  }
  return target;
}

}  // namespace quantlens
