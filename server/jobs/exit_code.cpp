// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/exit_code.h"

#include <charconv>
#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

#include "server/jobs/job.h"
#include "server/jobs/process.h"
#include "server/read_bounded.h"

namespace quantlens::server {

void leave_exit_code(int code) noexcept {
  try {
    const char* mark = std::getenv(kJobMark);
    // What a job starts inherits its mark, and leads no session.
    if (mark == nullptr || ::getsid(0) != ::getpid()) return;
    const fs::path folder(mark);
    if (!fs::exists(folder / kJobRecord)) return;
    DiskStore store;
    write_atomic(store, folder / kExitCode, fmt::format("{}\n", code));
  } catch (...) {
    return;  // the workload tells how it ended
  }
}

std::optional<int> left_exit_code(const fs::path& folder) {
  constexpr std::uint64_t kMost = 8;
  constexpr int kGreatest = 255;
  const auto text = read_bounded(folder / kExitCode, kMost);
  if (!text || !text->ends_with('\n')) return std::nullopt;
  const char* const last = text->data() + text->size() - 1;
  int code = 0;
  const auto [end, error] = std::from_chars(text->data(), last, code);
  if (error != std::errc() || end != last || code < 0 || code > kGreatest) return std::nullopt;
  return code;
}

}  // namespace quantlens::server
