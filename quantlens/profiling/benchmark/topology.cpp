// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/benchmark/topology.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <sched.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

constexpr unsigned kMostCpus = 1U << 16U;

using CpuSet = std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)>;

CpuSet cpu_set(unsigned cpus) {
  return {CPU_ALLOC(cpus), [](cpu_set_t* set) { CPU_FREE(set); }};
}

std::optional<unsigned> number_of(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number >= kMostCpus) return {};
  return number;
}

/// The first line; empty where there is none.
std::string line_of(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The node of each processor that a node lists.
std::map<unsigned, unsigned> nodes_below(const fs::path& folder) {
  std::map<unsigned, unsigned> nodes;
  std::error_code absent;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, absent)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("node")) continue;
    const std::optional<unsigned> node = number_of(std::string_view(name).substr(4));
    if (!node) continue;
    for (const unsigned cpu : cpus_of_list(line_of(entry.path() / "cpulist"))) nodes[cpu] = *node;
  }
  return nodes;
}

}  // namespace

std::vector<unsigned> allowed_cpus() {
  std::vector<unsigned> allowed;
  for (unsigned cpus = 1024; cpus <= kMostCpus; cpus *= 2) {  // the kernel refuses too small a set
    const CpuSet set = cpu_set(cpus);
    const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
    if (!set || ::sched_getaffinity(0, bytes, set.get()) != 0) continue;
    for (unsigned cpu = 0; cpu < cpus; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set.get())) allowed.push_back(cpu);
    }
    return allowed;
  }
  return {0};
}

void bind_to(std::span<const unsigned> cpus) {
  const unsigned most = cpus.empty() ? 0 : *std::ranges::max_element(cpus);
  const CpuSet set = cpu_set(most + 1);
  const std::size_t bytes = CPU_ALLOC_SIZE(most + 1);
  if (set) {
    CPU_ZERO_S(bytes, set.get());
    for (const unsigned cpu : cpus) CPU_SET_S(cpu, bytes, set.get());
    if (::sched_setaffinity(0, bytes, set.get()) == 0) return;
  }
  throw Error(Errc::failed,
              fmt::format("a process cannot be bound to its cores: {}; run without --instances",
                          std::generic_category().message(errno)));
}

std::vector<Cpu> read_topology(std::span<const unsigned> cpus, const fs::path& root) {
  const fs::path devices = root / "sys/devices/system";
  const std::map<unsigned, unsigned> nodes = nodes_below(devices / "node");
  std::vector<Cpu> topology;
  for (const unsigned number : cpus) {
    const auto node = nodes.find(number);
    const std::vector<unsigned> siblings = cpus_of_list(
        line_of(devices / fmt::format("cpu/cpu{}/topology/thread_siblings_list", number)));
    topology.push_back({.number = number,
                        .node = node == nodes.end() ? 0 : node->second,
                        .core = siblings.empty() ? number : siblings.front()});
  }
  return topology;
}

std::vector<unsigned> cpus_of_list(std::string_view list) {
  while (!list.empty() && (list.back() == '\n' || list.back() == ' ')) list.remove_suffix(1);
  std::vector<unsigned> cpus;
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(part.size() + 1, list.size()));
    const std::size_t dash = part.find('-');
    const std::optional<unsigned> first = number_of(part.substr(0, dash));
    const std::optional<unsigned> last =
        dash == std::string_view::npos ? first : number_of(part.substr(dash + 1));
    if (!first || !last) return {};
    for (unsigned cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  std::ranges::sort(cpus);
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

}  // namespace quantlens
