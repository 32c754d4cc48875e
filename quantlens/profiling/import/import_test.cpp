// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/import/import.h"

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/profiling/import/real_profile.h"

namespace quantlens {
namespace {

class ImportProfile : public testing::Test {
 protected:
  ImportProfile() {
    std::string name = testing::TempDir() + "quantlens_import_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~ImportProfile() override { fs::remove_all(folder_); }

  fs::path file(std::string_view bytes) const {
    const fs::path path = folder_ / "profile.json";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  /// The kind of Error that importing it throws.
  static Errc failure(const fs::path& path) {
    NoProgress progress;
    try {
      import_profile(path, progress);
    } catch (const Error& error) {
      return error.code();
    }
    ADD_FAILURE() << "it was imported";
    return Errc::failed;
  }

  fs::path folder_;
};

TEST_F(ImportProfile, ReadsAFileAndTakesItsPathForTheModel) {
  const fs::path path = file(imports::kRealProfile);
  EXPECT_TRUE(is_profile(path));
  NoProgress progress;
  const Profile profile = import_profile(path, progress);
  EXPECT_EQ(profile.nodes.size(), 3U);
  EXPECT_EQ(profile.model, path.string());
}

TEST_F(ImportProfile, RefusesWhatIsNoProfile) {
  for (const std::string_view bytes : {"", "[]", "[1,2]", "{\"a\":1}", "\x08\x07", "hello"}) {
    const fs::path path = file(bytes);
    EXPECT_FALSE(is_profile(path)) << bytes;
    EXPECT_EQ(failure(path), Errc::bad_input) << bytes;
  }
}

TEST_F(ImportProfile, RefusesAProfileWithoutNodes) {
  const fs::path path = file("{\"traceEvents\":[]}");
  EXPECT_TRUE(is_profile(path));
  EXPECT_EQ(failure(path), Errc::bad_input);
}

TEST_F(ImportProfile, RefusesFoldersPipesAndWhatIsNotThere) {
  EXPECT_FALSE(is_profile(folder_));
  EXPECT_EQ(failure(folder_), Errc::io);
  EXPECT_EQ(failure(folder_ / "none.json"), Errc::not_found);
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(is_profile(pipe));
  EXPECT_EQ(failure(pipe), Errc::io);
}

}  // namespace
}  // namespace quantlens
