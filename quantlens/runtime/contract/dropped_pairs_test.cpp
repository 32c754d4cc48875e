// SPDX-License-Identifier: Apache-2.0
// Pairs whose two sides turn out not to be comparable only when they are run.
#include <gmock/gmock.h>

#include "quantlens/runtime/contract/run_contract.h"

namespace quantlens::contract {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using DroppedPairs = RunContract;
INSTANTIATE_TEST_SUITE_P(Kinds, DroppedPairs, testing::ValuesIn(run_kinds()), kind_name);

constexpr std::int64_t kWidth = 4;

/// Relu of x is "y", and its negative "z".
Model whole_net() {
  Net net;
  net.input("x", {-1, kWidth});
  net.node("Relu", {"x"}, "y");
  net.node("Neg", {"y"}, "z");
  return net.output("z").model();
}

/// Likewise, but of more than two samples "y" has the first two only. Models of unequal operator
/// sets are run one after the other.
Model cut_net(std::int64_t opset) {
  const auto ints = [](std::int64_t value) { return Tensor::from<std::int64_t>({1}, {value}); };
  Net net(opset);
  net.input("x", {-1, kWidth});
  net.weight("begin", ints(0));
  net.weight("end", ints(2));
  net.node("Relu", {"x"}, "relu");
  net.node("Slice", {"relu", "begin", "end", "begin"}, "y");
  net.node("Neg", {"relu"}, "z");
  return net.output("z").output("y").model();
}

TapSpec tap_pairs(std::initializer_list<PairTap> pairs) {
  TapSpec spec;
  spec.pairs = pairs;
  return spec;
}

Batch data(std::uint64_t first, std::int64_t count) {
  return batch(first, {{"x", random_floats({count, kWidth}, static_cast<unsigned>(first) + 1)}});
}

void step_both(quantlens::Run& a, quantlens::Run& b, const Batch& batch) {
  a.step(batch);
  b.step(batch);
}

NotTapped cut(const std::string& reference) {
  return {.value = reference,
          .quantized = "y",
          .reason = "when run, '" + reference +
                    "' of the reference has shape [3,4] and 'y' of the quantized model [2,4]"};
}

TEST_P(DroppedPairs, AreListedAndLeftOutFromTheFirstStepThatShowsIt) {
  const Model model = whole_net();
  for (const std::int64_t opset : {13, 14}) {
    const Model quantized = cut_net(opset);
    const auto run = open(model, &quantized, tap_pairs({pair("y", "y"), pair("z", "z")}));
    const auto wanted = open(model, &quantized, tap_pairs({pair("z", "z")}));
    EXPECT_THAT(run->not_tapped(), IsEmpty());
    const Outputs outputs = run->step(data(0, 3));
    EXPECT_EQ(outputs.quantized.at("y").shape(), (Shape{2, kWidth}));
    EXPECT_EQ(bytes_of(outputs.reference), bytes_of(wanted->step(data(0, 3)).reference));
    EXPECT_THAT(run->not_tapped(), ElementsAre(cut("y")));
    step_both(*run, *wanted, data(3, 2));
    EXPECT_THAT(run->not_tapped(), ElementsAre(cut("y"))) << "though here it would fit";
    EXPECT_EQ(to_bytes(run->take()), to_bytes(wanted->take()));
  }
}

TEST_P(DroppedPairs, LoseWhatTheyGatheredAndStatesTakenBeforeStillMerge) {
  const Model model = whole_net();
  for (const std::int64_t opset : {13, 14}) {
    const Model quantized = cut_net(opset);
    const TapSpec spec = tap_pairs({pair("z", "z"), pair("y", "y")});
    const auto run = open(model, &quantized, spec);
    const auto wanted = open(model, &quantized, tap_pairs({pair("z", "z")}));
    step_both(*run, *wanted, data(0, 2));
    EXPECT_THAT(run->not_tapped(), IsEmpty());
    TapState first = run->take();
    ASSERT_EQ(first.pairs.size(), 2u);
    EXPECT_EQ(first.pairs[0].pairs.count(), 2u * kWidth);

    step_both(*run, *wanted, data(2, 2));
    EXPECT_THAT(run->not_tapped(), IsEmpty());
    step_both(*run, *wanted, data(4, 3));
    EXPECT_THAT(run->not_tapped(), ElementsAre(cut("y")));
    TapState state = run->take();
    ASSERT_EQ(state.pairs.size(), 1u);
    EXPECT_EQ(refusal([&] { merge(state, first); }), Errc::bad_input);
    leave_out(run->not_tapped(), first);
    merge(state, first);
    EXPECT_EQ(to_bytes(state), to_bytes(wanted->take()));

    step_both(*run, *wanted, data(0, 2));
    EXPECT_THAT(run->not_tapped(), ElementsAre(cut("y")));
    EXPECT_EQ(to_bytes(run->take()), to_bytes(wanted->take())) << "a dropped pair does not return";
  }
}

TEST_P(DroppedPairs, OfOneStepAreListedInTheOrderOfTheSpec) {
  const Model model = whole_net();
  for (const std::int64_t opset : {13, 14}) {
    for (const unsigned threads : {1u, 3u}) {
      const Model quantized = cut_net(opset);
      TapSpec spec = tap_pairs(
          {pair("z", "y"), pair("y", "relu"), pair("y", "y"), pair("z", "z"), pair("x", "y")});
      spec.taps = {tap("z"), tap("y")};
      const auto run = open(model, &quantized, spec, threads);
      run->step(data(0, 2));
      run->step(data(2, 3));
      EXPECT_THAT(run->not_tapped(), ElementsAre(cut("z"), cut("y"), cut("x")));
      const TapState state = run->take();
      ASSERT_EQ(state.values.size(), 2u);
      EXPECT_EQ(state.values[0].moments.count(), 5u * kWidth);
      ASSERT_EQ(state.pairs.size(), 2u);
      EXPECT_EQ(state.pairs[0].quantized, "relu");
      EXPECT_EQ(state.pairs[0].pairs.count(), 5u * kWidth);
    }
  }
}

TEST_P(DroppedPairs, AreThoseWhoseTypesDoNotMatchTheTap) {
  const QParams params{0.5f, 100};
  Net net;
  net.input("x", {-1, kWidth});
  net.quantize("x", params, DType::uint8);
  net.node("Relu", {"x_dq"}, "y");
  const Model quantized = net.output("y").model();
  const Model model = whole_net();
  const auto run = open(model, &quantized,
                        tap_pairs({pair("x", "x_q"), pair("x", "x_dq", params, DType::int8),
                                   pair("y", "x_q", params, DType::int8), pair("y", "y")}));
  run->step(data(0, 2));
  const std::string begin = "when run, '";
  EXPECT_THAT(run->not_tapped(),
              ElementsAre(NotTapped{"x", "x_q",
                                    begin + "x' of the reference is float32 and 'x_q' of the "
                                            "quantized model uint8, not a float"},
                          NotTapped{"x", "x_dq",
                                    begin + "x' of the reference is float32 and 'x_dq' of the "
                                            "quantized model float32, not int8"},
                          NotTapped{"y", "x_q",
                                    begin + "y' of the reference is float32 and 'x_q' of the "
                                            "quantized model uint8, not int8"}));
  EXPECT_EQ(run->take().pairs.size(), 1u);
}

Model image_net(std::int64_t pad, std::int64_t opset) {
  Net net(opset);
  net.input("x", {-1, 2, 9, 10});
  net.weight("w", random_integers({4, 2, 3, 3}, 3, -3, 3, DType::float32));
  net.node("Conv", {"x", "w"}, "y", {{"pads", std::vector<std::int64_t>{pad, 0, 0, 0}}});
  return net.output("y").model();
}

TEST_P(DroppedPairs, ThatAreImagesAreNamedByTheirOwnShapes) {
  const Model model = image_net(0, 13);
  for (const std::int64_t opset : {13, 14}) {
    const Model quantized = image_net(1, opset);
    const auto run = open(model, &quantized, tap_pairs({pair("y", "y")}));
    run->step(batch(0, {{"x", random_integers({3, 2, 9, 10}, 5, -9, 9, DType::float32)}}));
    ASSERT_EQ(run->not_tapped().size(), 1u);
    EXPECT_EQ(run->not_tapped()[0].reason,
              "when run, 'y' of the reference has shape [3,4,7,8] and 'y' of the quantized model "
              "[3,4,8,8]");
    EXPECT_THAT(run->take().pairs, IsEmpty());
  }
}

}  // namespace
}  // namespace quantlens::contract
