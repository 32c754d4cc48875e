// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/import/import.h"

#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/profiling/import/read.h"

namespace quantlens {
namespace {

/// Refuses what is no file before anything is read of it: a pipe would wait for ever.
std::ifstream open_file(const fs::path& path) {
  const std::string shown = printable(path.string());
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    throw Error(Errc::not_found, fmt::format("{}: no such file; check the path", shown));
  }
  if (!fs::is_regular_file(status)) {
    throw Error(Errc::io, fmt::format("{}: is no regular file; name the profile itself", shown));
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw Error(Errc::io, fmt::format("{}: cannot be opened; check that it may be read", shown));
  }
  return in;
}

std::string beginning_of(std::istream& in) {
  std::string beginning(imports::kBeginning, '\0');
  in.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(in.gcount()));
  in.clear();
  in.seekg(0);
  return beginning;
}

}  // namespace

bool is_profile(const fs::path& path) {
  try {
    std::ifstream in = open_file(path);
    return imports::importer_for(beginning_of(in)) != nullptr;
  } catch (const Error&) {
    return false;
  }
}

Profile import_profile(const fs::path& path, Progress& progress) {
  std::ifstream in = open_file(path);
  const std::string beginning = beginning_of(in);
  const imports::Importer importer = imports::importer_for(beginning);
  const std::string shown = printable(path.string());
  if (importer == nullptr) {
    throw Error(
        Errc::bad_input,
        fmt::format("{}: {}; expected ONNX Runtime's profiling JSON, TensorFlow's timeline, "
                    "StepStats or RunMetadata, or a trace of quantlens",
                    shown, beginning.empty() ? "is empty" : "is no profile known here"));
  }
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  progress.begin("import", error ? std::nullopt : std::optional<std::uint64_t>(size));
  Profile profile = importer(in, progress);
  progress.end();
  if (in.bad()) throw Error(Errc::io, fmt::format("{}: cannot be read; check the disk", shown));
  if (profile.nodes.empty()) {
    throw Error(Errc::bad_input,
                fmt::format("{}: no node's time is in it; was the model run while it was profiled?",
                            shown));
  }
  if (profile.model.empty()) profile.model = path.string();
  return profile;
}

}  // namespace quantlens
