// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/cpu.h"

#include <fstream>
#include <string_view>

namespace quantlens {
namespace {

/// What follows the colon in the first line of /proc/cpuinfo that begins with `key`.
std::string cpu_info(std::string_view key) {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

}  // namespace

std::string cpu_name() {
  const std::string name = cpu_info("model name");
  return name.empty() ? "unknown" : name;
}

bool cpu_has_vnni() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512vnni") != 0) return true;
  // GCC 12 cannot ask the CPU for this one.
  return (' ' + cpu_info("flags") + ' ').find(" avx_vnni ") != std::string::npos;
#else
  return true;  // ARM's 8-bit products do not saturate
#endif
}

}  // namespace quantlens
