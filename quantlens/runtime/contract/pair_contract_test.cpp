// SPDX-License-Identifier: Apache-2.0
// What pair taps see, against plain loops; exact for the same reason as in tap_contract_test.cpp.
#include <gmock/gmock.h>

#include "quantlens/runtime/contract/exact_net.h"
#include "quantlens/runtime/contract/run_contract.h"

namespace quantlens::contract {
namespace {

using testing::ElementsAre;

using Pairs = RunContract;
INSTANTIATE_TEST_SUITE_P(Kinds, Pairs, testing::ValuesIn(run_kinds()), kind_name);

/// The quantized side of exact_net as far as its first codes: x_q is uint8, y_q is int8.
const QParams kPairInput{0.5f, 100};
const QParams kOutput{0.75f, -128};

Model quantized_net() {
  Net net;
  net.input("x", {-1, kIn});
  net.quantize("x", kPairInput, DType::uint8);
  net.weight("w", exact_weight());
  net.node("MatMul", {"x_dq", "w"}, "product");
  net.node("Relu", {"product"}, "relu");
  net.quantize("relu", kOutput, DType::int8);
  net.node("Identity", {"relu_dq"}, "y");
  return net.output("y").model();
}

template <class Code>
std::vector<Code> codes_of(const std::vector<float>& row, QParams params) {
  std::vector<Code> codes;
  codes.reserve(row.size());
  for (const float value : row) {
    codes.push_back(static_cast<Code>(quantize(value, params, dtype_of<Code>())));
  }
  return codes;
}

template <class Code>
PairedStats codes_gathered(const PairTap& pair, const Batch& batch, const Rows& reference,
                           const Rows& quantized) {
  PairedStats stats;
  stats.reference = pair.reference;
  stats.quantized = pair.quantized;
  const Range range = unclipped(*pair.params, pair.scheme->dtype);
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const std::vector<Code> codes = codes_of<Code>(quantized[i], *pair.params);
    stats.pairs.add(batch.samples[i], reference[i], codes,
                    {pair.params->scale, pair.params->zero_point}, {range.min, range.max});
    stats.reference_histogram.add(reference[i]);
    stats.code_histogram.add(codes);
  }
  return stats;
}

TEST_P(Pairs, CompareFloatsWithCodesAndWithFloats) {
  const Model model = exact_net();
  const Model quantized = quantized_net();
  TapSpec spec;
  spec.pairs = {pair("y", "y"), pair("x", "x_q", kPairInput, DType::uint8),
                pair("y", "relu_q", kOutput, DType::int8)};
  const Batch batch = exact_data(2, 4);
  const auto run = open(model, &quantized, spec);
  const TapState state = by_batches(*run, batch, 2);
  EXPECT_TRUE(run->not_tapped().empty());

  const Rows x = rows_of(batch.inputs.at("x"));  // halves are exact: its codes stand for x itself
  const Rows y = relu_of(product_of(x));
  const Rows rounded = each(
      y, [](float value) { return dequantize(quantize(value, kOutput, DType::int8), kOutput); });
  ASSERT_EQ(state.pairs.size(), 3u);
  EXPECT_EQ(state.pairs[0], codes_gathered<std::uint8_t>(spec.pairs[1], batch, x, x));
  EXPECT_EQ(state.pairs[1], codes_gathered<std::int8_t>(spec.pairs[2], batch, y, y));
  PairedStats floats;
  floats.reference = floats.quantized = "y";
  for (std::size_t i = 0; i < y.size(); ++i) {
    floats.pairs.add(batch.samples[i], y[i], rounded[i]);
    floats.reference_histogram.add(y[i]);
    floats.quantized_histogram.add(rounded[i]);
  }
  EXPECT_EQ(state.pairs[2], floats);
  EXPECT_GT(floats.pairs.mse(), 0);
}

TEST_P(Pairs, OneValueMayHaveSeveralQuantizedSidesAndTapsBesides) {
  const Model model = exact_net();
  const Model quantized = quantized_net();
  TapSpec spec = taps({"y", "product"});
  spec.pairs = {pair("y", "relu_q", kOutput, DType::int8), pair("y", "y"),
                pair("product", "product"), pair("y", "relu_dq")};
  const Batch batch = exact_data(0, 3);
  const TapState state = gathered(model, &quantized, spec, batch);
  ASSERT_EQ(state.values.size(), 2u);
  ASSERT_EQ(state.pairs.size(), 4u);
  EXPECT_EQ(state.pairs[0].pairs.mse(), 0) << "products of exact codes differ";
  EXPECT_EQ(state.pairs[1].pairs, state.pairs[3].pairs) << "relu_dq and y are one";
  EXPECT_EQ(state.pairs[1].pairs.mse(), state.pairs[2].pairs.mse());
}

TEST_P(Pairs, NameTheWorstSamplesByTheirGlobalIndex) {
  Net reference;
  reference.input("x", {-1, 2});
  reference.node("Neg", {"x"}, "y");
  const Model model = reference.output("y").model();
  const QParams coarse{4, 0};
  Net other;
  other.input("x", {-1, 2});
  other.node("Neg", {"x"}, "y");
  other.quantize("y", coarse, DType::int8);
  const Model quantized = other.output("y_dq").model();
  TapSpec spec;
  spec.pairs = {pair("y", "y_q", coarse, DType::int8)};
  // Errors of a value: 0 for multiples of 4, 1 beside them, 2 between them.
  const Batch batch =
      contract::batch(40, {{"x", Tensor::from<float>({4, 2}, {4, 8, 1, 4, 2, 1, 6, 6})}});
  for (const std::uint64_t size : {1u, 4u}) {
    const auto run = open(model, &quantized, spec);
    const TapState state = by_batches(*run, batch, size);
    const auto& worst = state.pairs.at(0).pairs.worst().entries();
    using Entry = WorstSamples::Entry;
    EXPECT_THAT(worst, ElementsAre(Entry{43, 8}, Entry{42, 5}, Entry{41, 1}));
    EXPECT_EQ(state.pairs[0].pairs.blocks()[43 % kBlocks].finite, 2u);
  }
}

/// A convolution with weights, scales and values that are small multiples of powers of two.
Model image_net(bool quantized) {
  const QParams kImage{0.5f, 40}, kSum{2, 30};
  Net net;
  net.input("x", {-1, 2, 9, 10});
  const std::string x = quantized ? net.quantize("x", kImage, DType::uint8) : "x";
  std::string w = net.weight(
      "w", random_integers({4, 2, 3, 3}, 3, -3, 3, quantized ? DType::int8 : DType::float32));
  if (quantized) {
    w = net.dequantize("w", Tensor::from<float>({4}, {1, 1, 1, 1}),
                       random_integers({4}, 0, 0, 0, DType::int8), 0);
  }
  net.node("Conv", {x, w}, "conv");
  net.node("Relu", {"conv"}, "y");
  if (!quantized) return net.output("y").output("conv").model();
  return net.output(net.quantize("y", kSum, DType::uint8)).model();
}

/// Adds what a pair gathers of the channels 0 to 3, of 56 elements each, with histograms of two.
void add_image_channels(PairedStats& stats, const std::vector<float>& x,
                        const std::vector<float>& y, const QParams* params) {
  const AxisLayout layout{1, 4, 56};
  std::vector<float> errors;
  for (std::size_t i = 0; i < x.size(); ++i) errors.push_back(x[i] - y[i]);
  stats.channel_axis = 1;
  stats.reference_channels.add(x, layout);
  stats.error_channels.add(errors, layout);
  stats.channel_histograms.resize(2);
  for (const std::uint32_t at : {0u, 1u}) {
    PairedChannelHistogram& one = stats.channel_histograms[at];
    one.channel = 1 + 2 * at;
    const std::vector<float> part(y.begin() + one.channel * 56, y.begin() + one.channel * 56 + 56);
    one.reference.add(std::span(x).subspan(one.channel * 56, 56));
    if (params == nullptr) one.quantized.add(part);
    if (params != nullptr) one.codes.add(codes_of<std::uint8_t>(part, *params));
  }
}

TEST_P(Pairs, ImagesCompareElementByElementWhateverTheLayoutOfTheKernels) {
  const QParams kSum{2, 30};
  const Model model = image_net(false), quantized = image_net(true);
  TapSpec spec;
  spec.pairs = {pair("y", "y_dq"), pair("y", "y_q", kSum, DType::uint8)};
  for (PairTap& tap : spec.pairs) {
    tap.channel_axis = 1;
    tap.channel_histograms = {1, 3};
  }
  const Batch images = batch(7, {{"x", random_integers({3, 2, 9, 10}, 5, -9, 9, DType::float32)}});
  const auto run = open(model, &quantized, spec);
  const Outputs outputs = run->step(images);
  const TapState state = run->take();
  EXPECT_TRUE(run->not_tapped().empty());
  const Rows y = rows_of(outputs.reference.at("y"));
  const Rows rounded = rows_of(outputs.quantized.at("y_dq"));
  ASSERT_EQ(state.pairs.size(), 2u);
  PairedStats floats;
  floats.reference = "y";
  floats.quantized = "y_dq";
  PairedStats codes = codes_gathered<std::uint8_t>(spec.pairs[1], images, y, y);
  for (std::size_t i = 0; i < y.size(); ++i) {
    floats.pairs.add(images.samples[i], y[i], rounded[i]);
    floats.reference_histogram.add(y[i]);
    floats.quantized_histogram.add(rounded[i]);
    add_image_channels(floats, y[i], rounded[i], nullptr);
    add_image_channels(codes, y[i], rounded[i], &kSum);
  }
  EXPECT_GT(floats.pairs.mse(), 0);
  EXPECT_EQ(state.pairs[0], floats);
  EXPECT_EQ(state.pairs[1], codes);
}

TEST_P(Pairs, WhoseChannelsAreNotThereAreLeftOut) {
  const Model model = exact_net();
  TapSpec spec;
  spec.pairs = {pair("y", "y"), pair("product", "product")};
  spec.pairs[0].channel_axis = 2;
  spec.pairs[1].channel_axis = 1;
  spec.pairs[1].channel_histograms = {3, kOut};
  const auto run = open(model, &model, spec);
  run->step(exact_data(0, 1));
  ASSERT_EQ(run->not_tapped().size(), 2u);
  EXPECT_THAT(run->not_tapped()[0].reason, testing::HasSubstr("[1,4], and not the channels along"));
  EXPECT_EQ(run->not_tapped()[1].value, "product");
  EXPECT_TRUE(run->take().pairs.empty());
}

TEST_P(Pairs, WhoseChannelsMakeNoSenseAreRefused) {
  const Model model = exact_net();
  TapSpec spec;
  spec.pairs = {pair("y", "y")};
  spec.pairs[0].channel_axis = 1;
  spec.pairs[0].channel_histograms = {1, 1};
  EXPECT_EQ(refusal([&] { open(model, &model, spec); }, {"'y'", "ascending"}), Errc::bad_input);
  spec.pairs[0].channel_axis.reset();
  EXPECT_EQ(refusal([&] { open(model, &model, spec); }, {"'y'", "axis"}), Errc::bad_input);
}

}  // namespace
}  // namespace quantlens::contract
