// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/destination.h"

#include <cerrno>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens::flow {
namespace {

void refuse(const fs::path& output, std::string_view problem) {
  throw Error(Errc::io, fmt::format("{}: {}", printable(output.string()), problem));
}

}  // namespace

fs::path destination_of(const fs::path& wanted, const fs::path& model) {
  if (!wanted.empty()) return wanted;
  fs::path path = model;
  return path.replace_extension(".int8" + model.extension().string());
}

void check_destination(const fs::path& output, const std::vector<fs::path>& read) {
  std::error_code ignored;
  for (const fs::path& source : read) {
    if (!fs::equivalent(output, source, ignored)) continue;
    throw Error(Errc::usage,
                fmt::format("{}: the output would overwrite what is read; choose another name "
                            "with -o",
                            printable(output.string())));
  }
  const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored)) {
    refuse(folder, "there is no such folder to write to; make it or choose another with -o");
  }
  if (fs::is_directory(output, ignored)) refuse(output, "is a folder; name a file with -o");
  if (fs::exists(output, ignored) && !fs::is_regular_file(output, ignored)) {
    refuse(output, "cannot write: it is no regular file; choose another name with -o");
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    refuse(folder, fmt::format("cannot write there: {}; choose another folder with -o",
                               std::generic_category().message(errno)));
  }
}

}  // namespace quantlens::flow
