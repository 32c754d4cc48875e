// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/uploads.h"

#include <chrono>
#include <optional>

#include <fmt/format.h>
#include <sys/stat.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "server/jobs/listing.h"
#include "server/jobs/refusal.h"
#include "server/jobs/upload_check.h"

namespace quantlens::server {
namespace {

std::optional<Upload> described(const fs::path& file) {
  struct stat info = {};
  if (::lstat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return Upload{.name = file.filename().string(),
                .path = file.string(),
                .bytes = static_cast<std::uint64_t>(info.st_size),
                .modified = time_text(info.st_mtim)};
}

void check_name(const std::string& name) {
  if (is_upload_name(name)) return;
  constexpr std::size_t kMostShown = 80;
  throw Refusal(kWrongRequest,
                fmt::format("'{}' is no name of an upload; take letters, digits, '.', '-' and '_', "
                            "and end in .onnx, .npz, .npy, .yaml, .yml or .json",
                            printable(name.substr(0, kMostShown))));
}

}  // namespace

std::vector<Upload> Uploads::list() const {
  std::vector<Upload> uploads;
  for (const std::string& name : store_.list(folder_)) {
    if (!is_upload_name(name)) continue;
    if (auto upload = described(folder_ / name)) uploads.push_back(*std::move(upload));
  }
  return uploads;
}

Upload Uploads::put(const std::string& name, std::string_view bytes) {
  check_name(name);
  if (const std::string problem = problem_of_upload(name, bytes); !problem.empty())
    throw Refusal(kWrongRequest, fmt::format("{} {}; nothing was kept", name, problem));
  const std::lock_guard lock(mutex_);
  std::uint64_t others = 0;
  for (const Upload& upload : list()) others += upload.name == name ? 0 : upload.bytes;
  if (bytes.size() > most_in_all_ || others > most_in_all_ - bytes.size()) {
    throw Refusal(kNoRoom, fmt::format("Uploads may take {} in all, and {} are taken; delete some, "
                                       "or start the server with a larger --upload-quota",
                                       human_bytes(most_in_all_), human_bytes(others)));
  }
  const fs::path file = folder_ / name;
  std::error_code ignored;
  if (fs::is_symlink(fs::symlink_status(folder_, ignored)))
    throw Refusal(kConflict, "uploads of the workspace is a link; make it a folder");
  store_.make_folder(folder_);
  write_atomic(store_, file, bytes);
  const auto upload = described(file);
  if (!upload) throw Refusal(kConflict, "The upload was removed while it was written.");
  return *upload;
}

void Uploads::remove(const std::string& name) {
  check_name(name);
  const std::lock_guard lock(mutex_);
  if (!described(folder_ / name))
    throw Refusal(kNotThere, fmt::format("There is no upload '{}'.", name));
  store_.remove(folder_ / name);
}

void Uploads::remove_unfinished() {
  const std::lock_guard lock(mutex_);
  for (const std::string& name : store_.list(folder_)) {
    const std::size_t part = name.rfind(".part");
    if (part != std::string::npos && is_upload_name(name.substr(0, part)))
      store_.remove(folder_ / name);
  }
}

}  // namespace quantlens::server
