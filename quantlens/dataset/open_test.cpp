// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/dataset/test_files.h"
#include "quantlens/tensor/npy.h"

namespace quantlens {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<InputSpec> kPixelsFile = {
    {.name = "x", .dtype = DType::float32, .shape = {-1, 3, 8, 8}}};
const std::vector<InputSpec> kVectorFile = {
    {.name = "x", .dtype = DType::float32, .shape = {-1, 2}}};

Tensor vectors() {
  return Tensor::from<float>({3, 2}, {0, 1, 2, 3, 4, 5});
}

std::string refusal(const std::string& data, const std::vector<InputSpec>& inputs = kVectorFile,
                    const DataOptions& options = {}) {
  return sentence([&] { open_data(data, inputs, options); });
}

TEST(OpenData, TakesTheBatchSizeOfTheModelWhereNobodyAsksForOne) {
  const std::vector<InputSpec> pairs{{.name = "x", .dtype = DType::float32, .shape = {2, 3}}};
  EXPECT_EQ(open_data("random", pairs, {}).batch_size, 2U);
  EXPECT_EQ(open_data("random", pairs, {.batch_size = 2}).batch_size, 2U);
  EXPECT_THROW(open_data("random", pairs, {.batch_size = 1}), Error);
}

TEST(OpenData, TellsFilesApartByContent) {
  const TestFolder folder;
  const std::string npz = folder.write("one", npz_file({{"x", vectors()}}));
  const std::string npy = folder.write("two", write_npy(vectors()));
  EXPECT_EQ(open_data(npz, kVectorFile, {}).dataset->size(), 3U);
  EXPECT_EQ(open_data(npy, kVectorFile, {}).dataset->size(), 3U);
  const std::string document = folder.write("three", "npz: {file: one}");
  EXPECT_EQ(open_data(document, kVectorFile, {}).dataset->size(), 3U);
  EXPECT_EQ(open_data("random", kVectorFile, {}).dataset->size(), 100U);
}

TEST(OpenData, TakesPathsFromTheFolderOfTheDocument) {
  const TestFolder folder;
  folder.write("data/val/a.png", png_file(test_image(8, 8)));
  folder.write("data/val.txt", "a.png 4");
  const std::string document =
      folder.write("data/val.yaml", "images: {folder: val, labels: val.txt, mean: 1}");
  const OpenedData opened = open_data(document, kPixelsFile, {});
  EXPECT_EQ(opened.dataset->size(), 1U);
  EXPECT_TRUE(opened.dataset->has_labels());
  EXPECT_EQ(opened.dataset->caveat(), "");
}

TEST(OpenData, BringsABareFolderToTheModelsSizeAndSaysSo) {
  const TestFolder folder;
  folder.write("a.png", png_file(test_image(31, 22)));
  const OpenedData opened = open_data(folder.path().string(), kPixelsFile, {});
  EXPECT_EQ(opened.dataset->read(0).inputs.at("x").shape(), Shape({3, 8, 8}));
  EXPECT_THAT(opened.dataset->caveat(),
              AllOf(HasSubstr("0 to 255"), HasSubstr("scaled and cropped to 8x8")));
}

TEST(OpenData, HoldsTheSmallerOfBothLimits) {
  const TestFolder folder;
  folder.write("x.npy", write_npy(vectors()));
  const std::string two = folder.write("two.yaml", "npy: {file: x.npy}\nlimit: 2");
  EXPECT_EQ(open_data(two, kVectorFile, {}).dataset->size(), 2U);
  EXPECT_EQ(open_data(two, kVectorFile, {.limit = 1}).dataset->size(), 1U);
  EXPECT_EQ(open_data(two, kVectorFile, {.limit = 9}).dataset->size(), 2U);
  EXPECT_EQ(open_data("random", kVectorFile, {.limit = 500}).dataset->size(), 500U);
}

TEST(OpenData, PrefersTheBatchSizeOfTheCommandLineToTheDocumentsToTheModels) {
  const TestFolder folder;
  folder.write("x.npy", write_npy(vectors()));
  const std::string five = folder.write("five.yaml", "npy: {file: x.npy}\nbatch_size: 5");
  const std::string none = folder.write("none.yaml", "npy: {file: x.npy}");
  EXPECT_EQ(open_data(five, kVectorFile, {.batch_size = 7}).batch_size, 7U);
  EXPECT_EQ(open_data(five, kVectorFile, {}).batch_size, 5U);
  EXPECT_EQ(open_data(none, kVectorFile, {}).batch_size, 1U);
  const std::vector<InputSpec> fixed = {{.name = "x", .dtype = DType::float32, .shape = {4, 2}}};
  EXPECT_EQ(open_data(none, fixed, {}).batch_size, 4U);
  EXPECT_THAT(refusal(five, fixed), AllOf(StartsWith("usage: "), HasSubstr("exactly 4")));
}

TEST(OpenData, WantsOneArrayForEachInput) {
  const TestFolder folder;
  const std::string npy = folder.write("x.npy", write_npy(vectors()));
  std::vector<InputSpec> two = kVectorFile;
  two.push_back({.name = "mask", .dtype = DType::float32, .shape = {-1, 2}});
  EXPECT_THAT(refusal(npy, two),
              HasSubstr("the model has the inputs 'x', 'mask'; save an array for each"));
  const std::string named = folder.write("named.yaml", "npy: {file: x.npy}\ninput: z");
  EXPECT_THAT(refusal(named), HasSubstr("input: the model has no input 'z', only 'x'"));
}

TEST(OpenData, KeepsTheDataAsTheyAreWhereNoModelIsKnown) {
  const TestFolder folder;
  const std::string npy = folder.write("x.npy", write_npy(vectors()));
  const OpenedData opened = open_data(npy, {}, {});
  EXPECT_EQ(opened.dataset->read(0).inputs.begin()->first, "");
}

TEST(OpenData, SaysWhatAFileIsThatItDoesNotRead) {
  const TestFolder folder;
  EXPECT_THAT(
      refusal(folder.write("a.bin", std::string("\0\1\2", 3))),
      HasSubstr("is neither a .npz, .npy or TFRecord file, a folder of images, nor a YAML"));
  EXPECT_THAT(refusal(folder.write("empty", "")), HasSubstr("is neither"));
  EXPECT_THAT(refusal(folder.write("a.jpg", jpeg_file(test_image(8, 8)))),
              HasSubstr("is a single JPEG image; give its folder"));
  EXPECT_THAT(refusal((folder.path() / "gone.npz").string()), StartsWith("not_found: "));
  const std::string lost = folder.write("lost.yaml", "npz: {file: gone.npz}");
  EXPECT_THAT(refusal(lost), AllOf(StartsWith("not_found: "), HasSubstr("gone.npz")));
}

}  // namespace
}  // namespace quantlens
