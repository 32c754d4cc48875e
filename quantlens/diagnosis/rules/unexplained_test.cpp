// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/diagnosis/rules/rules.h"
#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/diagnosis/testing/said.h"
#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/record/testing/op_refs.h"

namespace quantlens {
namespace {

/// What a rule says where the reference is x -> matmul y, and y has error that nothing known makes.
std::optional<Cause> asked_of_y(ValueRule rule, const Model& after, const Pairing& pairing,
                                std::optional<double> sqnr_db = {}) {
  SmallGraph reference;
  reference.input("x").weight("w", {2, 2}, {1, 2, 3, 4});
  reference.node(Kind::matmul, {"x", "w"}, "y").output("y");
  ActivationRow row;
  row.value = row.quantized = "y";
  row.op = op_ref("node_y");
  row.local_mse = row.other_mse = 1;
  row.local_sqnr_db = sqnr_db;
  row.rounding_mse = row.clipping_mse = row.weight_mse = row.input_mse = 0;
  const Model before = reference.model();
  const Diagnosis diagnosis;
  return rule(Evidence(OwnModels(before, after, pairing), diagnosis), row);
}

std::optional<Cause> cause_of_y(const Model& quantized, const Pairing& pairing,
                                std::optional<double> sqnr_db = {}) {
  return asked_of_y(unexplained, quantized, pairing, sqnr_db);
}

/// The quantized model's y reads codes of a product in front of it.
std::optional<Cause> cause_where(const Pairing& pairing, std::optional<double> sqnr_db = {}) {
  SmallGraph quantized;
  quantized.input("x").weight("w", {2, 2}, {1, 2, 3, 4}).weight("f", {2}, {1, 8});
  quantized.weight("s", {}, {0.5F}).node(Kind::mul, {"x", "f"}, "m");
  quantized.node(Kind::quantize, {"m", "s"}, "m_q").node(Kind::dequantize, {"m_q", "s"}, "d");
  quantized.node(Kind::matmul, {"d", "w"}, "y").output("y");
  return cause_of_y(quantized.model(), pairing, sqnr_db);
}

TEST(Unexplained, IsErrorThatNothingComparedMakes) {
  EXPECT_TRUE(cause_where({}));
}

TEST(Unexplained, NothingIsSaidOfAnOpThatReadsCodesOfNothing) {
  Pairing pairing;
  pairing.only_quantized = {"m_q"};
  EXPECT_FALSE(cause_where(pairing)) << "what rounding its input makes is not known";
  pairing.only_quantized = {"elsewhere"};
  EXPECT_TRUE(cause_where(pairing));
}

TEST(Unexplained, MoreErrorThanCodesOfNothingSeldomMakeIs) {
  Pairing pairing;
  pairing.only_quantized = {"m_q"};
  EXPECT_FALSE(cause_where(pairing, 25)) << "a wide value of 8 bits";
  const auto cause = cause_where(pairing, 12);
  ASSERT_TRUE(cause);
  EXPECT_EQ(said(cause->reasons), "unexplained.uncompared_codes(own_sqnr: 12)");
}

/// The codes that it reads have a scale for each input, though the value itself is compared.
TEST(Unexplained, NothingIsSaidOfAnOpThatReadsCodesScaledAnew) {
  SmallGraph quantized;
  quantized.input("x").weight("w", {2, 2}, {1, 2, 3, 4});
  quantized.node(Kind::dynamic_quantize, {"x"}, "x_q");
  quantized.node(Kind::matmul_integer, {"x_q", "w"}, "sums").node(Kind::cast, {"sums"}, "y");
  quantized.output("y");
  Pairing pairing;
  pairing.pairs.push_back({.op = op_ref("x"), .reference = "x", .quantized = "x"});
  EXPECT_FALSE(cause_of_y(quantized.model(), pairing));
}

TEST(Unexplained, ADifferenceThatIsToldIsKnown) {
  Pairing pairing;
  pairing.changes.push_back(
      {.rule = ChangeRule::changed_op, .op = op_ref("node_y"), .ops = op_refs({"node_y"})});
  const Cause told = cause_where(pairing).value();
  EXPECT_EQ(told.reasons.at(0).says, "unexplained.known_change");
  pairing.changes[0].op = op_ref("elsewhere");
  EXPECT_NE(cause_where(pairing).value().reasons, told.reasons);
}

void as_lstm(Node& node, bool has_codes) {
  node.type = has_codes ? "DynamicQuantizeLSTM" : "LSTM";
  node.roles = roles::Recurrence{.cell = roles::Cell::lstm, .has_codes = has_codes};
}

/// An integer LSTM takes floats and gives floats, an embedding in blocks gives floats.
TEST(Unexplained, NothingIsSaidOfAnOpWithCodesInside) {
  for (const bool is_lstm : {false, true}) {
    SmallGraph quantized;
    quantized.input("x").weight("w", {2, 2}, {1, 2, 3, 4});
    quantized.node(is_lstm ? Kind::recurrent : Kind::gather_blocks, {"x", "w", "w"}, "y");
    quantized.output("y");
    Model model = quantized.model();
    if (is_lstm) as_lstm(model.graph.nodes.back(), true);
    EXPECT_FALSE(cause_of_y(model, {}));
    const Cause cause = asked_of_y(rounding, model, {}).value();
    EXPECT_EQ(cause.ops, op_refs({"node_y"}));
    EXPECT_EQ(cause.reasons.at(0).says, "rounding.codes_inside");
    if (is_lstm) as_lstm(model.graph.nodes.back(), false);
    EXPECT_EQ(cause_of_y(model, {}).has_value(), is_lstm) << "one in float has none";
  }
}

TEST(Unexplained, CodesOfNothingBehindComparedOnesAreOthersTrouble) {
  Pairing pairing;
  pairing.only_quantized = {"m_q"};
  pairing.pairs.push_back({.op = op_ref("x"), .reference = "x", .quantized = "d"});
  EXPECT_TRUE(cause_where(pairing));
}

}  // namespace
}  // namespace quantlens
