// SPDX-License-Identifier: Apache-2.0
#include "server/api/answer.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/workspace/read_record.h"

namespace quantlens::server {

std::string state_of(const fs::path& file) {
  struct stat found {};
  if (::lstat(file.c_str(), &found) != 0 && ::lstat(packed(file).c_str(), &found) != 0) return "-;";
  if (!S_ISREG(found.st_mode)) {
    throw Error(Errc::bad_input, fmt::format("{}: is no regular file, and quantlens makes no other",
                                             printable(file.string())));
  }
  return fmt::format("{}.{}.{}.{};", found.st_ino, found.st_size, found.st_mtim.tv_sec,
                     found.st_mtim.tv_nsec);
}

std::string state_of(const std::vector<fs::path>& files) {
  std::string state;
  for (const fs::path& file : files) state += state_of(file);
  return state;
}

Answer at_once(Response response) {
  Answer answer;
  answer.ready = std::move(response);
  return answer;
}

Answer json_at_once(const json::Value& value) {
  return at_once(json_response(compact(value)));
}

}  // namespace quantlens::server
