// SPDX-License-Identifier: Apache-2.0
// The real data sets of shared/testdata, where they are.
#include <gtest/gtest.h>

#include "quantlens/dataset/open.h"
#include "quantlens/dataset/reader.h"
#include "quantlens/dataset/test_files.h"

namespace quantlens {
namespace {

#define SKIP_WITHOUT_TESTDATA()                                                         \
  if (!testdata_folder()) {                                                             \
    GTEST_SKIP() << "shared/testdata is not there; set QUANTLENS_TESTDATA to its path"; \
  }

struct Case {
  const char* file;
  std::vector<InputSpec> inputs;
  std::uint64_t samples;
};

TEST(Testdata, OpensWithoutADocument) {
  SKIP_WITHOUT_TESTDATA();
  const auto ids = [](const char* name) {
    return InputSpec{.name = name, .dtype = DType::int64, .shape = {-1, -1}};
  };
  const Case cases[] = {
      {"speech/kwt1_400.npz",
       {{.name = "audio", .dtype = DType::float32, .shape = {1, 16000}}},
       400},
      {"speech/ds_cnn_400.npz",
       {{.name = "Mfcc", .dtype = DType::float32, .shape = {1, 49, 10}}},
       400},
      {"magika/magika_435.npz",
       {{.name = "bytes", .dtype = DType::int32, .shape = {-1, 2048}}},
       435},
      {"text/minilm_stsb_dev_400.npz",
       {ids("input_ids"), ids("attention_mask"), ids("token_type_ids")},
       800},
  };
  for (const Case& c : cases) {
    const OpenedData opened = open_data((*testdata_folder() / c.file).string(), c.inputs, {});
    EXPECT_EQ(opened.dataset->size(), c.samples) << c.file;
    EXPECT_TRUE(opened.dataset->has_labels()) << c.file;
    BatchReader reader(*opened.dataset, {.batch_size = opened.batch_size, .threads = 2}, "");
    const std::optional<Batch> batch = reader.next();
    ASSERT_TRUE(batch.has_value()) << c.file;
    EXPECT_EQ(batch->inputs.size(), c.inputs.size()) << c.file;
  }
}

TEST(Testdata, ReadsEveryImageAlikeWithOneAndWithFourThreads) {
  SKIP_WITHOUT_TESTDATA();
  const TestFolder folder;
  const std::string imagenet = (*testdata_folder() / "imagenet").string();
  const std::string document =
      folder.write("val.yaml", "images: {folder: " + imagenet + "/images, labels: " + imagenet +
                                   "/val.txt, crop: 224, mean: 127.5, std: 127.5}\nlimit: 60");
  const std::vector<InputSpec> inputs = {
      {.name = "input", .dtype = DType::float32, .shape = {-1, 3, 224, 224}}};
  const OpenedData opened = open_data(document, inputs, {});
  BatchReader one(*opened.dataset, {.batch_size = 7, .threads = 1}, "");
  BatchReader four(*opened.dataset, {.batch_size = 7, .threads = 4}, "");
  std::uint64_t samples = 0;
  while (const std::optional<Batch> a = one.next()) {
    const std::optional<Batch> b = four.next();
    ASSERT_TRUE(b.has_value());
    ASSERT_EQ(a->samples, b->samples);
    ASSERT_TRUE(std::ranges::equal(a->inputs.at("input").bytes(), b->inputs.at("input").bytes()));
    samples += a->samples.size();
  }
  EXPECT_EQ(samples, 60U);
  EXPECT_EQ(one.skipped_count(), 0U);
}

}  // namespace
}  // namespace quantlens
