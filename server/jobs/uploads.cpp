// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/uploads.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/stat.h>

#include "quantlens/base/error.h"
#include "server/jobs/listing.h"
#include "server/jobs/refusal.h"
#include "server/jobs/upload_check.h"
#include "server/shown.h"

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

[[noreturn]] void refuse_room(std::uint64_t most, std::uint64_t taken) {
  throw Refusal(kNoRoom, fmt::format("Uploads may take {} in all, and {} are taken; delete some, "
                                     "or start the server with a larger --upload-quota",
                                     human_bytes(most), human_bytes(taken)));
}

void check_name(const std::string& name) {
  if (is_upload_name(name)) return;
  constexpr std::size_t kMostShown = 80;
  throw Refusal(kWrongRequest,
                fmt::format("'{}' is no name of an upload; take letters, digits, '.', '-' and '_', "
                            "and end in .onnx, .npz, .npy, .yaml, .yml or .json",
                            shown(name, kMostShown)));
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

/// What all files take but the one that is replaced and the one that takes its place.
std::uint64_t Uploads::bytes_beside(const std::string& name, const PartFile* file) const {
  std::uint64_t bytes = 0;
  for (const std::string& each : store_.list(folder_)) {
    const bool is_own = each == name || (file != nullptr && folder_ / each == file->name());
    const auto one = is_own ? std::nullopt : described(folder_ / each);
    bytes += one ? one->bytes : 0;
  }
  return bytes;
}

BodyPlan Uploads::begin(const std::string& name, std::optional<std::uint64_t> announced) {
  check_name(name);
  const std::lock_guard lock(mutex_);
  std::error_code ignored;
  if (fs::is_symlink(fs::symlink_status(folder_, ignored)))
    throw Refusal(kConflict, "uploads of the workspace is a link; make it a folder");
  store_.make_folder(folder_);
  const std::uint64_t taken = bytes_beside(name, nullptr);
  const std::uint64_t room = most_in_all_ - std::min(taken, most_in_all_);
  if (announced.value_or(1) > room) refuse_room(most_in_all_, taken);
  return {.most_bytes = std::min(most_, room),
          .file = std::make_shared<PartFile>(folder_ / name),
          .refusal = {}};
}

Upload Uploads::keep(const std::string& name, PartFile& file) {
  check_name(name);
  if (const std::string problem = problem_of_upload(name, file.name()); !problem.empty())
    throw Refusal(kWrongRequest, fmt::format("{} {}; nothing was kept", name, problem));
  file.sync();
  const std::lock_guard lock(mutex_);
  const std::uint64_t taken = bytes_beside(name, &file);  // others have come meanwhile
  if (file.size() > most_in_all_ || taken > most_in_all_ - file.size())
    refuse_room(most_in_all_, taken);
  file.place();
  const auto upload = described(folder_ / name);
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
