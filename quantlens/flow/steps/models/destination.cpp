// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/models/destination.h"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/base/written_file.h"
#include "quantlens/dataset/files.h"
#include "quantlens/frontend/frontend.h"

namespace quantlens::flow {
namespace {

[[noreturn]] void refuse(const fs::path& path, std::string_view problem) {
  throw Error(Errc::io, fmt::format("{}: {}", printable(path.string()), problem));
}

std::vector<fs::path> files_for(const Destination& destination) {
  if (!destination.is_model) return {destination.path};
  return frontend::files_for(destination.path);
}

bool is_read(const fs::path& written, const Sources& sources) {
  std::error_code ignored;
  if (!fs::exists(written, ignored)) return false;
  const auto is_one = [&](const fs::path& source) {
    return fs::equivalent(written, source, ignored);
  };
  return std::ranges::any_of(sources.files, is_one) ||
         (sources.model && std::ranges::any_of(frontend::files_of(*sources.model), is_one)) ||
         std::ranges::any_of(sources.data, [&](const FittedData* data) {
           return data && reads(data->opened, written);
         });
}

/// Also of files that are not there yet.
bool is_same(const fs::path& one, const fs::path& other) {
  std::error_code ignored;
  const auto whole = [&](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(written_file(path), ignored), ignored);
  };
  return fs::equivalent(one, other, ignored) || whole(one) == whole(other);
}

}  // namespace

fs::path destination_of(const fs::path& wanted, const fs::path& model) {
  if (!wanted.empty()) return written_file(wanted);
  std::error_code ignored;
  fs::path path = model.has_filename() ? model : model.parent_path();
  if (fs::is_directory(path, ignored)) return written_file(path += ".int8.pb");
  const std::string ending = path.extension().string();
  const bool is_frozen = ending == ".keras" || ending == ".h5";
  return written_file(path.replace_extension(".int8" + (is_frozen ? ".pb" : ending)));
}

void check_destination(const Destination& destination, const Sources& sources) {
  const auto& [output, option, is_model] = destination;
  for (const fs::path& written : files_for(destination)) {
    if (!is_read(written, sources)) continue;
    throw Error(Errc::usage,
                fmt::format("{}: the output would overwrite what is read{}; choose "
                            "another name with {}",
                            printable(output.string()),
                            written == output ? "" : " (" + written.string() + ")", option));
  }
  std::error_code ignored;
  const fs::path target = written_file(output);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored)) {
    refuse(folder, fmt::format("there is no such folder to write to; make it or choose another "
                               "with {}",
                               option));
  }
  if (fs::is_directory(output, ignored)) {
    refuse(output, fmt::format("is a folder; name a file with {}", option));
  }
  if (fs::exists(output, ignored) && !fs::is_regular_file(output, ignored)) {
    refuse(output,
           fmt::format("cannot write: it is no regular file; choose another name with {}", option));
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    refuse(folder, fmt::format("cannot write there: {}; choose another folder with {}",
                               std::generic_category().message(errno), option));
  }
}

void check_apart(const Destination& destination, const Destination& other) {
  for (const fs::path& one : files_for(destination)) {
    for (const fs::path& theirs : files_for(other)) {
      if (!is_same(one, theirs)) continue;
      throw Error(Errc::usage,
                  fmt::format("{}: is what {} writes as well; choose another name "
                              "with {}",
                              printable(one.string()), other.option, destination.option));
    }
  }
}

}  // namespace quantlens::flow
