// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/frontend.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "quantlens/base/memory_store.h"
#include "quantlens/frontend/onnx/small_models.h"
#include "quantlens/graph/order.h"

namespace quantlens::frontend {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// What `read` says of a file with this name and these bytes.
std::string refusal(const std::string& name, const std::string& bytes) {
  const fs::path path =
      fs::temp_directory_path() / ("quantlens_" + std::to_string(::getpid()) + name);
  std::ofstream(path, std::ios::binary) << bytes;
  std::string sentence = onnx::sentence_of(Errc::bad_input, [&] { read(path); });
  fs::remove(path);
  EXPECT_THAT(sentence, HasSubstr(path.string()));
  return sentence;
}

TEST(Read, SaysWhatAFileIsThatIsNoModel) {
  EXPECT_THAT(refusal("a.onnx", ""), HasSubstr("it is empty"));
  EXPECT_THAT(refusal("b.onnx", "\xFF\xD8\xFF\xE0 JFIF"), HasSubstr("JPEG"));
  EXPECT_THAT(refusal("c.pt", "PK\x03\x04 data.pkl"), HasSubstr("PyTorch"));
  EXPECT_THAT(refusal("c.npz", std::string("PK\x03\x04", 4) + std::string(22, '\0') +
                                   std::string("\x09\0\0\0", 4) + "image.npy..."),
              AllOf(HasSubstr(".npz archive"), HasSubstr("--data")));
  EXPECT_THAT(refusal("c.npy", "\x93NUMPY\x01"), HasSubstr("--data"));
  EXPECT_THAT(refusal("c.pb", std::string("\x0a\x1a\x0a\x05") + "input\x12\x0bPlaceholder"),
              HasSubstr("not a sound TensorFlow graph"));
  EXPECT_THAT(refusal("d.onnx", "version https://git-lfs.github.com/spec/v1"),
              HasSubstr("git lfs pull"));
  EXPECT_THAT(refusal("e.onnx", "<!DOCTYPE html>"), HasSubstr("web page"));
  EXPECT_THAT(refusal("f.tflite", std::string("\x1C\0\0\0TFL3", 8)), HasSubstr("TensorFlow Lite"));
  EXPECT_THAT(refusal("g.txt", "hello"), HasSubstr("no known format"));
  EXPECT_THAT(refusal("h.onnx", "hello"), HasSubstr("not a sound ONNX file"));
}

TEST(Read, RefusesAFolderAndAFileThatIsNotThere) {
  EXPECT_THAT(onnx::sentence_of(Errc::io, [] { read(fs::temp_directory_path()); }),
              HasSubstr("folder"));
  EXPECT_THAT(onnx::sentence_of(Errc::not_found, [] { read("no/such/model.onnx"); }),
              HasSubstr("no/such/model.onnx"));
}

TEST(Apply, RefusesAModelOfAnotherFormat) {
  Model model;
  model.format = "torchscript";
  MemoryStore store;
  EXPECT_THAT(onnx::sentence_of(Errc::unsupported, [&] { apply(model, {}, {}, store, "out.pt"); }),
              HasSubstr("'torchscript' cannot be written"));
}

std::vector<fs::path> real_models() {
  const char* named = std::getenv("QUANTLENS_TESTDATA");
  const fs::path folder = named != nullptr ? named : QUANTLENS_SOURCE_DIR "/../shared/testdata";
  std::vector<fs::path> paths;
  for (const char* part : {"models", "foreign"}) {
    if (!fs::is_directory(folder / part)) continue;
    for (const auto& entry : fs::directory_iterator(folder / part)) {
      if (entry.path().extension() == ".onnx") paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

TEST(RealModels, AreReadInOrderWithKindsAndCopiedByteForByte) {
  const std::vector<fs::path> paths = real_models();
  if (paths.empty()) GTEST_SKIP() << "../shared/testdata has no models here";
  for (const fs::path& path : paths) {
    SCOPED_TRACE(path.filename());
    const Model model = read(path);
    EXPECT_GT(model.graph.nodes.size(), 20U);
    const std::vector<std::size_t> order = topological_order(model.graph);
    EXPECT_TRUE(std::ranges::is_sorted(order));
    const auto unknown = std::ranges::count(model.graph.nodes, Kind::other, &Node::kind);
    EXPECT_LE(unknown, 3);
    EXPECT_TRUE(onnx::written(model, {}) == model.file.text());
  }
}

TEST(RealModels, AreMergedWithThemselves) {
  const std::vector<fs::path> paths = real_models();
  if (paths.empty()) GTEST_SKIP() << "../shared/testdata has no models here";
  for (const fs::path& path : paths) {
    SCOPED_TRACE(path.filename());
    const Model model = read(path);
    const Model both = onnx::model_of(onnx::merge(model, {}, model, {}, "second/", {}));
    EXPECT_EQ(both.graph.nodes.size(), 2 * model.graph.nodes.size());
    EXPECT_EQ(both.graph.inputs.size(), model.graph.inputs.size());
    EXPECT_EQ(both.graph.outputs.size(), 2 * model.graph.outputs.size());
  }
}

TEST(RealModels, AreGivenBackByTheirOwnGraph) {
  const std::vector<fs::path> paths = real_models();
  if (paths.empty()) GTEST_SKIP() << "../shared/testdata has no models here";
  for (const fs::path& path : paths) {
    SCOPED_TRACE(path.filename());
    const Model model = read(path);
    const Model again = onnx::model_of(onnx::serialize(model.graph, model.opsets, model.metadata));
    EXPECT_EQ(again.graph.nodes.size(), model.graph.nodes.size());
    EXPECT_EQ(again.graph.weights.size(), model.graph.weights.size());
    EXPECT_EQ(again.metadata, model.metadata);
  }
}

}  // namespace
}  // namespace quantlens::frontend
