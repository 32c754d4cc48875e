// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/dataset/test_files.h"

namespace quantlens {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const InputSpec kInput = {.name = "x", .dtype = DType::float32, .shape = {-1, 3, -1, -1}};

std::unique_ptr<Dataset> open(const fs::path& folder, const fs::path& labels = {}) {
  return open_images(
      {.folder = folder, .labels = labels, .steps = {}, .where = "doc.yaml", .caveat = {}}, kInput);
}

std::int64_t label_of(const Sample& sample) {
  return sample.label.value().data<std::int64_t>()[0];
}

TEST(OpenImages, ReadsFilesAndClassesInTheOrderOfTheLabels) {
  const TestFolder folder;
  folder.write("val/b.png", png_file(test_image(4, 3)));
  folder.write("val/sub/with space.jpg", jpeg_file(test_image(8, 8)));
  const std::string labels = folder.write("val.txt", "sub/with space.jpg 12\r\n\n  b.png\t3");
  const auto data = open(folder.path() / "val", labels);
  ASSERT_EQ(data->size(), 2U);
  EXPECT_TRUE(data->has_labels());
  EXPECT_EQ(data->name(0), "sub/with space.jpg");
  EXPECT_EQ(label_of(data->read(0)), 12);
  EXPECT_EQ(label_of(data->read(1)), 3);
  EXPECT_EQ(data->read(1).inputs.at("x").shape(), Shape({3, 3, 4}));
}

TEST(OpenImages, FindsAFormatByContentAndNotByName) {
  const TestFolder folder;
  folder.write("a.jpg", png_file(test_image(4, 3)));
  folder.write("photo", jpeg_file(test_image(4, 3)));
  const auto data = open(folder.path());
  ASSERT_EQ(data->size(), 2U);
  EXPECT_EQ(data->read(0).inputs.at("x").size(), 36);
  EXPECT_EQ(data->read(1).inputs.at("x").size(), 36);
}

TEST(OpenImages, TakesAFolderSortedAndWithoutLabels) {
  const TestFolder folder;
  for (const char* name : {"c.png", "a.png", "b.PNG"}) folder.write(name, "broken");
  folder.write("readme.txt", "not an image");
  folder.write(".hidden.png", "not an image");
  folder.write("more/d.png", "not at the top");
  const auto data = open(folder.path());
  ASSERT_EQ(data->size(), 3U);
  EXPECT_EQ(data->name(0), "a.png");
  EXPECT_EQ(data->name(2), "c.png");
  EXPECT_FALSE(data->has_labels());
}

TEST(OpenImages, TakesSubfoldersForClassesWhereThereAreOnlySubfolders) {
  const TestFolder folder;
  for (const char* name : {"dog/1.png", "cat/2.png", "cat/1.png"}) {
    folder.write(name, png_file(test_image(2, 2)));
  }
  const auto data = open(folder.path());
  ASSERT_EQ(data->size(), 3U);
  EXPECT_EQ(data->name(0), "cat/1.png");
  EXPECT_EQ(label_of(data->read(1)), 0);
  EXPECT_EQ(label_of(data->read(2)), 1);
}

TEST(OpenImages, FailsForAMissingOrBrokenFileOnlyWhenItIsRead) {
  const TestFolder folder;
  folder.write("bad.png", "hello");
  const auto data = open(folder.path(), folder.write("val.txt", "gone.jpg 0\nbad.png 1"));
  EXPECT_THAT(sentence([&] { data->read(0); }), HasSubstr("not_found: "));
  EXPECT_THAT(sentence([&] { data->read(1); }), HasSubstr("bad_input: bad.png: is no image"));
  EXPECT_THAT(sentence([&] { data->read(2); }), HasSubstr("there is no image 2"));
}

TEST(OpenImages, NamesTheLineOfALabelsFileThatMakesNoSense) {
  const TestFolder folder;
  const auto refusal = [&](std::string_view text) {
    return sentence([&] { open(folder.path(), folder.write("val.txt", text)); });
  };
  EXPECT_THAT(refusal("a.jpg 1\nb.jpg"), HasSubstr("val.txt:2: 'b.jpg' has no class"));
  EXPECT_THAT(refusal("a.jpg cat"), HasSubstr("val.txt:1: 'cat' is no class number"));
  EXPECT_THAT(refusal("a.jpg -1"), HasSubstr("'-1' is no class number"));
  EXPECT_THAT(refusal("../a.jpg 1"), HasSubstr("'../a.jpg' is not inside the images' folder"));
  EXPECT_THAT(refusal("/etc/a.jpg 1"), HasSubstr("is not inside"));
  EXPECT_THAT(refusal("\n"), HasSubstr("names no image"));
}

TEST(OpenImages, NamesAFolderThatIsAbsentOrEmpty) {
  const TestFolder folder;
  EXPECT_THAT(sentence([&] { open(folder.path()); }), HasSubstr("has no images"));
  EXPECT_THAT(sentence([&] { open(folder.path() / "val"); }),
              AllOf(HasSubstr("not_found: doc.yaml: there is no folder"), HasSubstr("val")));
}

}  // namespace
}  // namespace quantlens
