// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/locate.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace quantlens {
namespace {

void drop_absent(std::vector<fs::path>& paths) {
  std::erase_if(paths, [](const fs::path& path) {
    std::error_code ignored;
    return !fs::exists(path, ignored);
  });
}

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
  drop_absent(found);
  return found;
}

/// TensorFlow's in a folder: as the Python package has it, or its C library.
std::vector<fs::path> tensorflow_in(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const fs::path& place : {folder, folder / "tensorflow", folder / "lib"}) {
    found.push_back(place / "libtensorflow_cc.so.2");
    found.push_back(place / "libtensorflow.so.2");
  }
  drop_absent(found);
  return found;
}

/// The folders of packages that a Python has which lies in `folder`.
std::vector<fs::path> packages_beside(const fs::path& folder) {
  std::vector<fs::path> packages;
  std::error_code error;
  const fs::path libraries = folder.parent_path() / "lib";
  for (fs::directory_iterator entry(libraries, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().string().starts_with("python3")) continue;
    packages.push_back(entry->path() / "site-packages");
    packages.push_back(entry->path() / "dist-packages");
  }
  std::ranges::sort(packages, std::greater());
  return packages;
}

/// Where the first python3 in $PATH lies, by that name and by what it is a link to.
std::vector<fs::path> python_folders() {
  const char* const value = std::getenv("PATH");
  std::string_view left = value != nullptr ? value : "";
  while (!left.empty()) {
    const std::string_view folder = left.substr(0, left.find(':'));
    left.remove_prefix(std::min(left.size(), folder.size() + 1));
    std::error_code error;
    const fs::path python = fs::path(folder) / "python3";
    if (folder.empty() || !fs::exists(python, error)) continue;
    const fs::path real = fs::canonical(python, error);
    return {fs::path(folder), error ? fs::path(folder) : real.parent_path()};
  }
  return {};
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

std::vector<fs::path> tensorflow_candidates() {
  std::error_code error;
  if (const char* chosen = std::getenv("QUANTLENS_TENSORFLOW"); chosen && *chosen != '\0') {
    const fs::path path(chosen);
    std::vector<fs::path> found;
    if (fs::is_directory(path, error)) found = tensorflow_in(path);
    if (found.empty()) found.push_back(path);
    return found;
  }
  std::vector<fs::path> candidates;
  const auto add = [&](const std::vector<fs::path>& found) {
    candidates.insert(candidates.end(), found.begin(), found.end());
  };
#ifdef QUANTLENS_TENSORFLOW_HINT
  add(tensorflow_in(QUANTLENS_TENSORFLOW_HINT));
#endif
  for (const fs::path& folder : python_folders()) {
    for (const fs::path& packages : packages_beside(folder)) add(tensorflow_in(packages));
  }
  candidates.emplace_back("libtensorflow_cc.so.2");
  candidates.emplace_back("libtensorflow.so.2");
  return candidates;
}

std::string tensorflow_problem(const std::string& tried) {
  return fmt::format(
      "no usable TensorFlow was found; run tools/setup --with-tensorflow, or set "
      "QUANTLENS_TENSORFLOW to the folder of libtensorflow_cc.so.2{}{}",
      tried.empty() ? "" : "; tried: ", tried);
}

}  // namespace quantlens
