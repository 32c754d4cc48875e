// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/benchmark/topology.h"

#include <fstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace quantlens {
namespace {

using Cpus = std::vector<unsigned>;

/// A folder with files as the system has them, gone with this.
class FakeSystem {
 public:
  FakeSystem()
      : root_(fs::temp_directory_path() / ("quantlens-topology-" + std::to_string(::getpid()))) {}
  FakeSystem(const FakeSystem&) = delete;
  FakeSystem& operator=(const FakeSystem&) = delete;
  ~FakeSystem() { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) const {
    const fs::path file = root_ / "sys/devices/system" / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
  }
  const fs::path& root() const { return root_; }

 private:
  fs::path root_;
};

TEST(Topology, ReadsListsOfProcessors) {
  EXPECT_EQ(cpus_of_list("0-3,8,10-11\n"), (Cpus{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(cpus_of_list("5"), (Cpus{5}));
  EXPECT_EQ(cpus_of_list(""), Cpus{});
}

TEST(Topology, ReadsNothingFromWhatIsNoList) {
  for (const char* list : {"a", "1-", "-1", "1,,2", "0-99999999999", "0-70000"}) {
    EXPECT_EQ(cpus_of_list(list), Cpus{}) << list;
  }
}

TEST(Topology, KnowsNodesAndHyperthreads) {
  const FakeSystem system;
  system.write("node/node0/cpulist", "0,2");
  system.write("node/node1/cpulist", "1,3");
  system.write("node/online", "0-1");
  for (const auto& [cpu, siblings] :
       {std::pair{"0", "0,2"}, {"1", "1,3"}, {"2", "0,2"}, {"3", "1,3"}}) {
    system.write(std::string("cpu/cpu") + cpu + "/topology/thread_siblings_list", siblings);
  }
  const std::vector<Cpu> cpus = read_topology(Cpus{1, 2}, system.root());
  ASSERT_EQ(cpus.size(), 2U);
  EXPECT_EQ((Cpus{cpus[0].number, cpus[0].node, cpus[0].core}), (Cpus{1, 1, 1}));
  EXPECT_EQ((Cpus{cpus[1].number, cpus[1].node, cpus[1].core}), (Cpus{2, 0, 0}));
}

TEST(Topology, TakesEachProcessorForACoreWhereTheSystemTellsNothing) {
  const FakeSystem nothing;
  const std::vector<Cpu> cpus = read_topology(Cpus{4, 7}, nothing.root());
  ASSERT_EQ(cpus.size(), 2U);
  EXPECT_EQ(cpus[1].core, 7U);
  EXPECT_EQ(cpus[0].node, cpus[1].node);
}

TEST(Topology, BindsAThreadToWhatItMayUse) {
  std::thread([] {
    const unsigned last = allowed_cpus().back();
    bind_to(Cpus{last});
    EXPECT_EQ(allowed_cpus(), Cpus{last});
  }).join();
}

}  // namespace
}  // namespace quantlens
