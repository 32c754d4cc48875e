// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/node_figures.h"

#include <limits>

#include <gtest/gtest.h>

#include "quantlens/report/testing/reported_run.h"

namespace quantlens {
namespace {

using NotesMade = std::vector<std::pair<std::string, std::string>>;

/// The run's one op is "y" in the reference and "y_q" in the quantized model.
Pairing pairing_of_y() {
  Pairing pairing;
  ValuePair& pair = pairing.pairs.emplace_back();
  pair.op = op_ref("node_y");
  pair.reference = "y";
  pair.quantized = "y_q";
  pair.precision = Precision::int8;
  return pairing;
}

RunRecords run_of_y() {
  RunRecords records = reported_run();
  records.diagnosis->activations[0].quantized = "y_q";
  return records;
}

TEST(NodeFigures, AreOfTheNodeThatMakesTheValueInEitherModel) {
  const Pairing pairing = pairing_of_y();
  const auto reference = node_figures({run_of_y(), &pairing}, ModelRole::reference);
  ASSERT_EQ(reference.size(), 1U);
  EXPECT_EQ(reference[0].output, "y");
  EXPECT_EQ(reference[0].sqnr_db, 5);
  EXPECT_EQ(reference[0].precision, "int8");
  EXPECT_EQ(findings_of_node(reference[0]), "problem spread_weight");
  const auto quantized = node_figures({run_of_y(), &pairing}, ModelRole::quantized);
  ASSERT_EQ(quantized.size(), 1U);
  EXPECT_EQ(quantized[0].output, "y_q");
  EXPECT_EQ(quantized[0].sqnr_db, 5);
}

TEST(NodeFigures, OfTheQuantizedModelAreAtTheNodeOfTheOpsName) {
  const Pairing pairing = pairing_of_y();
  RunRecords records = run_of_y();
  const std::string name = records.diagnosis->activations[0].op.name;
  GraphOutline quantized{.ops = {{.op = "conv_out", .name = name, .outputs = {"conv_out"}},
                                 {.op = "y_q", .name = "q", .outputs = {"y_q"}}}};
  const auto figures = node_figures({records, &pairing, &quantized}, ModelRole::quantized);
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures[0].output, "conv_out");
  quantized.ops.push_back({.op = "other", .name = name, .outputs = {"other"}});
  EXPECT_EQ(node_figures({records, &pairing, &quantized}, ModelRole::quantized)[0].output, "y_q")
      << "two nodes have its name";
}

TEST(NodeFigures, OfAnOpWithSeveralRowsAreItsFirstAndWorst) {
  RunRecords records = run_of_y();
  ActivationRow second = records.diagnosis->activations[0];
  second.sqnr_db = 30;
  records.diagnosis->activations.push_back(second);
  const auto figures = node_figures({records}, ModelRole::reference);
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures[0].sqnr_db, 5);
}

TEST(NodeFigures, OfAnOpThatTheQuantizedModelDoesNotHaveAreNone) {
  RunRecords records = run_of_y();
  records.diagnosis->activations.clear();
  EXPECT_TRUE(node_figures({records}, ModelRole::quantized).empty());
}

TEST(NodeFigures, HaveTimesOfEachModelsOwn) {
  RunRecords records;
  OpTime& time = records.profile.emplace().ops.emplace_back();
  time.ops = {op_ref("node_y"), op_ref("node_z")};
  time.reference_us = 7;
  time.quantized_us = 3;
  const Pairing pairing = pairing_of_y();
  EXPECT_EQ(node_figures({records, &pairing}, ModelRole::reference)[0].microseconds, 7);
  EXPECT_EQ(node_figures({records, &pairing}, ModelRole::quantized)[0].microseconds, 3);
}

TEST(NotesOfFigures, AreThoseThatAreKnownWithEveryDigit) {
  NodeFigures node;
  EXPECT_TRUE(notes_of_figures(node).empty());
  node.sqnr_db = std::numeric_limits<double>::infinity();
  node.scale = 0.1;
  node.zero_point = -3;
  node.findings = {{Severity::warning, "a"}, {Severity::note, "b"}};
  EXPECT_EQ(notes_of_figures(node), (NotesMade{{"quantlens.sqnr_db", "inf"},
                                               {"quantlens.scale", "0.1"},
                                               {"quantlens.zero_point", "-3"},
                                               {"quantlens.findings", "warning a, note b"}}));
}

}  // namespace
}  // namespace quantlens
