// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/verdict/verdict.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/diagnosis/testing/models.h"
#include "quantlens/diagnosis/testing/said.h"
#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/record/testing/op_refs.h"

namespace quantlens {
namespace {

using testing::HasSubstr;
using testing::Not;

Finding finding_at(const std::string& op, double share, double low, double high) {
  Finding finding;
  finding.rule = "rounding";
  finding.op = op_ref(op);
  finding.ops = {op_ref(op)};
  finding.reasons = {{.says = "too_few_bits", .figures = {}}};
  finding.severity = Severity::problem;
  finding.output_share = share;
  finding.output_share_interval = {{low, high}};
  finding.share_is_measured = true;
  return finding;
}

/// x -> a (Relu), b (Relu), sum (Add), root (Sqrt), y (Sigmoid)
class ToldVerdict {
 public:
  ToldVerdict() {
    net_.input("x").node(Kind::relu, {"x"}, "a").node(Kind::relu, {"x"}, "b");
    net_.node(Kind::add, {"a", "b"}, "sum").node(Kind::sqrt, {"sum"}, "root");
    net_.node(Kind::sigmoid, {"root"}, "y").output("y");
    diagnosis_.paired = 4;
    diagnosis_.local_samples = 8;
    for (const char* value : {"a", "b", "sum", "y"}) {
      ActivationRow& row = diagnosis_.activations.emplace_back();
      row.value = row.quantized = value;
      row.op = op_ref("node_" + row.value);
      row.sqnr_db = 15;
    }
  }
  /// A further output, without a row.
  void leave_out(const std::string& output) {
    net_.node(Kind::sigmoid, {"root"}, output).output(output);
    diagnosis_.outputs_not_compared.push_back(output);
  }
  ActivationRow& row(std::size_t i) { return diagnosis_.activations[i]; }
  void add_integer_output() { net_.output("class", DType::int64); }

  std::string verdict(const std::vector<Finding>& findings) const {
    const OwnModels models(net_.model(), SmallGraph().model());
    return said(quantlens::verdict(Evidence(models, diagnosis_), findings));
  }

 private:
  SmallGraph net_;
  Diagnosis diagnosis_;
};

TEST(Verdict, SaysWhichOutputsWereNotCompared) {
  ToldVerdict told;
  EXPECT_EQ(told.verdict({}), R"(loss(outputs: "all", sqnr: 15))");
  told.leave_out("z");
  EXPECT_EQ(told.verdict({}), R"(loss(outputs: "compared", sqnr: 15) )"
                              R"(outputs_left_out(of: 2, of_floats: 2, outputs: ["z"]))");
  told.add_integer_output();
  for (const char* name : {"b", "sum", "a"}) told.leave_out(name);
  EXPECT_THAT(told.verdict({}),
              HasSubstr(R"(of: 6, of_floats: 5, outputs: ["z", "b", "sum", "a"]))"))
      << "of integers no error is told";
}

TEST(Verdict, AShareOfOneOpBeginsThere) {
  EXPECT_THAT(ToldVerdict().verdict({finding_at("node_a", 0.65, 0.47, 0.83)}),
              HasSubstr(R"(share.begins(interval: [0.47, 0.83], measured: 0.65, op: "node_a") )"
                        "too_few_bits() end()"));
}

TEST(Verdict, AShareOfSeveralOpsIsSaidToBeTheirsTogether) {
  ToldVerdict told;
  told.row(0).output_share = 0.2;
  Finding joint = finding_at("node_a", 0.65, 0.47, 0.83);
  joint.ops = op_refs({"node_a", "node_sum", "node_y", "node_b"});
  EXPECT_THAT(told.verdict({joint}),
              HasSubstr(R"(share.begins(first_is: "greatest", interval: [0.47, 0.83], )"
                        R"(measured: 0.65, op: "node_a", ops: 4, )"
                        R"(types: {"relu": 2, "add": 1, "sigmoid": 1}))"));
  told.row(1).output_share = 0.4;
  EXPECT_THAT(told.verdict({joint}), HasSubstr(R"(share.begins(first_is: "one")"))
      << "more is estimated to begin at node_b";
}

TEST(Verdict, AShareOfOneValueIsMeasuredWithItsReadersInFloat) {
  Finding one = finding_at("node_a", 0.65, 0.47, 0.83);
  one.ops = op_refs({"node_a", "node_sum"});
  EXPECT_THAT(ToldVerdict().verdict({one}),
              HasSubstr(R"(measured: 0.65, op: "node_a", readers: 1))"));
  one.share_is_measured = false;
  EXPECT_THAT(ToldVerdict().verdict({one}),
              HasSubstr(R"(share.begins(estimated: 0.65, interval: [0.47, 0.83], op: "node_a"))"));
}

TEST(Verdict, NoShareBelowNothingIsSaidToBeGone) {
  const std::string none = ToldVerdict().verdict({finding_at("node_a", -1, -1, -0.42)});
  EXPECT_THAT(none, HasSubstr("share.in_float(interval: [-1, -0.42], measured: -1"));
  const std::string unclear = ToldVerdict().verdict({finding_at("node_a", -0.07, -0.59, 0.44)});
  EXPECT_THAT(unclear, HasSubstr("share.in_float(interval: [-0.59, 0.44], measured: -0.07"));
}

TEST(Verdict, AsMuchMayBeginAtTheGreatestOfAllFindingsBelow) {
  const std::vector<Finding> findings = {
      finding_at("node_a", 0.25, -0.05, 0.54), finding_at("node_b", 0.14, -0.53, 0.81),
      finding_at("node_sum", 0.34, -0.26, 0.93), finding_at("node_y", 0.32, -0.09, 0.72)};
  const std::string told = ToldVerdict().verdict(findings);
  EXPECT_THAT(told, HasSubstr("share.in_float(interval: [-0.05, 0.54], measured: 0.25"));
  EXPECT_THAT(told, HasSubstr(R"(as_much.in_float(measured: 0.34, op: "node_sum"))"));
  EXPECT_THAT(told, Not(HasSubstr("node_b")));
}

TEST(Verdict, AsMuchMayBeginAtWhatIsTiedThroughOthers) {
  std::vector<Finding> findings = {finding_at("node_a", 0.34, 0.07, 0.61),
                                   finding_at("node_b", 0.08, -0.25, 0.42),
                                   finding_at("node_sum", 0.13, -0.28, 0.54)};
  findings[1].tied_with_previous = findings[2].tied_with_previous = true;
  EXPECT_THAT(ToldVerdict().verdict(findings),
              HasSubstr(R"(as_much.begins(measured: 0.13, op: "node_sum"))"));
  findings[2].output_share_interval = {{-0.1, 0.3}};
  EXPECT_THAT(ToldVerdict().verdict(findings),
              HasSubstr(R"(as_much.begins(measured: 0.08, op: "node_b"))"));
  findings[1].tied_with_previous = false;
  EXPECT_THAT(ToldVerdict().verdict(findings), Not(HasSubstr("as_much")));
}

TEST(Verdict, WhereAnotherFindingTakesMuchAwayItIsNotSaidThatNoneDoes) {
  const Finding first = finding_at("node_a", 0.05, 0.03, 0.07);
  EXPECT_THAT(ToldVerdict().verdict({first}), HasSubstr("none_takes_much()"));
  EXPECT_THAT(ToldVerdict().verdict({first, finding_at("node_b", 0.34, -0.1, 0.8)}),
              Not(HasSubstr("none_takes_much()")));
}

}  // namespace
}  // namespace quantlens
