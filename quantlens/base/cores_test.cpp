// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/cores.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace quantlens {
namespace {

namespace fs = std::filesystem;

TEST(Cores, CallsTheBodyOnceForEachIndex) {
  for (const unsigned count : {0U, 1U, 2U, 7U}) {
    Cores cores(count);
    for (const std::size_t n : {0U, 1U, 2U, 1000U}) {
      std::vector<std::atomic<int>> calls(n);
      cores.parallel_for(n, [&](std::size_t i) { ++calls[i]; });
      for (const auto& call : calls) EXPECT_EQ(call, 1);
    }
  }
}

TEST(Cores, KeepsToItsBudget) {
  Cores cores(3);
  std::atomic<int> busy = 0;
  std::atomic<int> most = 0;
  cores.parallel_for(200, [&](std::size_t) {
    const int now = ++busy;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::yield();
    --busy;
  });
  EXPECT_LE(most, 3);
}

TEST(Cores, WorksOnSeveralThreadsAtOnce) {
  Cores cores(2);
  std::latch both(2);
  cores.parallel_for(2, [&](std::size_t) { both.arrive_and_wait(); });  // one thread would hang
}

TEST(Cores, AllowsLoopsWithinLoops) {
  Cores cores(2);
  std::atomic<int> calls = 0;
  cores.parallel_for(8, [&](std::size_t) {
    cores.parallel_for(8,
                       [&](std::size_t) { cores.parallel_for(2, [&](std::size_t) { ++calls; }); });
  });
  EXPECT_EQ(calls, 128);
}

TEST(Cores, ThrowsTheFailureOfTheLeastIndexForAnyNumberOfThreads) {
  for (const unsigned count : {1U, 2U, 4U}) {
    Cores cores(count);
    for (int repeat = 0; repeat < 50; ++repeat) {
      try {
        cores.parallel_for(100, [](std::size_t i) {
          if (i % 10 == 3) throw std::runtime_error(std::to_string(i));
        });
        ADD_FAILURE();
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "3");
      }
    }
  }
}

TEST(Cores, CanBeUsedAgainAfterAFailure) {
  Cores cores(2);
  EXPECT_THROW(cores.parallel_for(5, [](std::size_t) { throw 1; }), int);
  std::atomic<int> calls = 0;
  cores.parallel_for(5, [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 5);
}

TEST(Cores, FinishesPostedTasksBeforeItEnds) {
  std::atomic<int> done = 0;
  {
    Cores cores(2);
    for (int i = 0; i < 100; ++i) cores.post([&] { ++done; });
  }
  EXPECT_EQ(done, 100);
}

TEST(AvailableCores, AreBetweenOneAndTheMachines) {
  EXPECT_GE(available_cores(), 1U);
  EXPECT_LE(available_cores(), std::max(1U, std::thread::hardware_concurrency()));
}

class QuotaTest : public testing::Test {
 protected:
  QuotaTest() {
    std::string name = testing::TempDir() + "quantlens_quota_XXXXXX";
    root_ = ::mkdtemp(name.data());
  }
  ~QuotaTest() override { fs::remove_all(root_); }

  void put(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  fs::path root_;
};

TEST_F(QuotaTest, IsAbsentWithoutControlGroups) {
  EXPECT_EQ(detail::quota_cores(root_), 0U);
}

TEST_F(QuotaTest, IsTheLeastOfAGroupAndItsParentsRoundedUp) {
  put("proc/self/cgroup", "0::/a/b\n");
  put("sys/fs/cgroup/a/cpu.max", "350000 100000\n");
  put("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(detail::quota_cores(root_), 4U);
  put("sys/fs/cgroup/a/b/cpu.max", "50000 100000\n");
  EXPECT_EQ(detail::quota_cores(root_), 1U);
}

TEST_F(QuotaTest, IsReadFromTheFirstVersionsFilesToo) {
  put("proc/self/cgroup", "3:memory:/x\n4:cpu,cpuacct:/docker/1\n");
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n");
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  put("sys/fs/cgroup/memory/cpu.cfs_quota_us", "100000\n");
  EXPECT_EQ(detail::quota_cores(root_), 2U);
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(detail::quota_cores(root_), 0U);
}

TEST_F(QuotaTest, IgnoresWhatIsMalformed) {
  put("proc/self/cgroup", "nonsense\n0:\n:::::\n0::/../..\n");
  put("sys/fs/cgroup/cpu.max", "-5 0\n");
  EXPECT_EQ(detail::quota_cores(root_), 0U);
  put("sys/fs/cgroup/cpu.max", "9223372036854775807 1\n");
  EXPECT_EQ(detail::quota_cores(root_), 65536U);
}

TEST(Cores, MakeInOrderGivesEachResultInItsPlaceAndHoldsFew) {
  Cores cores(3);
  std::vector<std::size_t> taken;
  make_in_order(
      cores, 10, 4, [](std::size_t i) { return i * i; },
      [&](std::size_t i, std::size_t square) {
        EXPECT_EQ(square, i * i);
        taken.push_back(i);
      });
  EXPECT_EQ(taken, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  make_in_order(
      cores, 0, 4, [](std::size_t i) { return i; },
      [](std::size_t, std::size_t) { FAIL() << "there is none"; });
}

}  // namespace
}  // namespace quantlens
