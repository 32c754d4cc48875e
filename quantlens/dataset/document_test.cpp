// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/dataset/test_files.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string document_refusal(std::string_view text) {
  return sentence([&] { parse_data_document(text, "val.yaml"); });
}

TEST(DataDocument, ReadsEveryKeyOfImages) {
  const DataDocument document = parse_data_document(
      R"(images: {folder: val, labels: val.txt, resize_short: 256, crop: [224, 192],
         color: bgr, mean: [1, 2.5, 3], std: 127.5, layout: nhwc, dtype: uint8}
input: data
batch_size: 8
limit: 500
)",
      "val.yaml");
  const auto& images = std::get<ImagesSource>(document.source);
  EXPECT_EQ(images.folder, "val");
  EXPECT_EQ(images.labels, "val.txt");
  EXPECT_EQ(images.steps.resize_short, 256);
  EXPECT_EQ(images.steps.crop, (ImageSize{.height = 224, .width = 192}));
  EXPECT_EQ(images.steps.color, ColorOrder::bgr);
  EXPECT_THAT(images.steps.mean, ElementsAre(1, 2.5, 3));
  EXPECT_THAT(images.steps.std, ElementsAre(127.5));
  EXPECT_EQ(images.steps.layout, PixelLayout::nhwc);
  EXPECT_EQ(images.steps.dtype, DType::uint8);
  EXPECT_EQ(document.input, "data");
  EXPECT_EQ(document.batch_size, 8U);
  EXPECT_EQ(document.limit, 500U);
}

TEST(DataDocument, LeavesOutWhatIsNotSaid) {
  const DataDocument document = parse_data_document("images: {folder: val, crop: 224}", "val.yaml");
  const auto& images = std::get<ImagesSource>(document.source);
  EXPECT_EQ(images.steps.crop, (ImageSize{.height = 224, .width = 224}));
  EXPECT_FALSE(images.steps.resize || images.steps.resize_short || images.steps.color);
  EXPECT_FALSE(document.input || document.batch_size || document.limit);
}

TEST(DataDocument, ReadsJson) {
  const DataDocument document = parse_data_document(
      "{\n\t\"npz\": {\"file\": \"a.npz\", \"inputs\": {\"17\": 18}, \"label\": \"y\"}}", "d.json");
  const auto& npz = std::get<NpzSource>(document.source);
  EXPECT_EQ(npz.file, "a.npz");
  EXPECT_EQ(npz.roles.inputs.at("17"), "18");
  EXPECT_EQ(npz.roles.label, "y");
}

TEST(DataDocument, ReadsNpyAndRandom) {
  const DataDocument npy = parse_data_document("npy: {file: x.npy, labels: y.npy}", "d");
  EXPECT_EQ(std::get<NpySource>(npy.source).labels, "y.npy");
  const DataDocument random =
      parse_data_document("random: {count: 7, seed: 3, shapes: {ids: [64]}}", "d");
  EXPECT_EQ(std::get<RandomSource>(random.source).count, 7U);
  EXPECT_EQ(std::get<RandomSource>(random.source).shapes.at("ids"), Shape({64}));
}

TEST(DataDocument, NamesAnUnknownKeyWithTheNearestOne) {
  EXPECT_THAT(document_refusal("images: {folder: a, colour: rgb}"),
              StartsWith("usage: val.yaml: images: unknown key 'colour'; did you mean 'color'"));
  EXPECT_THAT(document_refusal("imags: {folder: a}"), HasSubstr("did you mean 'images'?"));
  EXPECT_THAT(document_refusal("images: {folder: a, qqqqqqqqqq: 1}"),
              HasSubstr("known: folder, labels"));
}

TEST(DataDocument, NamesTheKeyOfAWrongValue) {
  EXPECT_THAT(document_refusal("images: {folder: a, crop: big}"),
              HasSubstr("images.crop: must be a whole number from 1"));
  EXPECT_THAT(document_refusal("images: {folder: a, crop: [1, 2, 3]}"),
              HasSubstr("images.crop: must be one"));
  EXPECT_THAT(document_refusal("images: {folder: a, crop: 0}"), HasSubstr("images.crop"));
  EXPECT_THAT(document_refusal("images: {folder: a, mean: [x]}"),
              HasSubstr("images.mean: must be a number"));
  EXPECT_THAT(document_refusal("images: {folder: a, color: cmyk}"),
              HasSubstr("images.color: must be one of rgb, bgr, gray, not 'cmyk'"));
  EXPECT_THAT(document_refusal("images: {folder: a, dtype: float}"), HasSubstr("images.dtype"));
  EXPECT_THAT(document_refusal("images: {labels: a}"),
              HasSubstr("images: the key 'folder' is missing"));
  EXPECT_THAT(document_refusal("images: a"), HasSubstr("images: must be a map"));
  EXPECT_THAT(document_refusal("npz: {file: [a]}"), HasSubstr("npz.file: must be a text"));
  EXPECT_THAT(document_refusal("random: {shapes: {ids: 64}}"),
              HasSubstr("random.shapes.ids: must be a list"));
  EXPECT_THAT(document_refusal("random: {}\nlimit: -1"),
              HasSubstr("limit: must be a whole number from 1"));
}

TEST(DataDocument, WantsExactlyOneKindOfData) {
  EXPECT_THAT(document_refusal("limit: 5"), HasSubstr("says nothing of the data"));
  EXPECT_THAT(document_refusal("npz: {file: a}\nrandom: {}"), HasSubstr("both npz and random"));
  EXPECT_THAT(document_refusal("npz: {file: a}\ninput: x"),
              HasSubstr("input: npz names its arrays under"));
}

TEST(DataDocument, RefusesWhatIsNoDocument) {
  EXPECT_THAT(document_refusal(""),
              StartsWith("bad_input: val.yaml: is text but no data document"));
  EXPECT_THAT(document_refusal("just words"), StartsWith("bad_input: val.yaml: is text but no"));
  EXPECT_THAT(document_refusal("a: ["), StartsWith("usage: val.yaml"));
  EXPECT_THAT(document_refusal("x: &x [*x]"), HasSubstr("val.yaml"));
  EXPECT_THAT(document_refusal(std::string(100'000, '[')), StartsWith("usage: val.yaml"));
  EXPECT_THAT(document_refusal(std::string(2'000'000, ' ')), StartsWith("usage: val.yaml"));
}

TEST(DataDocument, ReadsTfrecord) {
  const auto source = [](std::string_view text) {
    return std::get<TfrecordSource>(parse_data_document(text, "d").source);
  };
  const TfrecordSource plain = source("tfrecord: {files: \"validation-*\", crop: 224}");
  EXPECT_EQ(plain.files, "validation-*");
  EXPECT_EQ(plain.features.image, "image/encoded");
  EXPECT_EQ(plain.features.label, "image/class/label");
  EXPECT_FALSE(plain.features.is_label_needed);
  EXPECT_EQ(plain.steps.crop, (ImageSize{.height = 224, .width = 224}));
  const TfrecordSource named = source("tfrecord: {files: a, image: jpg, label: y, layout: nhwc}");
  EXPECT_EQ(named.features.image, "jpg");
  EXPECT_EQ(named.features.label, "y");
  EXPECT_TRUE(named.features.is_label_needed);
  EXPECT_EQ(named.steps.layout, PixelLayout::nhwc);
  EXPECT_THAT(document_refusal("tfrecord: {file: x}"), HasSubstr("did you mean 'files'?"));
  EXPECT_THAT(document_refusal("tfrecord: {}"), HasSubstr("the key 'files' is missing"));
}

}  // namespace
}  // namespace quantlens
