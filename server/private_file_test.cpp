// SPDX-License-Identifier: Apache-2.0
#include "server/private_file.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "quantlens/base/error.h"
#include "quantlens/workspace/testing/temporary_folder.h"

namespace quantlens::server {
namespace {

unsigned mode_of(const fs::path& path) {
  struct stat info = {};
  EXPECT_EQ(::lstat(path.c_str(), &info), 0);
  return info.st_mode & 0777U;
}

TEST(PrivateFile, IsForItsOwnerAlone) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "token";
  write_private(path, "abc");
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(read_private(path), "abc");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(PrivateFile, IsNotReadWhereOthersMay) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "token";
  write_private(path, "abc");
  fs::permissions(path, fs::perms::group_read, fs::perm_options::add);
  EXPECT_EQ(read_private(path), std::nullopt);
  write_private(path, "def");
  EXPECT_EQ(mode_of(path), 0600U);
}

TEST(PrivateFile, ReplacesALinkAndDoesNotFollowIt) {
  const TemporaryFolder folder;
  const fs::path other = folder.path() / "other", path = folder.path() / "token";
  std::ofstream(other) << "mine";
  fs::create_symlink(other, path);
  EXPECT_EQ(read_private(path), std::nullopt);
  write_private(path, "abc");
  EXPECT_FALSE(fs::is_symlink(path));
  std::string kept;
  std::ifstream(other) >> kept;
  EXPECT_EQ(kept, "mine");
}

TEST(PrivateFile, SaysWhyItCannotBeWritten) {
  try {
    write_private("/nowhere/token", "abc");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::io);
    EXPECT_NE(std::string(error.what()).find("/nowhere/token: cannot write"), std::string::npos);
  }
}

}  // namespace
}  // namespace quantlens::server
