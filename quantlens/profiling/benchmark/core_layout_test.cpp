// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/benchmark/core_layout.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

using Layout = std::vector<std::vector<unsigned>>;

/// `cores` a node; hyperthread h of core c is processor h * cores of all nodes + c, as Linux
/// counts.
std::vector<Cpu> machine(unsigned nodes, unsigned cores, unsigned threads) {
  std::vector<Cpu> cpus;
  for (unsigned h = 0; h < threads; ++h) {
    for (unsigned c = 0; c < nodes * cores; ++c) {
      cpus.push_back({.number = h * nodes * cores + c, .node = c / cores, .core = c});
    }
  }
  return cpus;
}

std::vector<Cpu> without(std::vector<Cpu> cpus, const std::set<unsigned>& numbers) {
  std::erase_if(cpus, [&](const Cpu& cpu) { return numbers.contains(cpu.number); });
  return cpus;
}

TEST(CoreLayout, GivesEachInstanceCoresOfItsOwn) {
  EXPECT_EQ(core_layout(machine(1, 4, 1), 2, 2), (Layout{{0, 1}, {2, 3}}));
}

TEST(CoreLayout, SpreadsInstancesOverNodes) {
  EXPECT_EQ(core_layout(machine(2, 4, 1), 2, 2), (Layout{{0, 1}, {4, 5}}));
}

TEST(CoreLayout, TakesNoSecondHyperthreadWhileCoresAreLeft) {
  EXPECT_EQ(core_layout(machine(2, 2, 2), 2, 2), (Layout{{0, 1}, {2, 3}}));
}

TEST(CoreLayout, GivesBothHyperthreadsOfACoreToOneInstance) {
  EXPECT_EQ(core_layout(machine(1, 4, 2), 2, 4), (Layout{{0, 1, 4, 5}, {2, 3, 6, 7}}));
}

TEST(CoreLayout, UsesAllCoresBeforeHyperthreadsWhereOnlySomeAreNeeded) {
  EXPECT_EQ(core_layout(machine(1, 4, 2), 3, 2), (Layout{{0, 4}, {1, 5}, {2, 3}}));
}

TEST(CoreLayout, PrefersAHyperthreadOfTheSameNodeToACoreOfAnother) {
  EXPECT_EQ(core_layout(machine(2, 3, 2), 3, 2), (Layout{{0, 6}, {3, 4}, {1, 2}}));
}

TEST(CoreLayout, GoesOverNodesOnlyWhereAnInstanceFitsIntoNone) {
  EXPECT_EQ(core_layout(machine(2, 3, 1), 1, 4), (Layout{{0, 1, 2, 3}}));
  EXPECT_EQ(core_layout(machine(2, 3, 1), 3, 2), (Layout{{0, 1}, {3, 4}, {2, 5}}));
}

TEST(CoreLayout, UsesOnlyWhatTheMaskLeaves) {
  EXPECT_EQ(core_layout(without(machine(2, 2, 2), {0, 3, 5}), 2, 2), (Layout{{1, 4}, {2, 7}}));
}

TEST(CoreLayout, TakesAHyperthreadWhoseSiblingTheMaskHidesForACore) {
  EXPECT_EQ(core_layout(without(machine(1, 2, 2), {0}), 2, 1), (Layout{{1}, {2}}));
}

TEST(CoreLayout, NeverGivesAProcessorTwice) {
  for (const auto& [nodes, cores, threads] :
       {std::tuple{1U, 5U, 2U}, std::tuple{2U, 3U, 2U}, std::tuple{4U, 2U, 1U}}) {
    const std::vector<Cpu> cpus = machine(nodes, cores, threads);
    for (unsigned instances = 1; instances <= cpus.size(); ++instances) {
      for (unsigned each = 1; instances * each <= cpus.size(); ++each) {
        std::set<unsigned> seen;
        for (const auto& instance : core_layout(cpus, instances, each)) {
          EXPECT_EQ(instance.size(), each);
          seen.insert(instance.begin(), instance.end());
        }
        EXPECT_EQ(seen.size(), instances * each);
      }
    }
  }
}

TEST(CoreLayout, SaysHowManyCoresThereAre) {
  try {
    core_layout(machine(1, 2, 1), 3, 2);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::usage);
    EXPECT_NE(std::string(error.what()).find("need 6 cores, and there are 2"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace quantlens
