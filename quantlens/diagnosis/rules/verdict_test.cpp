// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/rules/verdict.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/diagnosis/testing.h"
#include "quantlens/graph/small_graph.h"

namespace quantlens {
namespace {

using testing::HasSubstr;
using testing::Not;

Finding finding_at(const std::string& op, double share, double low, double high) {
  Finding finding;
  finding.rule = "rounding";
  finding.op = op;
  finding.ops = {op};
  finding.because = "8 bits are too few";
  finding.severity = "problem";
  finding.output_share = share;
  finding.output_share_interval = {{low, high}};
  finding.share_is_measured = true;
  return finding;
}

/// x -> a (Relu), b (Relu), sum (Add), root (Sqrt), y (Sigmoid)
class Told {
 public:
  Told() {
    net_.input("x").node(Kind::relu, {"x"}, "a").node(Kind::relu, {"x"}, "b");
    net_.node(Kind::add, {"a", "b"}, "sum").node(Kind::sqrt, {"sum"}, "root");
    net_.node(Kind::sigmoid, {"root"}, "y").output("y");
    diagnosis_.paired = 4;
    diagnosis_.local_samples = 8;
    for (const char* value : {"a", "b", "sum", "y"}) {
      ActivationRow& row = diagnosis_.activations.emplace_back();
      row.op = row.value = row.quantized = value;
      row.name = "node_" + row.op;
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
    return quantlens::verdict(Evidence(models, diagnosis_), findings);
  }

 private:
  SmallGraph net_;
  Diagnosis diagnosis_;
};

TEST(Verdict, SaysWhichOutputsWereNotCompared) {
  Told told;
  EXPECT_THAT(told.verdict({}), HasSubstr("The outputs keep 15.0 dB of SQNR: some of"));
  EXPECT_THAT(told.verdict({}), Not(HasSubstr("not compared")));
  told.leave_out("z");
  EXPECT_THAT(told.verdict({}), HasSubstr("The compared outputs keep 15.0 dB of SQNR: some of"));
  EXPECT_THAT(told.verdict({}), HasSubstr("lost. 1 of 2 outputs was not compared: z."));
  told.add_integer_output();
  for (const char* name : {"b", "sum", "a"}) told.leave_out(name);
  EXPECT_THAT(told.verdict({}),
              HasSubstr(" 4 of 5 outputs of floats were not compared: z, b, sum, …."))
      << "of integers no error is told";
}

TEST(Verdict, AShareOfOneOpBeginsThere) {
  EXPECT_THAT(Told().verdict({finding_at("node_a", 0.65, 0.47, 0.83)}),
              HasSubstr("65 % (47 to 83, measured) of the error begins at node_a: 8 bits"));
}

TEST(Verdict, AShareOfSeveralOpsIsSaidToBeTheirsTogether) {
  Told told;
  told.row(0).output_share = 0.2;
  Finding joint = finding_at("node_a", 0.65, 0.47, 0.83);
  joint.ops = {"node_a", "node_sum", "node_y", "node_b"};
  EXPECT_THAT(told.verdict({joint}),
              HasSubstr("begins at 4 ops together (2 relu, 1 add, 1 sigmoid). Most of it, by "
                        "estimate, at node_a: 8 bits"));
  told.row(1).output_share = 0.4;
  EXPECT_THAT(told.verdict({joint}), HasSubstr("1 sigmoid), among them node_a: 8 bits"))
      << "more is estimated to begin at node_b";
}

TEST(Verdict, AShareOfOneValueIsMeasuredWithItsReadersInFloat) {
  Finding one = finding_at("node_a", 0.65, 0.47, 0.83);
  one.ops = {"node_a", "node_sum"};
  EXPECT_THAT(Told().verdict({one}),
              HasSubstr("of the error begins at node_a and the op that reads it: 8 bits"));
  one.share_is_measured = false;
  EXPECT_THAT(Told().verdict({one}), HasSubstr("estimated) of the error begins at node_a: 8 bits"));
}

TEST(Verdict, NoShareBelowNothingIsSaidToBeGone) {
  const std::string none = Told().verdict({finding_at("node_a", -1, -1, -0.42)});
  EXPECT_THAT(none, HasSubstr("None of the error is gone with node_a in float (-100 to -42 %"));
  const std::string unclear = Told().verdict({finding_at("node_a", -0.07, -0.59, 0.44)});
  EXPECT_THAT(unclear, HasSubstr("With node_a in float no gain can be told (-59 to 44 %"));
  for (const std::string& told : {none, unclear}) {
    EXPECT_THAT(told, Not(HasSubstr("would be gone")));
    EXPECT_THAT(told, Not(HasSubstr("begins at")));
  }
}

TEST(Verdict, AsMuchMayBeginAtTheGreatestOfAllFindingsBelow) {
  const std::vector<Finding> findings = {
      finding_at("node_a", 0.25, -0.05, 0.54), finding_at("node_b", 0.14, -0.53, 0.81),
      finding_at("node_sum", 0.34, -0.26, 0.93), finding_at("node_y", 0.32, -0.09, 0.72)};
  const std::string told = Told().verdict(findings);
  EXPECT_THAT(told, HasSubstr("25 % (-5 to 54, measured) of the error would be gone with node_a"));
  EXPECT_THAT(told, HasSubstr("As much may be gone with node_sum in float, 34 %"));
  EXPECT_THAT(told, Not(HasSubstr("node_b")));
}

TEST(Verdict, AsMuchMayBeginAtWhatIsTiedThroughOthers) {
  std::vector<Finding> findings = {finding_at("node_a", 0.34, 0.07, 0.61),
                                   finding_at("node_b", 0.08, -0.25, 0.42),
                                   finding_at("node_sum", 0.13, -0.28, 0.54)};
  findings[1].tied_with_previous = findings[2].tied_with_previous = true;
  EXPECT_THAT(Told().verdict(findings), HasSubstr("As much may begin at node_sum, 13 %"));
  findings[2].output_share_interval = {{-0.1, 0.3}};
  EXPECT_THAT(Told().verdict(findings), HasSubstr("As much may begin at node_b, 8 %"));
  findings[1].tied_with_previous = false;
  EXPECT_THAT(Told().verdict(findings), Not(HasSubstr("As much")));
}

TEST(Verdict, WhereAnotherFindingTakesMuchAwayItIsNotSaidThatNoneDoes) {
  const Finding first = finding_at("node_a", 0.05, 0.03, 0.07);
  EXPECT_THAT(Told().verdict({first}), HasSubstr("No op that was tried alone takes much of it"));
  EXPECT_THAT(Told().verdict({first, finding_at("node_b", 0.34, -0.1, 0.8)}),
              Not(HasSubstr("No op that was tried alone")));
}

}  // namespace
}  // namespace quantlens
