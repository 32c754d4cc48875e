// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/example.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

#include "quantlens/dataset/test_files.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// An Example of one feature "f" whose list of this kind is `list`.
std::string example_with(protozero::pbf_tag_type kind, const std::string& list) {
  std::string feature, entry, features, example;
  protozero::pbf_writer(feature).add_message(kind, list);
  protozero::pbf_writer writer(entry);
  writer.add_string(1, "f");
  writer.add_message(2, feature);
  protozero::pbf_writer(features).add_message(1, entry);
  protozero::pbf_writer(example).add_message(1, features);
  return example;
}

TEST(Example, HasTextsAndIntegersByName) {
  const std::string example = example_of({{"image", "pixels"}, {"format", "JPEG"}}, {{"label", 7}});
  EXPECT_THAT(find_feature(example, "image", "it")->bytes, ElementsAre("pixels"));
  EXPECT_THAT(find_feature(example, "label", "it")->integers, ElementsAre(7));
  EXPECT_FALSE(find_feature(example, "other", "it"));
  EXPECT_THAT(feature_names(example, "it"), ElementsAre("format", "image", "label"));
}

TEST(Example, ReadsIntegersPackedAndOneByOne) {
  const std::int64_t values[] = {5, -3};
  std::string packed, single;
  protozero::pbf_writer(packed).add_packed_int64(1, std::begin(values), std::end(values));
  for (const std::int64_t value : values) protozero::pbf_writer(single).add_int64(1, value);
  EXPECT_THAT(find_feature(example_with(3, packed), "f", "it")->integers, ElementsAre(5, -3));
  EXPECT_THAT(find_feature(example_with(3, single), "f", "it")->integers, ElementsAre(5, -3));
}

TEST(Example, SaysOfRealsThatThereAreSome) {
  const float value = 1.5F;
  std::string list;
  protozero::pbf_writer(list).add_packed_float(1, &value, &value + 1);
  const auto feature = find_feature(example_with(2, list), "f", "it");
  ASSERT_TRUE(feature);
  EXPECT_TRUE(feature->is_real);
  EXPECT_THAT(feature->integers, IsEmpty());
}

TEST(Example, IsRefusedWhereItsBytesAreNoMessage) {
  EXPECT_EQ(sentence([] { find_feature("\x0a\x7f", "f", "val, record 3"); }),
            "bad_input: val, record 3: is no tf.train.Example; write each sample as one");
  EXPECT_FALSE(find_feature("", "f", "it"));  // an Example without features
}

}  // namespace
}  // namespace quantlens
