// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/files.h"

#include <gtest/gtest.h>

#include "quantlens/dataset/test_files.h"

namespace quantlens {
namespace {

const std::vector<InputSpec> kVector = {{.name = "x", .dtype = DType::float32, .shape = {-1, 2}}};
const std::vector<InputSpec> kPixels = {
    {.name = "x", .dtype = DType::float32, .shape = {-1, 3, 8, 8}}};

Tensor vectors(float last) {
  return Tensor::from<float>({2, 2}, {0, 1, 2, last});
}

std::string fingerprint_of(const std::string& data,
                           const std::vector<InputSpec>& inputs = kVector) {
  return fingerprint(open_data(data, inputs, {}));
}

TEST(DataFiles, AreTheDocumentAndAllThatItNames) {
  const TestFolder folder;
  const std::string arrays = folder.write("s.npz", npz_file({{"x", vectors(3)}}));
  const std::string document = folder.write("d.yaml", "npz: {file: s.npz}");
  const OpenedData opened = open_data(document, kVector, {});
  EXPECT_TRUE(reads(opened, arrays));
  EXPECT_TRUE(reads(opened, document));
  fs::create_hard_link(arrays, folder.path() / "other name");
  EXPECT_TRUE(reads(opened, folder.path() / "other name"));
  EXPECT_FALSE(reads(opened, folder.write("unread", "")));
  EXPECT_FALSE(reads(opened, folder.path() / "absent"));
}

TEST(DataFiles, OfImagesAreTheLabelsAndEachImage) {
  const TestFolder folder;
  const std::string image = folder.write("val/a.png", png_file(test_image(8, 8)));
  const std::string labels = folder.write("val.txt", "a.png 4");
  const OpenedData opened =
      open_data(folder.write("d.yaml", "images: {folder: val, labels: val.txt}"), kPixels, {});
  EXPECT_TRUE(reads(opened, labels));
  EXPECT_TRUE(reads(opened, image));
  EXPECT_FALSE(reads(opened, folder.write("val/b.png", png_file(test_image(8, 8)))));
}

TEST(DataFingerprint, ChangesWithTheBytesNotWithTheName) {
  const TestFolder folder;
  const std::string one = fingerprint_of(folder.write("a", npz_file({{"x", vectors(3)}})));
  EXPECT_EQ(one, fingerprint_of(folder.write("b", npz_file({{"x", vectors(3)}}))));
  EXPECT_NE(one, fingerprint_of(folder.write("a", npz_file({{"x", vectors(4)}}))));
  const std::string document = folder.write("d.yaml", "npz: {file: a}");
  const std::string named = fingerprint_of(document);
  folder.write("a", npz_file({{"x", vectors(5)}}));
  EXPECT_NE(named, fingerprint_of(document));
}

TEST(DataFingerprint, OfFoldersChangesWithNamesSizesAndLabels) {
  const TestFolder folder;
  folder.write("val/a.png", png_file(test_image(8, 8)));
  folder.write("val.txt", "a.png 4");
  const std::string document =
      folder.write("d.yaml", "images: {folder: val, labels: val.txt, crop: 8}");
  const std::string before = fingerprint_of(document, kPixels);
  EXPECT_EQ(before, fingerprint_of(document, kPixels));
  folder.write("val.txt", "a.png 5");
  const std::string relabelled = fingerprint_of(document, kPixels);
  EXPECT_NE(before, relabelled);
  folder.write("val/a.png", png_file(test_image(80, 90)));
  EXPECT_NE(relabelled, fingerprint_of(document, kPixels));
}

TEST(DataFingerprint, OfALargeFileLooksAtItsBeginningMiddleAndEnd) {
  const TestFolder folder;
  OpenedData data = open_data("random", kVector, {});
  constexpr std::size_t kMiB = std::size_t{1} << 20U;
  std::string bytes(127 * kMiB, 'a');  // every other MiB is looked at
  const auto print = [&] {
    data.files = {folder.write("large", bytes)};
    return fingerprint(data);
  };
  const std::string before = print();
  for (const std::size_t at : {std::size_t{0}, 64 * kMiB + 5, bytes.size() - 1}) {
    bytes.at(at) = 'b';
    EXPECT_NE(print(), before) << at;
    bytes.at(at) = 'a';
  }
  bytes += 'a';
  EXPECT_NE(print(), before);
}

}  // namespace
}  // namespace quantlens
