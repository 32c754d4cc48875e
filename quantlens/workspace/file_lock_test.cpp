// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/file_lock.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/workspace/testing/temporary_folder.h"

namespace quantlens {
namespace {

TEST(FileLock, IsHeldByOneAtATime) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "lock";
  EXPECT_EQ(FileLock::state(file), FileLock::State::free);
  {
    const auto lock = FileLock::take(file);
    ASSERT_TRUE(lock);
    EXPECT_EQ(FileLock::state(file), FileLock::State::held);
    EXPECT_FALSE(FileLock::take(file));
  }
  EXPECT_EQ(FileLock::state(file), FileLock::State::free);
  EXPECT_TRUE(FileLock::take(file));
}

TEST(FileLock, MovesWithItsOwner) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "lock";
  std::optional<FileLock> second;
  {
    auto first = FileLock::take(file);
    second = std::move(first);
  }
  EXPECT_EQ(FileLock::state(file), FileLock::State::held);
}

TEST(FileLock, CanBeTakenWhileOthersAskForItsState) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "lock";
  std::atomic<bool> stop = false;
  std::thread asks([&] {
    while (!stop) FileLock::state(file);
  });
  int failures = 0;
  for (int i = 0; i < 200; ++i) failures += FileLock::take(file) ? 0 : 1;
  stop = true;
  asks.join();
  EXPECT_EQ(failures, 0);
}

TEST(FileLock, FollowsNoSymbolicLink) {
  const TemporaryFolder folder;
  fs::create_symlink(folder.path() / "elsewhere", folder.path() / "lock");
  EXPECT_THROW(FileLock::take(folder.path() / "lock"), Error);
  EXPECT_FALSE(fs::exists(folder.path() / "elsewhere"));
}

TEST(FileLock, NeedsItsFolder) {
  const TemporaryFolder folder;
  EXPECT_THROW(FileLock::take(folder.path() / "absent/lock"), Error);
}

}  // namespace
}  // namespace quantlens
