// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/tfrecord.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/dataset/files.h"
#include "quantlens/dataset/open.h"
#include "quantlens/dataset/test_files.h"
#include "quantlens/tensor/npy.h"

namespace quantlens {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<InputSpec> kPixelsLast = {
    {.name = "x", .dtype = DType::float32, .shape = {-1, 8, 8, 3}}};

std::string recorded(int width, std::int64_t label) {
  return example_of({{"image/encoded", jpeg_file(test_image(width, 8))}},
                    {{"image/class/label", label}});
}

std::string refused(const std::string& data) {
  return sentence([&] { open_data(data, kPixelsLast, {}); });
}

TEST(Tfrecord, GivesTheSamplesThatAFolderOfTheSameFilesGives) {
  const TestFolder folder;
  folder.write("val-0", record_file({recorded(8, 3), recorded(9, 1)}));
  folder.write("val-1", record_file({recorded(10, 2)}));
  for (const int width : {8, 9, 10})
    folder.write(fmt::format("images/{}.jpg", width), jpeg_file(test_image(width, 8)));
  folder.write("labels.txt", "8.jpg 3\n9.jpg 1\n10.jpg 2\n");
  const std::string steps = "crop: 8, mean: 127.5, std: 2, layout: nhwc";
  const auto records =
      open_data(folder.write("a.yaml", "tfrecord: {files: val-*, " + steps + "}"), kPixelsLast, {});
  const auto images = open_data(
      folder.write("b.yaml", "images: {folder: images, labels: labels.txt, " + steps + "}"),
      kPixelsLast, {});
  ASSERT_EQ(records.dataset->size(), 3U);
  EXPECT_TRUE(records.dataset->has_labels());
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Sample one = records.dataset->read(i), other = images.dataset->read(i);
    EXPECT_EQ(write_npy(one.inputs.at("x")), write_npy(other.inputs.at("x")));
    EXPECT_EQ(write_npy(*one.label), write_npy(*other.label));
  }
  EXPECT_EQ(records.dataset->name(0), "val-0, record 0");
  EXPECT_EQ(records.dataset->name(2), "val-1, record 0");
  EXPECT_TRUE(reads(records, folder.path() / "val-1"));
  EXPECT_FALSE(reads(records, folder.path() / "labels.txt"));
}

TEST(Tfrecord, IsToldByItsContentAndSaysWhatIsAssumed) {
  const TestFolder folder;
  const OpenedData opened =
      open_data(folder.write("val", record_file({recorded(9, 3)})), kPixelsLast, {});
  EXPECT_EQ(opened.dataset->read(0).inputs.at("x").shape(), Shape({8, 8, 3}));
  EXPECT_THAT(opened.dataset->caveat(), HasSubstr("scaled and cropped to 8x8"));
}

TEST(Tfrecord, TakesFeaturesOfOtherNames) {
  const TestFolder folder;
  folder.write("val",
               record_file({example_of({{"png", png_file(test_image(8, 8))}}, {{"y", -2}})}));
  const std::string document =
      folder.write("a.yaml", "tfrecord: {files: val, image: png, label: y}");
  EXPECT_EQ(write_npy(*open_data(document, kPixelsLast, {}).dataset->read(0).label),
            write_npy(Tensor::scalar(std::int64_t{-2})));
  folder.write("a.yaml", "tfrecord: {files: val, image: png}");
  EXPECT_FALSE(open_data(document, kPixelsLast, {}).dataset->has_labels());
  folder.write("a.yaml", "tfrecord: {files: val, image: png, label: z}");
  EXPECT_THAT(refused(document), AllOf(HasSubstr("has no feature 'z'"), HasSubstr("png, y")));
  folder.write("a.yaml", "tfrecord: {files: val, image: jpg}");
  EXPECT_THAT(refused(document), AllOf(HasSubstr("has no feature 'jpg'"), HasSubstr("png, y")));
  folder.write("a.yaml", "tfrecord: {files: val, image: png, label: png}");
  EXPECT_THAT(refused(document), HasSubstr("its feature 'png' is not one integer"));
}

TEST(Tfrecord, LosesSingleSamplesWhoseRecordsAreBroken) {
  const TestFolder folder;
  std::string bytes = record_file({recorded(8, 3), recorded(8, 4)});
  bytes[bytes.size() - 100] ^= 1;
  const std::string unlabelled = example_of({{"image/encoded", jpeg_file(test_image(8, 8))}});
  bytes +=
      record_file({"no example at all", unlabelled, example_of({{"image/encoded", "pixels"}})});
  const OpenedData opened = open_data(folder.write("val", bytes), kPixelsLast, {});
  const auto problem = [&](std::uint64_t i) { return sentence([&] { opened.dataset->read(i); }); };
  EXPECT_EQ(problem(0), "");
  EXPECT_THAT(problem(1), StartsWith("bad_input: val, record 1: is damaged"));
  EXPECT_THAT(problem(2), StartsWith("bad_input: val, record 2: "));
  EXPECT_THAT(problem(3), StartsWith("bad_input: val, record 3: its feature 'image/class/label'"));
  EXPECT_THAT(problem(4), StartsWith("bad_input: val, record 4: "));
  EXPECT_THAT(problem(5), StartsWith("not_found: there is no record 5"));
}

TEST(Tfrecord, HasAFingerprintOfWhatItsRecordsHold) {
  const TestFolder folder;
  const auto print = [&](std::int64_t label) {
    return fingerprint(
        open_data(folder.write("val", record_file({recorded(8, label)})), kPixelsLast, {}));
  };
  EXPECT_EQ(print(3), print(3));
  EXPECT_NE(print(3), print(4));
}

TEST(Tfrecord, OfFilesThatAreNoneIsRefused) {
  const TestFolder folder;
  const std::string document = folder.write("a.yaml", "tfrecord: {files: none-*}");
  EXPECT_THAT(refused(document), AllOf(StartsWith("not_found: "), HasSubstr("none-*")));
  folder.write("val-0", record_file({recorded(8, 3)}));
  folder.write("val-1", "something else, of some length");
  folder.write("a.yaml", "tfrecord: {files: val-*}");
  EXPECT_THAT(refused(document), HasSubstr("val-1: is no TFRecord file"));
}

}  // namespace
}  // namespace quantlens
