// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/benchmark/core_layout.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

/// One node's processors, the first of each core before the second ones.
struct NodeCpus {
  std::vector<Cpu> cpus;
  std::size_t cores = 0;  ///< physical ones
};

std::vector<NodeCpus> nodes_of(std::vector<Cpu> cpus) {
  std::ranges::sort(cpus, {}, &Cpu::number);
  std::map<unsigned, std::vector<std::vector<Cpu>>> ranked;  // of a node: by place in its core
  std::map<unsigned, std::size_t> place;                     // of a core's next one
  for (const Cpu& cpu : cpus) {
    const std::size_t rank = place[cpu.core]++;
    std::vector<std::vector<Cpu>>& ranks = ranked[cpu.node];
    if (ranks.size() <= rank) ranks.resize(rank + 1);
    ranks[rank].push_back(cpu);
  }
  std::vector<NodeCpus> nodes;
  for (const auto& [number, ranks] : ranked) {
    NodeCpus node{.cpus = {}, .cores = ranks.front().size()};
    for (const std::vector<Cpu>& rank : ranks) {
      node.cpus.insert(node.cpus.end(), rank.begin(), rank.end());
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

/// Those of an instance: a number of processors of each node.
using Shares = std::vector<std::size_t>;

/// Every instance in one node, with so many processors of each node at most; nothing where they do
/// not fit.
std::optional<std::vector<Shares>> in_one_node(const std::vector<std::size_t>& room,
                                               unsigned instances, unsigned each) {
  std::vector<std::size_t> left = room;
  std::vector<Shares> shares;
  for (unsigned i = 0; i < instances; ++i) {
    const auto most = std::ranges::max_element(left);
    if (*most < each) return {};
    *most -= each;
    shares.emplace_back(room.size());
    shares.back()[static_cast<std::size_t>(most - left.begin())] = each;
  }
  return shares;
}

/// In one node as long as one has room, then over several, that with the most room first.
std::vector<Shares> over_nodes(std::vector<std::size_t> left, unsigned instances, unsigned each) {
  std::vector<Shares> shares;
  for (unsigned i = 0; i < instances; ++i) {
    shares.emplace_back(left.size());
    for (std::size_t wanted = each; wanted > 0;) {
      const auto most = std::ranges::max_element(left);
      const std::size_t given = std::min(wanted, *most);
      shares.back()[static_cast<std::size_t>(most - left.begin())] += given;
      *most -= given;
      wanted -= given;
    }
  }
  return shares;
}

std::vector<Shares> shares_of(const std::vector<NodeCpus>& nodes, unsigned instances,
                              unsigned each) {
  std::vector<std::size_t> cores;
  std::vector<std::size_t> cpus;
  for (const NodeCpus& node : nodes) {
    cores.push_back(node.cores);
    cpus.push_back(node.cpus.size());
  }
  if (auto shares = in_one_node(cores, instances, each)) return *shares;
  if (auto shares = in_one_node(cpus, instances, each)) return *shares;
  return over_nodes(cpus, instances, each);
}

/// What is used of a node, hyperthreads of a core beside each other.
std::vector<Cpu> used_cpus(const NodeCpus& node, std::size_t count) {
  std::vector<Cpu> used(node.cpus.begin(), node.cpus.begin() + static_cast<std::ptrdiff_t>(count));
  std::map<unsigned, std::size_t> first;  // place of a core's first one
  for (std::size_t i = 0; i < used.size(); ++i) first.emplace(used[i].core, i);
  std::ranges::stable_sort(used, {}, [&](const Cpu& cpu) { return first[cpu.core]; });
  return used;
}

}  // namespace

void check_room(unsigned instances, unsigned each, std::uint64_t there_are) {
  const std::uint64_t wanted = std::uint64_t{instances} * each;
  if (wanted <= there_are) return;
  throw Error(
      Errc::usage,
      fmt::format("--instances {} with --cores-per-instance {} need {} cores, and there are "
                  "{}; give fewer of either",
                  instances, each, wanted, there_are));
}

std::vector<std::vector<unsigned>> core_layout(const std::vector<Cpu>& cpus, unsigned instances,
                                               unsigned each) {
  check_room(instances, each, cpus.size());
  const std::vector<NodeCpus> nodes = nodes_of(cpus);
  const std::vector<Shares> shares = shares_of(nodes, instances, each);
  std::vector<std::vector<unsigned>> layout(instances);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    std::size_t count = 0;
    for (const Shares& share : shares) count += share[n];
    const std::vector<Cpu> used = used_cpus(nodes[n], count);
    auto next = used.begin();
    for (unsigned i = 0; i < instances; ++i) {
      for (std::size_t k = 0; k < shares[i][n]; ++k) layout[i].push_back((next++)->number);
    }
  }
  for (std::vector<unsigned>& cores : layout) std::ranges::sort(cores);
  return layout;
}

}  // namespace quantlens
