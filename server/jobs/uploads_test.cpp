// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/uploads.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/workspace/testing/temporary_folder.h"
#include "server/jobs/refusal.h"
#include "server/jobs/upload_check.h"

namespace quantlens::server {
namespace {

using namespace std::string_literals;

/// ModelProto: ir_version 8, a graph of two bytes.
const std::string kModel = "\x08\x08\x3a\x02\x0a\x00"s;
/// A zip of one empty entry: local header, directory, end.
std::string small_npz() {
  const std::string local = "PK\x03\x04"s + std::string(26, '\0') + "x";
  const std::string directory = "PK\x01\x02"s + std::string(42, '\0') + "x";
  std::string end = "PK\x05\x06"s + std::string(18, '\0');
  end[12] = static_cast<char>(directory.size());
  end[16] = static_cast<char>(local.size());
  return local + directory + end;
}

class UploadsTest : public testing::Test {
 protected:
  Upload put(const std::string& name, const std::string& bytes) {
    const BodyPlan plan = uploads_.begin(name, bytes.size());
    plan.file->write(bytes);
    return uploads_.keep(name, *plan.file);
  }
  unsigned status(const std::string& name, const std::string& bytes) {
    try {
      put(name, bytes);
    } catch (const Refusal& refused) {
      return refused.status();
    }
    return 0;
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::recursive_directory_iterator(folder_.path()),
                                                  fs::recursive_directory_iterator()));
  }
  TemporaryFolder folder_;
  DiskStore store_;
  Uploads uploads_{store_, folder_.path(), 800, 1000};
};

TEST_F(UploadsTest, AreKeptListedAndRemoved) {
  const Upload kept = put("net.onnx", kModel);
  EXPECT_EQ(kept.bytes, kModel.size());
  EXPECT_EQ(store_.read(kept.path).text(), kModel);
  put("data.npz", small_npz());
  put("data.yaml", "npz: {file: data.npz}");
  put("x.npy", "\x93NUMPY...");
  EXPECT_EQ(uploads_.list().size(), 4U);
  put("net.onnx", kModel + kModel);
  EXPECT_EQ(uploads_.list().size(), 4U);
  uploads_.remove("net.onnx");
  EXPECT_EQ(uploads_.list().size(), 3U);
  EXPECT_THROW(uploads_.remove("net.onnx"), Refusal);
}

TEST_F(UploadsTest, LeaveNothingWhereTheyAreRefused) {
  for (const std::string& name : {"../net.onnx"s, "a/net.onnx"s, ".net.onnx"s, "-o.onnx"s,
                                  "net.sh"s, "net"s, ""s, "net.onnx "s, "<b>.onnx"s, "net.onnx\0"s,
                                  "n\xc3\xa9t.onnx"s, std::string(250, 'a') + ".onnx"}) {
    EXPECT_EQ(status(name, kModel), kWrongRequest) << name;
  }
  EXPECT_EQ(status("net.onnx", ""), kWrongRequest);
  EXPECT_EQ(status("net.onnx", "#!/bin/sh\n"), kWrongRequest);
  EXPECT_EQ(status("net.onnx", kModel.substr(0, 4)), kWrongRequest);
  EXPECT_EQ(status("net.onnx", "\x08\x08"), kWrongRequest);  // it has no graph
  EXPECT_EQ(status("net.onnx", std::string(100, '\xff')), kWrongRequest);
  EXPECT_EQ(status("net.npz", kModel), kWrongRequest);
  const std::string npz = small_npz();
  for (std::size_t size = 0; size < npz.size(); ++size)
    EXPECT_EQ(status("d.npz", npz.substr(0, size)), kWrongRequest) << size;
  EXPECT_EQ(status("d.npy", npz), kWrongRequest);
  EXPECT_EQ(status("d.yaml", "a: ["), kWrongRequest);
  EXPECT_EQ(status("d.json", "text"), kWrongRequest);
  EXPECT_EQ(status("d.yaml", "a: " + std::string(2 << 20, 'x')), kNoRoom);
  EXPECT_TRUE(uploads_.list().empty());
  EXPECT_EQ(files(), 1U) << "the empty folder";
}

TEST_F(UploadsTest, AreWrittenAsTheyArrive) {
  {
    const BodyPlan plan = uploads_.begin("net.onnx", {});
    EXPECT_EQ(plan.most_bytes, 800U);
    plan.file->write(kModel);
    EXPECT_EQ(store_.read(plan.file->name()).text(), kModel);
    EXPECT_TRUE(uploads_.list().empty()) << "not before all of it is there";
    const std::string other(800, 'x');
    plan.file->write(other);
    EXPECT_EQ(uploads_.begin("b.onnx", {}).most_bytes, 1000 - kModel.size() - other.size())
        << "what is on its way counts";
  }
  EXPECT_EQ(files(), 1U) << "a client that is gone leaves nothing";
}

TEST_F(UploadsTest, StayWithinTheirQuota) {
  const std::string model = kModel + "\x12\xe7\x03"s + std::string(487, 'x');  // 496 bytes
  EXPECT_EQ(status("a.onnx", model), 0U);
  EXPECT_EQ(status("b.onnx", model), 0U);
  EXPECT_EQ(status("c.onnx", model), kNoRoom);
  EXPECT_EQ(status("b.onnx", model), 0U);  // it takes its own place
  uploads_.remove("a.onnx");
  EXPECT_EQ(status("c.onnx", model), 0U);
}

TEST_F(UploadsTest, FollowNoLink) {
  TemporaryFolder other;
  std::ofstream(other.path() / "net.onnx") << "theirs";
  fs::create_directory(folder_.path() / "uploads");
  fs::create_symlink(other.path() / "net.onnx", folder_.path() / "uploads/net.onnx");
  EXPECT_TRUE(uploads_.list().empty());
  EXPECT_THROW(uploads_.remove("net.onnx"), Refusal);
  put("net.onnx", kModel);
  EXPECT_EQ(store_.read(other.path() / "net.onnx").text(), "theirs");
  std::ofstream(folder_.path() / "uploads/d.npz.part99") << "x";
  uploads_.remove_unfinished();
  EXPECT_FALSE(fs::exists(folder_.path() / "uploads/d.npz.part99"));
}

}  // namespace
}  // namespace quantlens::server
