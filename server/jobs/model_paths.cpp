// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/model_paths.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/frontend/frontend.h"
#include "server/jobs/refusal.h"
#include "server/shown.h"

namespace quantlens::server {
namespace {

std::vector<std::string> named_in(const fs::path& path, std::string_view field) {
  try {
    return frontend::named_in(path);
  } catch (const Error& error) {
    throw Refusal(kWrongRequest, fmt::format("{}: {}", field, error.what()));
  }
}

}  // namespace

fs::path checked_model(std::string_view text, std::string_view field, const Roots& roots) {
  fs::path path = roots.input(text, field);
  if (fs::is_directory(path)) {
    throw Refusal(kWrongRequest, fmt::format("{}: '{}' is a folder; give the file of the model",
                                             field, shown(text)));
  }
  for (const std::string& name : named_in(path, field)) {
    const fs::path target = resolved(path.parent_path() / name);
    if (!target.empty() && roots.allows(target)) continue;
    throw Refusal(kForbidden,
                  fmt::format("{}: the model has weights in the file '{}', which is not below a "
                              "folder that jobs may use, or is hidden there",
                              field, shown(name)));
  }
  return path;
}

}  // namespace quantlens::server
