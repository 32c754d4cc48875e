// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/record/testing/op_refs.h"

namespace quantlens {
namespace {

/// A row of 0 to 25.5 whose error is that of rounding alone.
ActivationRow row_at(const std::string& value) {
  ActivationRow row;
  row.value = value;
  row.op = op_ref("node_" + value);
  row.quantized = value + "_q";
  row.scale = 0.1;
  row.max = row.quantized_max = row.data_range = 25.5;
  row.elements = 1000;
  row.local_mse = row.rounding_mse = 1;
  row.clipping_mse = row.weight_mse = row.input_mse = row.other_mse = 0;
  row.output_share = 0.5;
  return row;
}

/// Nine values of Relus in a row, whose codes all reach 1.2 times as far as the values; and one
/// whose codes reach `times` as far.
std::optional<Cause> wasted_of(double times, double others = 1.2, double noise = 0) {
  SmallGraph net;
  Pairing pairing;
  Diagnosis diagnosis;
  net.input("v0");
  for (int i = 1; i < 10; ++i) {
    const std::string value = "v" + std::to_string(i);
    net.node(Kind::relu, {"v" + std::to_string(i - 1)}, value);
    ActivationRow row = row_at(value);
    const double reach = i == 9 ? times : others * (1 + noise * (i % 3));
    row.scale = reach * row.max / 255;
    pairing.pairs.push_back(
        {.op = op_ref("node_" + value), .reference = value, .quantized = row.quantized});
    pairing.pairs.back().scheme = {.dtype = DType::uint8, .symmetric = false, .axis = {}};
    pairing.pairs.back().params = QParams{static_cast<float>(*row.scale), 0};
    diagnosis.activations.push_back(row);
  }
  net.output("v9");
  const Model model = net.model();
  const OwnModels models(model, model, pairing);
  const Evidence evidence(models, diagnosis);
  return wasted_range(evidence, diagnosis.activations.back());
}

TEST(Ranges, ARangeIsWastedThatIsOutOfLineWithTheFilesOthers) {
  EXPECT_FALSE(wasted_of(1.3)) << "as all others";
  EXPECT_FALSE(wasted_of(1.6)) << "nearer to once than to twice what the others have";
  const auto doubled = wasted_of(2.4);
  ASSERT_TRUE(doubled) << "fewer than three times, but twice what the others have";
  const Statement& told = doubled->reasons.at(0);
  EXPECT_EQ(told.says, "wasted_range.out_of_line");
  EXPECT_NEAR(told.figures.at("reach").value.as_double(), 2.4, 1e-6);
  EXPECT_NEAR(told.figures.at("usual_reach").value.as_double(), 1.2, 1e-6);
  EXPECT_FALSE(wasted_of(2.4, 1.2, 0.5)) << "the maker leaves 1.2 to 2.4";
  EXPECT_FALSE(wasted_of(0.9, 0.4)) << "codes that clip waste nothing";
  EXPECT_TRUE(wasted_of(3.5, 3.5)) << "three times as far is wasted whatever the others have";
}

TEST(Ranges, WhatClippingTakesIsMeasuredWithTheReadersInFloat) {
  SmallGraph net;
  net.input("x").weight("w", {1, 1, 1, 1}, {2});
  net.node(Kind::conv, {"x", "w"}, "y").node(Kind::conv, {"y", "w"}, "z").output("z");
  const Model model = net.model();
  const Pairing pairing;
  const Diagnosis diagnosis;
  const OwnModels models(model, model, pairing);
  const Evidence evidence(models, diagnosis);
  ActivationRow row = row_at("y");
  row.rounding_mse = 0;
  row.clipping_mse = 1;
  const auto cause = clipped_range(evidence, row);
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->ops, op_refs({"node_y"}));
  EXPECT_EQ(cause->measured, op_refs({"node_y", "node_z"}));
}

/// y = conv(split(relu(x))): codes of the Relu do their harm at the Conv.
class SplitNet {
 public:
  SplitNet() {
    net_.input("x").weight("w", {1, 1, 1, 1}, {2}).node(Kind::relu, {"x"}, "r");
    net_.node(Kind::split, {"r"}, "s").node(Kind::conv, {"s", "w"}, "y").output("y");
    for (const char* value : {"r", "s"}) {
      ValuePair& pair = pairing_.pairs.emplace_back();
      pair.reference = value;
      pair.op = op_ref("node_" + pair.reference);
      pair.quantized = row_at(value).quantized;
      pair.scheme = Scheme{.dtype = DType::uint8};
      pair.params = QParams{1, 0};
    }
  }
  void rescale(const char* value) {
    std::ranges::find(pairing_.pairs, value, &ValuePair::reference)->params = QParams{0.9F, 0};
  }
  /// Valid until the next one is asked for.
  Evidence evidence() const {
    models_ = std::make_unique<OwnModels>(net_.model(), net_.model(), pairing_);
    return {*models_, diagnosis_};
  }

 private:
  SmallGraph net_;
  Pairing pairing_;
  Diagnosis diagnosis_;
  mutable std::unique_ptr<const OwnModels> models_;
};

TEST(Ranges, ReadersBehindASplitAreMeasuredWithIt) {
  const SplitNet net;
  EXPECT_EQ(net.evidence().ops_at(row_at("r")), op_refs({"node_r", "node_y"}));
}

TEST(Ranges, AScaleThatASplitPassesOnIsNotWastedThere) {
  SplitNet net;
  ActivationRow row = row_at("s");
  row.scale = 1;
  EXPECT_FALSE(wasted_range(net.evidence(), row));
  EXPECT_TRUE(wasted_range(net.evidence(),
                           [] {
                             ActivationRow source = row_at("r");
                             source.scale = 1;
                             return source;
                           }()))
      << "it is chosen there";
  net.rescale("s");
  EXPECT_TRUE(wasted_range(net.evidence(), row)) << "it has one of its own";
}

TEST(Ranges, BeforeALogarithmNoRangeMendsWhatStepsDo) {
  SmallGraph net;
  net.input("x").weight("w", {1, 1, 1, 1}, {2});
  net.node(Kind::conv, {"x", "w"}, "y").node(Kind::log, {"y"}, "z").output("z");
  const Model model = net.model();
  const Pairing pairing;
  const Diagnosis diagnosis;
  const OwnModels models(model, model, pairing);
  const Evidence evidence(models, diagnosis);
  ActivationRow row = row_at("y");
  row.scale = 1;
  EXPECT_FALSE(wasted_range(evidence, row));
  EXPECT_TRUE(steep_reader(evidence, row));
}

TEST(Ranges, WastedRangeIsWhereCodesReachMuchFarther) {
  SmallGraph net;
  net.input("x").node(Kind::relu, {"x"}, "y").output("y");
  const Model model = net.model();
  const Pairing pairing;
  const Diagnosis diagnosis;
  const OwnModels models(model, model, pairing);
  const Evidence evidence(models, diagnosis);
  ActivationRow row = row_at("y");
  EXPECT_FALSE(wasted_range(evidence, row));
  row.scale = 1;
  const auto cause = wasted_range(evidence, row);
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->reasons.at(0).says, "wasted_range");
  EXPECT_NEAR(cause->reasons[0].figures.at("used_steps").value.as_double(), 25.5, 1e-6);
  EXPECT_EQ(cause->reasons[0].figures.at("steps"), figure::count(255));
  EXPECT_NEAR(cause->least_mended, 0.99, 0.001) << "ten times finer steps";
}

}  // namespace
}  // namespace quantlens
