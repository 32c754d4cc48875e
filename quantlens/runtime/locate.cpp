// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/locate.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <system_error>

namespace quantlens {
namespace {

/// What the library is called in a folder: by its SONAME, by its plain name, or with its full
/// version only, as in the Python package.
std::vector<fs::path> libraries_in(const fs::path& folder) {
  std::vector<fs::path> found = {folder / "libonnxruntime.so.1", folder / "libonnxruntime.so"};
  std::vector<fs::path> versioned;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with("libonnxruntime.so.1.")) versioned.push_back(entry->path());
  }
  std::ranges::sort(versioned, std::greater());
  found.insert(found.end(), versioned.begin(), versioned.end());
  std::erase_if(found, [](const fs::path& path) {
    std::error_code ignored;
    return !fs::exists(path, ignored);
  });
  return found;
}

}  // namespace

std::vector<fs::path> onnxruntime_candidates() {
  std::error_code error;
  if (const char* chosen = std::getenv("QUANTLENS_ONNXRUNTIME"); chosen && *chosen != '\0') {
    const fs::path path(chosen);
    std::vector<fs::path> found;
    if (fs::is_directory(path, error)) found = libraries_in(path);
    if (found.empty()) found.push_back(path);
    return found;
  }
  std::vector<fs::path> candidates;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error && program.has_parent_path()) {
    candidates = libraries_in(program.parent_path().parent_path() / "lib" / "quantlens");
  }
  candidates.emplace_back(
      "libonnxruntime.so.1");  // without a folder: as the system's loader finds it
  candidates.emplace_back("libonnxruntime.so");
#ifdef QUANTLENS_ONNXRUNTIME_LIBRARY_HINT
  if (const fs::path hint(QUANTLENS_ONNXRUNTIME_LIBRARY_HINT); !hint.empty()) {
    candidates.push_back(hint);
  }
#endif
  return candidates;
}

}  // namespace quantlens
