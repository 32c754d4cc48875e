// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/locate.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "quantlens/runtime/onnxruntime/library.h"

namespace quantlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A folder of its own, and the environment as it was before.
class Locate : public ::testing::Test {
 protected:
  Locate() {
    for (const char* name : {kVariable, kTensorflow, "PATH"}) {
      if (const char* value = std::getenv(name)) before_[name] = value;
    }
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override {
    for (const char* name : {kVariable, kTensorflow, "PATH"}) choose(before_[name], name);
    fs::remove_all(folder_);
  }

  static void choose(const std::string& value, const char* name = kVariable) {
    value.empty() ? unsetenv(name) : setenv(name, value.c_str(), 1);
  }
  fs::path make(const std::string& name, const std::string& text = {}) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  static constexpr const char* kVariable = "QUANTLENS_ONNXRUNTIME";
  static constexpr const char* kTensorflow = "QUANTLENS_TENSORFLOW";
  const fs::path folder_ =
      fs::temp_directory_path() / ("quantlens_locate_" + std::to_string(getpid()));

 private:
  std::map<std::string, std::string> before_;
};

TEST_F(Locate, WhatTheUserChoseIsTheOnlyCandidate) {
  choose("/no/such/library.so");
  EXPECT_THAT(onnxruntime_candidates(), ElementsAre("/no/such/library.so"));
}

TEST_F(Locate, AFolderStandsForTheLibrariesInIt) {
  const fs::path old = make("libonnxruntime.so.1.21.0");
  const fs::path recent = make("libonnxruntime.so.1.31.1");
  make("libonnxruntime_providers_shared.so");
  choose(folder_.string());
  EXPECT_THAT(onnxruntime_candidates(), ElementsAre(recent, old));
}

TEST_F(Locate, WithoutAChoiceTheSystemIsAsked) {
  choose({});
  EXPECT_THAT(onnxruntime_candidates(), ::testing::Contains("libonnxruntime.so.1"));
}

TEST_F(Locate, TheTensorflowThatTheUserChoseIsTheOnlyCandidate) {
  choose("/no/such/library.so", kTensorflow);
  EXPECT_THAT(tensorflow_candidates(), ElementsAre("/no/such/library.so"));
}

TEST_F(Locate, AFolderStandsForTheTensorflowInIt) {
  const fs::path of_package = make("tensorflow/libtensorflow_cc.so.2");
  const fs::path of_c_library = make("lib/libtensorflow.so.2");
  choose(folder_.string(), kTensorflow);
  EXPECT_THAT(tensorflow_candidates(), ElementsAre(of_package, of_c_library));
  choose((folder_ / "lib").string(), kTensorflow);
  EXPECT_THAT(tensorflow_candidates(), ElementsAre(of_c_library));
}

TEST_F(Locate, ThePackageOfTheFirstPythonHasATensorflow) {
  make("bin/python3");
  make("other/bin/python3");
  const fs::path wanted = make("lib/python3.11/site-packages/tensorflow/libtensorflow_cc.so.2");
  const fs::path later =
      make("other/lib/python3.11/site-packages/tensorflow/libtensorflow_cc.so.2");
  choose({}, kTensorflow);
  choose((folder_ / "none").string() + ":" + (folder_ / "bin").string() + ":" +
             (folder_ / "other/bin").string(),
         "PATH");
  const std::vector<fs::path> candidates = tensorflow_candidates();
  EXPECT_THAT(candidates, ::testing::Contains(wanted));
  EXPECT_THAT(candidates, Not(::testing::Contains(later)));
  EXPECT_THAT(candidates, ::testing::Contains("libtensorflow_cc.so.2"));
}

TEST_F(Locate, AFailureListsWhatWasTriedAndWhatToDo) {
  const fs::path text = make("libonnxruntime.so.1", "not a library");
  const auto library = onnxruntime::load_library({"/no/such/file.so", text});
  EXPECT_EQ(library.api, nullptr);
  EXPECT_EQ(library.code, Errc::not_found);
  EXPECT_THAT(library.problem, HasSubstr("/no/such/file.so"));
  EXPECT_THAT(library.problem, HasSubstr(text.string()));
  EXPECT_THAT(library.problem, HasSubstr("tools/setup"));
  EXPECT_THAT(library.problem, HasSubstr("QUANTLENS_ONNXRUNTIME"));
}

TEST_F(Locate, AnotherLibraryIsNotTakenForTheRuntime) {
  const auto library = onnxruntime::load_library({"libm.so.6"});
  EXPECT_THAT(library.problem, HasSubstr("libm.so.6: is not ONNX Runtime"));
}

TEST_F(Locate, ALaterCandidateIsUsedWhereTheFirstIsBroken) {
  std::vector<fs::path> candidates = onnxruntime_candidates();
  if (onnxruntime::load_library(candidates).api == nullptr) GTEST_SKIP() << "no ONNX Runtime here";
  candidates.insert(candidates.begin(), "/no/such/file.so");
  const auto library = onnxruntime::load_library(candidates);
  EXPECT_THAT(library.problem, IsEmpty());
  EXPECT_THAT(library.version, Not(IsEmpty()));
  EXPECT_TRUE(fs::exists(library.path)) << library.path;
}

}  // namespace
}  // namespace quantlens
