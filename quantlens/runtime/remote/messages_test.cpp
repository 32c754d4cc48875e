// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/messages.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace quantlens::remote {
namespace {

TapSpec some_taps() {
  TapSpec spec;
  spec.taps = {{.value = "a",
                .histogram = false,
                .channel_axis = 1,
                .channel_histograms = {0, 4000000000},
                .sample_axis = 2},
               {.value = "b"}};
  PairTap pair{.reference = "x",
               .quantized = "x_q",
               .histogram = false,
               .channel_axis = 2,
               .channel_histograms = {7},
               .sample_axis = 1};
  pair.scheme = Scheme{.dtype = DType::int8, .symmetric = true, .axis = 3, .bits = 7};
  pair.params = QParams{.scale = 0.1f, .zero_point = -128};
  spec.pairs = {pair, {.reference = "y", .quantized = "z"}};
  return spec;
}

OpenText sent(const OpenText& text) {
  return message_from<OpenText>(text_of(text));
}

TEST(Messages, TapsAndOptionsTravelWhole) {
  OpenText text{.models = {{.format = "onnx", .path = "m.onnx", .attached = true}},
                .taps = some_taps(),
                .options = {.threads = 3, .optimized_dump = "dump/a b.onnx"}};
  const OpenText read = sent(text);
  ASSERT_EQ(read.models.size(), 1u);
  EXPECT_EQ(read.models[0].format, "onnx");
  EXPECT_EQ(read.models[0].path, "m.onnx");
  EXPECT_TRUE(read.models[0].attached);
  ASSERT_EQ(read.taps.taps.size(), 2u);
  EXPECT_EQ(read.taps.taps[0].value, "a");
  EXPECT_FALSE(read.taps.taps[0].histogram);
  EXPECT_EQ(read.taps.taps[0].channel_axis, 1);
  EXPECT_EQ(read.taps.taps[0].channel_histograms, text.taps.taps[0].channel_histograms);
  EXPECT_EQ(read.taps.taps[0].sample_axis, 2);
  EXPECT_FALSE(read.taps.taps[1].channel_axis);
  ASSERT_EQ(read.taps.pairs.size(), 2u);
  EXPECT_EQ(read.taps.pairs[0].reference, "x");
  EXPECT_EQ(read.taps.pairs[0].quantized, "x_q");
  EXPECT_EQ(read.taps.pairs[0].scheme, text.taps.pairs[0].scheme);
  EXPECT_EQ(read.taps.pairs[0].params, text.taps.pairs[0].params);
  EXPECT_FALSE(read.taps.pairs[0].histogram);
  EXPECT_EQ(read.taps.pairs[0].channel_axis, 2);
  EXPECT_EQ(read.taps.pairs[0].channel_histograms, text.taps.pairs[0].channel_histograms);
  EXPECT_EQ(read.taps.pairs[0].sample_axis, 1);
  EXPECT_FALSE(read.taps.pairs[1].scheme);
  EXPECT_EQ(read.options.threads, 3u);
  EXPECT_EQ(read.options.optimized_dump, "dump/a b.onnx");
}

TEST(Messages, ScalesTravelBitByBit) {
  for (const float scale : {0.1f, std::numeric_limits<float>::min(), 3.4e38f, 1.0f / 3}) {
    OpenText text;
    text.taps.pairs = {{.params = QParams{.scale = scale, .zero_point = 0}}};
    EXPECT_EQ(sent(text).taps.pairs[0].params->scale, scale);
  }
}

TEST(Messages, NamesOfAnyBytesTravel) {
  for (const std::string& name : {std::string("a\xff\xfe/b"), std::string("\x01"), std::string(),
                                  std::string("nul\0 inside", 11), std::string("\x01\xff"),
                                  std::string("\"quoted\" \n \xc3\xa9")}) {
    OpenText text;
    text.taps.taps = {{.value = name}};
    EXPECT_EQ(sent(text).taps.taps[0].value, name);
  }
}

TEST(Messages, DroppedPairsTravelWholeAndMayBeMissing) {
  const SteppedText text{.reference = {},
                         .quantized = {},
                         .not_tapped = {{"a", "a_q\xff", "unequal"}, {"b", "", "no place"}}};
  EXPECT_EQ(message_from<SteppedText>(text_of(text)).not_tapped, text.not_tapped);
  EXPECT_TRUE(message_from<SteppedText>("{}").not_tapped.empty());
}

TEST(Messages, ThatAreNoneAreRefused) {
  for (const char* text : {"", "{", "[]", R"({"code": "no such", "sentence": ""})",
                           R"({"sentence": "\u0001zz"})", R"({"sentence": "\u00010"})"}) {
    EXPECT_THROW(message_from<ErrorText>(text), Error) << text;
  }
}

TensorMap there_and_back(const TensorMap& tensors) {
  Body body;
  const std::vector<TensorText> texts = add_tensors(tensors, body);
  const auto bytes = std::make_shared<std::vector<std::byte>>(body.size());
  body.copy_to(*bytes);
  return tensors_from(texts, {.bytes = *bytes, .owner = bytes});
}

TEST(Messages, TensorsOfAllTypesTravel) {
  TensorMap tensors;
  for (int i = 0; i <= static_cast<int>(DType::boolean); ++i) {
    const auto dtype = static_cast<DType>(i);
    const auto bytes = std::make_shared<std::vector<std::byte>>(6 * byte_size(dtype));
    for (std::size_t at = 0; at < bytes->size(); ++at) (*bytes)[at] = std::byte(at * 37 + 1);
    tensors.emplace(std::string(name(dtype)), Tensor(dtype, {2, 3}, *bytes, bytes));
  }
  tensors.emplace("scalar", Tensor::scalar(std::nanf("")));
  tensors.emplace("empty", Tensor::from<float>({0, 4}, {}));
  tensors.emplace("strings", Tensor::from_strings({2, 2}, {"", "a", std::string(3, '\0'), "\xff"}));
  tensors.emplace("no_strings", Tensor::from_strings({0}, {}));
  const TensorMap read = there_and_back(tensors);
  ASSERT_EQ(read.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    const Tensor& other = read.at(name);
    EXPECT_EQ(other.dtype(), tensor.dtype()) << name;
    EXPECT_EQ(other.shape(), tensor.shape()) << name;
    EXPECT_EQ(other.strings(), tensor.strings()) << name;
    EXPECT_TRUE(std::ranges::equal(other.bytes(), tensor.bytes())) << name;
  }
}

TEST(Messages, TensorsThatLieAreRefused) {
  const auto owner = std::make_shared<std::string>(64, '\x02');
  const Payload body{.bytes = std::as_bytes(std::span(*owner)), .owner = owner};
  const auto refused = [&](const std::vector<TensorText>& texts) {
    try {
      tensors_from(texts, body);
    } catch (const Error& error) {
      return error.code() == Errc::bad_input;
    }
    return false;
  };
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  const TensorText good{.name = "y", .shape = {2, 8}, .offset = 0, .bytes = 64};
  EXPECT_FALSE(refused({good}));
  EXPECT_TRUE(refused({good, good})) << "twice";
  EXPECT_TRUE(refused({{.name = "y", .shape = {2, 8}, .offset = 4, .bytes = 64}}));
  EXPECT_TRUE(refused({{.name = "y", .shape = {2, 8}, .offset = kMost - 3, .bytes = 64}}));
  EXPECT_TRUE(refused({{.name = "y", .shape = {2, 8}, .offset = 64, .bytes = kMost}}));
  EXPECT_TRUE(refused({{.name = "y", .shape = {2, 9}, .offset = 0, .bytes = 64}}));
  EXPECT_TRUE(refused({{.name = "y", .shape = {-2, -8}, .offset = 0, .bytes = 64}}));
  const std::int64_t large = std::int64_t{1} << 62;
  EXPECT_TRUE(refused({{.name = "y", .shape = {large, 4}, .offset = 0, .bytes = 0}}));
  const auto strings = [](Shape shape, std::uint64_t bytes) {
    return std::vector<TensorText>{
        {.name = "s", .dtype = DType::string, .shape = std::move(shape), .bytes = bytes}};
  };
  EXPECT_TRUE(refused(strings({1}, 64))) << "a length beyond the body";
  EXPECT_TRUE(refused(strings({large}, 64))) << "more strings than bytes";
  EXPECT_TRUE(refused(strings({0}, 8))) << "bytes of no string";
}

}  // namespace
}  // namespace quantlens::remote
