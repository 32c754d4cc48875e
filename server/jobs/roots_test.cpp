// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/roots.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "quantlens/base/error.h"
#include "quantlens/workspace/testing/temporary_folder.h"
#include "server/jobs/listing.h"
#include "server/jobs/refusal.h"

namespace quantlens::server {
namespace {

using testing::ElementsAre;

class RootsTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"root/models", "root/.hidden", "workspace/uploads",
                             "workspace/workloads/w", "workspace/.x", "rooted"})
      fs::create_directories(base_ / name);
    for (const char* name : {"root/models/a.onnx", "root/.hidden/key", "workspace/token",
                             "workspace/uploads/u.onnx", "secret", "rooted/b"})
      std::ofstream(base_ / name) << "x";
    fs::create_symlink(base_ / "secret", base_ / "root/out");
    fs::create_symlink(base_, base_ / "root/up");
    fs::create_symlink("models", base_ / "root/in");
    roots_.emplace(base_ / "workspace", std::vector{base_ / "root"});
  }
  unsigned status(const std::string& path) const {
    try {
      roots_->input(path, "model");
    } catch (const Refusal& refused) {
      return refused.status();
    }
    return 0;
  }
  std::string at(const std::string& name) const { return (base_ / name).string(); }
  std::vector<std::string> names(const std::string& root, const std::string& path) const {
    std::vector<std::string> names;
    for (const Entry& entry : list_folder(*roots_, at(root), path, {}).entries)
      names.push_back(entry.name);
    return names;
  }
  unsigned listing_status(const std::string& root, const std::string& path) const {
    try {
      list_folder(*roots_, root, path, {});
    } catch (const Refusal& refused) {
      return refused.status();
    }
    return 0;
  }

  TemporaryFolder folder_;
  fs::path base_ = fs::canonical(folder_.path());
  std::optional<Roots> roots_;
};

TEST_F(RootsTest, AllowWhatIsBelowThem) {
  EXPECT_EQ(status(at("root/models/a.onnx")), 0U);
  EXPECT_EQ(status(at("root")), 0U);
  EXPECT_EQ(status(at("workspace/uploads/u.onnx")), 0U);
  EXPECT_EQ(roots_->input(at("root/in/a.onnx"), "model"), base_ / "root/models/a.onnx");
  EXPECT_EQ(roots_->input(at("root/up/root/models/a.onnx"), "model"), base_ / "root/models/a.onnx");
}

TEST_F(RootsTest, TellNothingOfOtherPlaces) {
  for (const char* name :
       {"secret", "absent", "rooted/b", "root/../secret", "root/out", "root/up", "root/up/secret",
        "root/up/absent", "root/models/../../secret", "workspace/token", "workspace",
        "workspace/absent", "workspace/.x", "root/.hidden/key", "root/.absent"}) {
    EXPECT_EQ(status(at(name)), kForbidden) << name;
  }
  EXPECT_EQ(status("/"), kForbidden);
  EXPECT_EQ(status("/etc/passwd"), kForbidden);
  EXPECT_EQ(status("/proc/self/root" + at("secret")), kForbidden);
  EXPECT_EQ(status(at("root/absent")), kNotThere);
}

TEST_F(RootsTest, RefuseWhatIsNoPath) {
  using namespace std::string_literals;
  for (const std::string& path :
       {""s, "root"s, "../x"s, "~/x"s, at("root/a\nb"), at("root/models") + "\0/../../secret"s,
        at("root/\xff"), "/" + std::string(5000, 'a')}) {
    EXPECT_EQ(status(path), kWrongRequest) << path;
  }
  ASSERT_EQ(::mkfifo((base_ / "root/pipe").c_str(), 0600), 0);
  EXPECT_EQ(status(at("root/pipe")), kWrongRequest);
  EXPECT_THROW(Roots(base_ / "workspace", {base_ / "absent"}), Error);
  EXPECT_THROW(Roots(base_ / "workspace", {base_ / "secret"}), Error);
}

TEST_F(RootsTest, AreListedWithoutWhatJobsMayNotUse) {
  const Listing roots = list_roots(*roots_);
  ASSERT_EQ(roots.entries.size(), 2U);
  EXPECT_EQ(roots.entries[0].path, at("workspace"));
  std::ofstream(base_ / "root" / "<img src=x>.onnx") << "x";
  std::ofstream(base_ / "root" / "a\x1b[2J") << "x";
  EXPECT_THAT(names("root", ""), ElementsAre("in", "models", "<img src=x>.onnx"));
  EXPECT_THAT(names("root", "models/"), ElementsAre("a.onnx"));
  EXPECT_THAT(names("workspace", ""), ElementsAre("uploads", "workloads"));
  EXPECT_EQ(list_folder(*roots_, at("root"), "models", {}).up, "");
  EXPECT_EQ(list_folder(*roots_, at("root"), "", {}).up, std::nullopt);
  const Listing page = list_folder(*roots_, at("root"), "", {.offset = 1, .limit = 1});
  EXPECT_EQ(page.total, 3U);
  ASSERT_EQ(page.entries.size(), 1U);
  EXPECT_EQ(page.entries[0].name, "models");
  EXPECT_EQ(page.entries[0].path, at("root/models"));
}

TEST_F(RootsTest, AreListedNowhereElse) {
  using namespace std::string_literals;
  for (const std::string& path :
       {".."s, "models/../.."s, "/etc"s, "up"s, "up/root/.."s, ".hidden"s, "models\0x"s}) {
    EXPECT_EQ(listing_status(at("root"), path), kForbidden) << path;
  }
  EXPECT_EQ(listing_status(at("root"), "absent"), kNotThere);
  for (const std::string& root : {at(""), at("secret"), "/"s, ""s, at("root/models")})
    EXPECT_EQ(listing_status(root, ""), kForbidden) << root;
}

}  // namespace
}  // namespace quantlens::server
