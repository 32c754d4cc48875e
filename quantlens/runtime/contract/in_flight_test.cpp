// SPDX-License-Identifier: Apache-2.0
// Several steps under way at once: feed gives what it gives with one.
#include <atomic>

#include <gmock/gmock.h>

#include "quantlens/runtime/contract/run_contract.h"
#include "quantlens/runtime/feed.h"

namespace quantlens::contract {
namespace {

using InFlight = RunContract;
INSTANTIATE_TEST_SUITE_P(Kinds, InFlight, testing::ValuesIn(run_kinds()), kind_name);

constexpr std::uint64_t kSamples = 50;

/// Random samples of [3,12,12], of which one cannot be read.
class Randoms final : public Dataset {
 public:
  std::uint64_t size() const override { return kSamples; }
  Sample read(std::uint64_t index) const override {
    if (index == 7) throw Error(Errc::bad_input, "broken");
    Sample sample;
    sample.inputs["x"] = random_floats({3, 12, 12}, static_cast<unsigned>(index));
    return sample;
  }
  std::string name(std::uint64_t index) const override { return std::to_string(index); }
  bool has_labels() const override { return false; }
};

Model net_of_scale(float scale, std::int64_t opset) {
  Net net(opset);
  net.input("x", {-1, 3, 12, 12});
  net.weight("w1", random_floats({8, 3, 3, 3}, 1));
  net.weight("w3", random_floats({8, 5}, 4));
  net.weight("scale", Tensor::scalar(scale));
  net.node("Conv", {"x", "w1"}, "conv", {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}});
  net.node("Relu", {"conv"}, "relu");
  net.node("Mul", {"relu", "scale"}, "scaled");
  net.node("GlobalAveragePool", {"scaled"}, "pooled");
  net.node("Flatten", {"pooled"}, "flat");
  net.node("MatMul", {"flat", "w3"}, "y");
  return net.output("y").model();
}

/// Taps of every sort.
TapSpec spec(bool with_pairs) {
  TapSpec spec = taps({"x", "conv", "flat", "y"});
  spec.taps[1].channel_axis = 1;
  spec.taps[1].channel_histograms = {0, 5};
  if (!with_pairs) return spec;
  spec.pairs = {pair("relu", "scaled"), pair("scaled", "scaled"), pair("y", "y"), pair("x", "x")};
  spec.pairs[0].channel_axis = 1;
  spec.pairs[0].channel_histograms = {2};
  return spec;
}

/// All that a feed gives.
struct Fed {
  std::string state;
  std::string outputs;  ///< in the order in which the sink saw them
  std::vector<NotTapped> not_tapped;
  bool operator==(const Fed&) const = default;
};

Fed fed(const RunKind& kind, const Model& reference, const Model* quantized, const TapSpec& spec,
        unsigned in_flight, std::uint64_t batch_size = 1) {
  const auto run =
      kind.open(reference, quantized, spec, {.threads = in_flight, .in_flight = in_flight});
  EXPECT_EQ(run->in_flight(), in_flight);
  const Randoms data;
  BatchReader reader(data, {.batch_size = batch_size, .threads = 2}, "x");
  NoProgress quiet;
  Fed fed;
  const FeedResult result =
      feed(*run, reader, quiet, "run", [&](const Batch& batch, const Outputs& outputs) {
        fed.outputs += std::to_string(batch.samples.front()) + bytes_of(outputs.reference) +
                       bytes_of(outputs.quantized);
      });
  EXPECT_EQ(result.samples, kSamples - 1);
  fed.state = to_bytes(run->take());
  fed.not_tapped = run->not_tapped();
  return fed;
}

TEST_P(InFlight, SeveralBatchesOfOneModelGiveTheBytesOfOne) {
  const Model model = net_of_scale(1, 13);
  const Fed one = fed(GetParam(), model, nullptr, spec(false), 1, 3);
  for (const unsigned in_flight : {2u, 3u, 8u}) {
    EXPECT_TRUE(fed(GetParam(), model, nullptr, spec(false), in_flight, 3) == one) << in_flight;
  }
}

TEST_P(InFlight, SeveralBatchesOfTwoModelsGiveTheBytesOfOne) {
  const Model model = net_of_scale(1, 13);
  for (const std::int64_t opset : {13, 14}) {  // unequal ones run apart
    const Model other = net_of_scale(1.01f, opset);
    const Fed one = fed(GetParam(), model, &other, spec(true), 1);
    for (const unsigned in_flight : {2u, 3u, 8u}) {
      EXPECT_TRUE(fed(GetParam(), model, &other, spec(true), in_flight) == one)
          << in_flight << " in flight, operator set " << opset;
    }
  }
}

TEST_P(InFlight, SeveralBatchesHaveTheLocalErrorsOfOne) {
  const Model model = net_of_scale(1, 13);
  const Model other = net_of_scale(1.01f, 13);
  TapSpec local;
  local.pairs = {pair("conv", "conv"), pair("scaled", "scaled"), pair("y", "y")};
  local.local = true;
  const Fed one = fed(GetParam(), model, &other, local, 1);
  EXPECT_TRUE(fed(GetParam(), model, &other, local, 3) == one);
}

/// Its "y" is the input, without the first channel where the largest number is beyond what most
/// samples have.
Model sometimes_cut() {
  Net net(13);
  net.input("x", {-1, 3, 12, 12});
  net.weight("bound", Tensor::scalar(0.998f));
  net.node("ReduceMax", {"x"}, "largest", {{"keepdims", std::int64_t{0}}});
  net.node("Greater", {"largest", "bound"}, "is_large");
  net.node("Cast", {"is_large"}, "none", {{"to", std::int64_t{7}}});
  net.weight("one_axis", Tensor::from<std::int64_t>({1}, {1}));
  net.weight("end", Tensor::from<std::int64_t>({1}, {3}));
  net.node("Reshape", {"none", "one_axis"}, "begin");
  net.node("Slice", {"x", "begin", "end", "one_axis"}, "y");
  return net.output("y").model();
}

TEST_P(InFlight, PairsThatALaterBatchDropsAreToldAsInTurn) {
  Net whole(13);
  whole.input("x", {-1, 3, 12, 12});
  whole.node("Identity", {"x"}, "same");
  const Model model = whole.output("same").model();
  const Model other = sometimes_cut();
  TapSpec pairs;
  pairs.pairs = {pair("x", "x"), pair("same", "y"), pair("x", "y")};
  const Fed one = fed(GetParam(), model, &other, pairs, 1);
  ASSERT_EQ(one.not_tapped.size(), 2u) << "no batch drops a pair";
  for (const unsigned in_flight : {2u, 8u}) {
    const Fed several = fed(GetParam(), model, &other, pairs, in_flight);
    EXPECT_EQ(several.not_tapped, one.not_tapped);
    EXPECT_TRUE(several == one) << in_flight;
  }
}

TEST_P(InFlight, TheFirstBatchIsDoneAloneAndMayBeTaken) {
  const Model model = net_of_scale(1, 13);
  const auto run = GetParam().open(model, nullptr, spec(false), {.threads = 4, .in_flight = 4});
  const Randoms data;
  BatchReader reader(data, {.batch_size = 2}, "x");
  NoProgress quiet;
  std::optional<TapState> first;
  feed(*run, reader, quiet, "run", [&](const Batch&, const Outputs&) {
    if (!first) first = run->take();
  });
  ASSERT_TRUE(first);
  EXPECT_EQ(first->samples.size(), 2u);
  TapState all = run->take();
  merge(all, *first);
  EXPECT_TRUE(to_bytes(all) == fed(GetParam(), model, nullptr, spec(false), 1).state);
}

TEST_P(InFlight, ABatchThatDoesNotFitEndsTheFeedWithItsOwnSentence) {
  const Model model = net_of_scale(1, 13);
  class Odd final : public Dataset {
   public:
    std::uint64_t size() const override { return 40; }
    Sample read(std::uint64_t index) const override {
      Sample sample;
      const std::int64_t width = index < 20 ? 12 : static_cast<std::int64_t>(index);
      sample.inputs["x"] = random_floats({3, 12, width}, 1);
      return sample;
    }
    std::string name(std::uint64_t) const override { return "odd"; }
    bool has_labels() const override { return false; }
  };
  const Odd data;
  for (const unsigned in_flight : {1u, 4u}) {
    const auto run =
        GetParam().open(model, nullptr, {}, {.threads = in_flight, .in_flight = in_flight});
    BatchReader reader(data, {.batch_size = 1}, "x");
    NoProgress quiet;
    EXPECT_EQ(refusal([&] { feed(*run, reader, quiet, "run"); }, {"[1,3,12,20]"}), Errc::bad_input);
  }
}

}  // namespace
}  // namespace quantlens::contract
