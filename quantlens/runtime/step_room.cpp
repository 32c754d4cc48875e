// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/step_room.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include <unistd.h>

namespace quantlens {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// The number after `key` in a file of lines "<key> <number> ...".
std::optional<std::uint64_t> number_in(const fs::path& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    std::uint64_t number = 0;
    if (word == key && file >> number) return number;
  }
  return std::nullopt;
}

/// The number that a file is; nothing where it is none ("max").
std::optional<std::uint64_t> number_of(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

/// What a control group may take yet. Pages of files that nobody has read lately count as its own,
/// and make room when it is needed.
std::uint64_t left_in_group(const fs::path& folder) {
  const auto left = [&](const char* limit_name, const char* usage_name, const char* pages) {
    const auto limit = number_of(folder / limit_name);
    const auto usage = number_of(folder / usage_name);
    if (!limit || !usage) return kUnlimited;
    const std::uint64_t idle = number_in(folder / "memory.stat", pages).value_or(0);
    const std::uint64_t held = *usage - std::min(idle, *usage);
    return *limit - std::min(held, *limit);
  };
  return std::min(left("memory.max", "memory.current", "inactive_file"),
                  left("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"));
}

/// The least of a group and the groups around it, up to the mount.
std::uint64_t left_in_groups(const fs::path& mount, const fs::path& group) {
  fs::path folder = mount;
  std::uint64_t least = left_in_group(folder);
  for (const fs::path& part : group.relative_path()) {
    if (part == "..") break;  // a group outside this container
    folder /= part;
    least = std::min(least, left_in_group(folder));
  }
  return least;
}

}  // namespace

namespace detail {

unsigned steps_with_room(unsigned wanted, std::uint64_t growth, std::uint64_t available) {
  if (growth == 0) return wanted;
  const std::uint64_t further = available / 2 / growth;
  return static_cast<unsigned>(std::min<std::uint64_t>(wanted, further + 1));
}

std::uint64_t resident_bytes(const fs::path& root) {
  std::ifstream file(root / "proc/self/statm");  // pages: of all, of those in memory, ...
  std::uint64_t all = 0, resident = 0;
  if (!(file >> all >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t available_bytes(const fs::path& root) {
  constexpr std::uint64_t kMostKilobytes = kUnlimited / 1024;
  const auto kilobytes = number_in(root / "proc/meminfo", "MemAvailable:");
  std::uint64_t least = kilobytes ? std::min(*kilobytes, kMostKilobytes) * 1024 : kUnlimited;
  std::ifstream groups(root / "proc/self/cgroup");  // lines "0::/path" or "4:memory:/path"
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && controllers != "memory") continue;
    const fs::path base = root / "sys/fs/cgroup";
    least = std::min(least, left_in_groups(controllers.empty() ? base : base / "memory",
                                           line.substr(second + 1)));
  }
  return least;
}

}  // namespace detail

StepRoom::Measure::Measure(StepRoom& room) : room_(room) {
  if (room.in_flight() > 1 && !room.is_measured_.exchange(true)) {
    before_ = detail::resident_bytes();
  }
}

StepRoom::Measure::~Measure() {
  if (!before_) return;
  const std::uint64_t after = detail::resident_bytes();
  const std::uint64_t growth = after - std::min(*before_, after);
  room_.in_flight_ = detail::steps_with_room(room_.in_flight_, growth, detail::available_bytes());
}

}  // namespace quantlens
