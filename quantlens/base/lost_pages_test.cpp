// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/lost_pages.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "quantlens/base/store.h"

namespace quantlens {
namespace {

TEST(LostPages, ReadAsZerosAndAreCounted) {
  const fs::path path = fs::path(testing::TempDir()) / "quantlens_lost_pages";
  constexpr std::size_t kBytes = 1 << 16;
  std::ofstream(path) << std::string(kBytes, 'x');
  const MappedFile file = MappedFile::open(path);
  struct sigaction before {};
  ::sigaction(SIGBUS, nullptr, &before);
  survive_lost_pages();
  const std::uint64_t lost = lost_pages();
  EXPECT_EQ(file.text()[kBytes - 1], 'x');
  fs::resize_file(path, 100);
  EXPECT_EQ(file.text()[0], 'x');
  EXPECT_EQ(file.text()[kBytes - 1], '\0');
  EXPECT_EQ(lost_pages(), lost + 1);
  EXPECT_EQ(file.text()[kBytes - 2], '\0');
  EXPECT_EQ(lost_pages(), lost + 1) << "it is the same page";
  ::sigaction(SIGBUS, &before, nullptr);
  fs::remove(path);
}

}  // namespace
}  // namespace quantlens
