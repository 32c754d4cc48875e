// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/step_room.h"

#include <fstream>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace quantlens {
namespace {

using detail::available_bytes;
using detail::resident_bytes;
using detail::steps_with_room;

constexpr std::uint64_t kMega = std::uint64_t{1} << 20U;

/// Files as the system shows them, in a folder of its own.
class StepRoomFiles : public ::testing::Test {
 protected:
  StepRoomFiles()
      : root_(fs::path(::testing::TempDir()) / ("step_room_" + std::to_string(::getpid()))) {}
  ~StepRoomFiles() override { fs::remove_all(root_); }

  void write(const fs::path& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  fs::path root_;
};

TEST(StepRoom, IsForAllWhereTheyFitIntoHalfOfWhatIsLeft) {
  EXPECT_EQ(steps_with_room(8, 100 * kMega, 1400 * kMega), 8u);
  EXPECT_EQ(steps_with_room(8, 100 * kMega, 1399 * kMega), 7u);
  EXPECT_EQ(steps_with_room(8, 100 * kMega, 199 * kMega), 1u) << "the first has its room already";
  EXPECT_EQ(steps_with_room(8, 100 * kMega, 0), 1u);
  EXPECT_EQ(steps_with_room(8, 0, 0), 8u) << "it took nothing";
  EXPECT_EQ(steps_with_room(1, kMega, std::numeric_limits<std::uint64_t>::max()), 1u);
}

TEST(StepRoom, WantsOneStepAtLeast) {
  EXPECT_EQ(StepRoom(0).in_flight(), 1u);
}

TEST(StepRoom, SeesAProcessGrow) {
  const std::uint64_t before = resident_bytes();
  const std::vector<char> grown(64 * kMega, 'x');
  EXPECT_GE(resident_bytes(), before + 60 * kMega) << grown[kMega];
}

TEST_F(StepRoomFiles, WhatIsLeftIsTheLeastOfMachineAndGroups) {
  EXPECT_EQ(available_bytes(root_), std::numeric_limits<std::uint64_t>::max()) << "nothing told";
  write("proc/meminfo", "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable: 5000 kB\n");
  EXPECT_EQ(available_bytes(root_), 5000u * 1024);
  write("proc/self/cgroup", "0::/jobs/one\n");
  write("sys/fs/cgroup/jobs/memory.max", "max\n");
  write("sys/fs/cgroup/jobs/memory.current", "4096\n");
  EXPECT_EQ(available_bytes(root_), 5000u * 1024) << "a group without a limit";
  write("sys/fs/cgroup/jobs/one/memory.max", "3000000\n");
  write("sys/fs/cgroup/jobs/one/memory.current", "2500000\n");
  write("sys/fs/cgroup/jobs/one/memory.stat", "anon 5\ninactive_file 400000\n");
  EXPECT_EQ(available_bytes(root_), 900'000u) << "pages of files make room";
  write("sys/fs/cgroup/jobs/one/memory.current", "9000000\n");
  EXPECT_EQ(available_bytes(root_), 0u) << "above its limit";
}

TEST_F(StepRoomFiles, OlderGroupsCountLikewise) {
  write("proc/self/cgroup", "4:cpu,cpuacct:/a\n3:memory:/a\nnonsense\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "1000\n");
  write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "70000\n");
  write("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "20000\n");
  write("sys/fs/cgroup/memory/a/memory.stat", "inactive_file 1\ntotal_inactive_file 5000\n");
  EXPECT_EQ(available_bytes(root_), 55'000u);
}

}  // namespace
}  // namespace quantlens
