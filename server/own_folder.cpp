// SPDX-License-Identifier: Apache-2.0
#include "server/own_folder.h"

#include <system_error>

#include <unistd.h>

namespace quantlens::server {

bool is_plain_name(std::string_view name) {
  constexpr std::size_t kMost = 255;
  return !name.empty() && name.size() <= kMost && !name.starts_with('.') &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

bool is_own_folder(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(fs::symlink_status(folder, ignored));
}

bool is_writable(const fs::path& folder) {
  return ::access(folder.c_str(), W_OK | X_OK) == 0;
}

}  // namespace quantlens::server
