// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/model_paths.h"

#include <fstream>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/workspace/testing/temporary_folder.h"
#include "server/jobs/refusal.h"
#include "server/jobs/testing/small_onnx.h"

namespace quantlens::server {
namespace {

class ModelPaths : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"root/.keys", "root/models", "root/work/uploads"})
      fs::create_directories(base_ / name);
    for (const char* name : {"root/.keys/id", "root/models/w.bin", "root/work/token", "secret"})
      write(name, "x");
    fs::create_symlink(base_ / "secret", base_ / "root/models/link.bin");
    roots_.emplace(base_ / "root/work", std::vector{base_ / "root"});
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(base_ / name, std::ios::binary) << bytes;
  }
  unsigned status(const std::string& name) const {
    try {
      checked_model((base_ / name).string(), "model", *roots_);
    } catch (const Refusal& refused) {
      return refused.status();
    }
    return 0;
  }
  unsigned status_of_weights_in(const std::string& location) const {
    write("root/net.onnx", small_onnx(location));
    return status("root/net.onnx");
  }

  TemporaryFolder folder_;
  fs::path base_ = fs::canonical(folder_.path());
  std::optional<Roots> roots_;
};

TEST_F(ModelPaths, AreAllowedWithTheFilesThatTheModelNames) {
  write("root/net.onnx", small_onnx());
  EXPECT_EQ(status("root/net.onnx"), 0U);
  EXPECT_EQ(status_of_weights_in("models/w.bin"), 0U);
  EXPECT_EQ(status_of_weights_in("models/gone.bin"), 0U) << "the job says that it is not there";
}

TEST_F(ModelPaths, AreRefusedWithFilesThatJobsMayNotUse) {
  for (const char* location : {".keys/id", "models/../.keys/id", "work/token", "../secret",
                               "/etc/passwd", "models/link.bin", "models/../work/certificate.pem"})
    EXPECT_EQ(status_of_weights_in(location), kForbidden) << location;
}

TEST_F(ModelPaths, AreOfModelsAlone) {
  write("root/text.onnx", "x");
  EXPECT_EQ(status("root/text.onnx"), kWrongRequest);
  EXPECT_EQ(status("root/models"), kWrongRequest) << "a folder";
  EXPECT_EQ(status("root/none.onnx"), kNotThere);
  EXPECT_EQ(status("secret"), kForbidden);
}

}  // namespace
}  // namespace quantlens::server
