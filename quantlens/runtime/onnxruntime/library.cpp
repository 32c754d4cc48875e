// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/onnxruntime/library.h"

#include <charconv>
#include <cstddef>
#include <cstring>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/text.h"
#include "quantlens/runtime/locate.h"
#include "quantlens/runtime/onnxruntime/domains.h"
#include "quantlens/runtime/shared_library.h"

namespace quantlens::onnxruntime {
namespace {

/// What this file was compiled for; any later library of major version 1 offers it as well.
constexpr std::uint32_t kApiVersion = 21;

/// Whether "1.31.1" is 1.`minor` or later of the same major version.
bool is_at_least(std::string_view version, int minor) {
  int found = 0;
  if (!version.starts_with("1.")) return false;
  version.remove_prefix(2);
  std::from_chars(version.data(), version.data() + version.size(), found);
  return found >= minor;
}

/// A function that came with version 1.22: its place in the table, which only ever grows at its
/// end, is the ninth behind SetEpDynamicOptions. A header that names it is younger than the runtime
/// that we ask for at least.
decltype(Library::cancel_loading) find_cancel_loading(const OrtApiBase& base,
                                                      std::string_view version) {
  constexpr std::uint32_t kSince = 22;
  if (!is_at_least(version, kSince)) return nullptr;  // to ask such a library prints a line
  const OrtApi* api = base.GetApi(kSince);
  if (api == nullptr) return nullptr;
  decltype(Library::cancel_loading) found = nullptr;
  constexpr std::size_t kAt = offsetof(OrtApi, SetEpDynamicOptions) + 9 * sizeof found;
  std::memcpy(&found, reinterpret_cast<const std::byte*>(api) + kAt, sizeof found);
  return found;
}

/// Loads one candidate into `out`, or says why not.
std::string load_one(const fs::path& candidate, Library& out) {
  void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return printable(reason != nullptr ? reason : candidate.string());
  }
  void* symbol = dlsym(handle, "OrtGetApiBase");
  if (symbol == nullptr) {
    dlclose(handle);
    return fmt::format("{}: is not ONNX Runtime", printable(candidate.string()));
  }
  const auto get_base = reinterpret_cast<const OrtApiBase* (*)()>(symbol);
  const std::string version = get_base()->GetVersionString();
  const OrtApi* api = get_base()->GetApi(kApiVersion);
  if (api == nullptr) {
    out.code = Errc::unsupported;
    return fmt::format("{}: is ONNX Runtime {}, and quantlens needs 1.{} or later",
                       printable(file_of(symbol, candidate)), printable(version), kApiVersion);
  }
  out.api = api;
  out.cancel_loading = find_cancel_loading(*get_base(), version);
  out.version = version;
  out.path = file_of(symbol, candidate);
  return {};
}

}  // namespace

Library load_library(const std::vector<fs::path>& candidates) {
  return first_loaded<Library>(candidates, load_one, [](const std::vector<std::string>& tried) {
    return fmt::format(
        "no usable ONNX Runtime was found; run tools/setup, or set QUANTLENS_ONNXRUNTIME to "
        "libonnxruntime.so.1 or its folder; tried:\n  {}",
        fmt::join(tried, "\n  "));
  });
}

const Library& library() {
  // Once in a process: a library that the loader has mapped cannot be had twice, and the C++
  // wrappers of its own header keep the table of functions in a static, too. Nothing else here is
  // static.
  static const Library loaded = [] {
    Library first = load_library(onnxruntime_candidates());
    if (first.api == nullptr) return first;
    Ort::InitApi(first.api);
    try {
      make_domains_known();
    } catch (const std::exception& error) {
      first.api = nullptr;
      first.problem = fmt::format("{}: ONNX Runtime {} loads no model: {}", printable(first.path),
                                  printable(first.version), printable(error.what()));
    }
    return first;
  }();
  return loaded;
}

void require_library() {
  if (library().api == nullptr) throw Error(library().code, library().problem);
}

}  // namespace quantlens::onnxruntime
