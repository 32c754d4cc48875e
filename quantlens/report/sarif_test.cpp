// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/sarif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/report/testing/reported_run.h"

namespace quantlens {
namespace {

using testing::HasSubstr;

json::Value sarif_of(const RunRecords& records, const ReportGates& gates = {}) {
  return json::parse(sarif_json(records, gate_results(records, gates)), "the report");
}

const json::Value& first_run(const json::Value& log) {
  return log.at("runs").as_array().at(0);
}

const boost::json::array& results_of(const json::Value& log) {
  return first_run(log).at("results").as_array();
}

json::Value uri_for(const std::string& path) {
  RunRecords records = reported_run();
  records.run.models[0].path = path;
  return results_of(sarif_of(records))
      .at(0)
      .at("locations")
      .as_array()
      .at(0)
      .at("physicalLocation")
      .at("artifactLocation")
      .at("uri");
}

TEST(SarifJson, OfARunWithAMissedGate) {
  const std::string below = "1 of 1 activation is below 20 dB, the worst node_y with 5.0 dB.";
  const std::string expected = R"json({
    "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
    "version": "2.1.0",
    "runs": [{
      "tool": {"driver": {"name": "quantlens", "version": "0.1.0", "rules": [
        {"id": "gate/sqnr", "shortDescription": {"text":
          "An activation keeps too little SQNR, or an output was not compared."}},
        {"id": "spread_weight", "shortDescription": {"text":
          "A weight has one scale for channels of very different widths."}}]}},
      "invocations": [{"executionSuccessful": true}],
      "results": [
        {"ruleId": "gate/sqnr", "ruleIndex": 0, "level": "error",
         "message": {"text": "SQNR >= 20 dB is missed: )json" +
                               below + R"json( Much is lost."},
         "locations": [{"physicalLocation":
           {"artifactLocation": {"uri": "net.onnx"}, "region": {"startLine": 1}}}],
         "partialFingerprints": {"primaryLocationLineHash":
           "3bedebbd8e6edf8b90310f0ab59e863c9b024aa862130ab9d8378a7f12671588:1"}},
        {"ruleId": "spread_weight", "ruleIndex": 1, "level": "error",
         "message": {"text":
           "node_y: its weight has one scale; 90 % of the error (80 to 100, estimated)"},
         "locations": [{
           "physicalLocation":
             {"artifactLocation": {"uri": "net.onnx"}, "region": {"startLine": 1}},
           "logicalLocations":
             [{"name": "node_y", "fullyQualifiedName": "y", "kind": "function"}]}],
         "partialFingerprints": {"primaryLocationLineHash":
           "f5300a0bde5d43542cdf576934cfc920ead860a4bbbe850c97eda4a352540998:1"},
         "properties": {"severity": "problem", "remedy": {"op_name_dict": {"node_y": "fp32"}}}}],
      "properties": {"workload": "one", "verdict": "Much is lost."}}]})json";
  EXPECT_EQ(sarif_of(reported_run(), {.least_db = 20, .most_loss = 0.5}),
            json::parse(expected, "what is expected"));
}

TEST(SarifJson, HasTheLevelsThatTheGatesLeave) {
  RunRecords records = reported_run();
  EXPECT_EQ(results_of(sarif_of(records)).at(0).at("level"), "error");
  EXPECT_EQ(results_of(sarif_of(records, {.least_db = 4})).at(0).at("level"), "warning");
  records.diagnosis->findings[0].severity = Severity::note;
  EXPECT_EQ(results_of(sarif_of(records)).at(0).at("level"), "note");
}

TEST(SarifJson, OfARunWithoutADiagnosisHasNoResults) {
  RunRecords records;
  records.run.state = WorkloadState::success;
  const json::Value log = sarif_of(records);
  EXPECT_TRUE(results_of(log).empty());
  EXPECT_FALSE(first_run(log).at("tool").at("driver").as_object().contains("version"));
  EXPECT_EQ(first_run(log).at("properties").at("verdict"), "The run judged nothing.");
}

TEST(SarifJson, SaysThatARunFailed) {
  RunRecords records;
  records.run.state = WorkloadState::failure;
  records.run.message = "no space";
  const json::Value invocation = first_run(sarif_of(records)).at("invocations").as_array().at(0);
  EXPECT_EQ(
      invocation,
      (boost::json::object{
          {"executionSuccessful", false},
          {"toolExecutionNotifications",
           boost::json::array{boost::json::object{
               {"level", "error"}, {"message", boost::json::object{{"text", "no space"}}}}}}}));
  const json::Value result = results_of(sarif_of(records)).at(0);
  EXPECT_EQ(result.at("ruleId"), "run/failed");
  EXPECT_EQ(result.at("level"), "error") << "no result would close the alerts that there are";
}

TEST(SarifJson, OfSeveralFindingsOfARuleNamesItOnceAndTellsThemApart) {
  RunRecords records = reported_run();
  records.diagnosis->findings.push_back(records.diagnosis->findings[0]);
  const json::Value log = sarif_of(records);
  EXPECT_EQ(first_run(log).at("tool").at("driver").at("rules").as_array().size(), 1U);
  const auto print_of = [&](std::size_t i) {
    return std::string(
        results_of(log).at(i).at("partialFingerprints").at("primaryLocationLineHash").as_string());
  };
  EXPECT_EQ(print_of(0), sha256_hex("spread_weight\ny") + ":1");
  EXPECT_EQ(print_of(1), sha256_hex("spread_weight\ny") + ":2");
}

TEST(SarifJson, NamesTheModelByARelativePathAlone) {
  EXPECT_EQ(uri_for("/home/me/net.onnx"), "net.onnx");
  EXPECT_EQ(uri_for("models/./a b.onnx"), "models/a%20b.onnx");
  EXPECT_EQ(uri_for("../net.onnx"), "net.onnx");
  EXPECT_EQ(uri_for("/home/me/saved/"), "saved");
  EXPECT_EQ(uri_for("http:x?#%"), "http%3Ax%3F%23%25");
  EXPECT_EQ(uri_for("\xC3\xA9.onnx"), "%C3%A9.onnx");
}

TEST(SarifJson, WithoutAModelHasItsOpAlone) {
  RunRecords records = reported_run();
  records.run.models.clear();
  const json::Value location = results_of(sarif_of(records)).at(0).at("locations").as_array().at(0);
  EXPECT_EQ(location.as_object().size(), 1U);
  EXPECT_EQ(location.at("logicalLocations").as_array().at(0).at("name"), "node_y");
}

TEST(SarifJson, HoldsHostileNamesAsText) {
  const json::Value log = sarif_of(hostile_run());
  const json::Value& result = results_of(log).at(0);
  EXPECT_THAT(std::string(result.at("message").at("text").as_string()),
              HasSubstr("a|b`c`<i>*&\"'\\](x){{0}}@me # ??"));
  const json::Value& location = result.at("locations").as_array().at(0);
  EXPECT_EQ(location.at("logicalLocations").as_array().at(0).at("name"),
            "a|b`c`<i>*&\"'](x){0}@me?# ??");
  EXPECT_EQ(location.at("physicalLocation").at("artifactLocation").at("uri"),
            "a%7Cb%60c%60%3Ci%3E%2A%26%22%27%5D%28x%29%7B0%7D%40me%0A%23%20%01%FF");
}

}  // namespace
}  // namespace quantlens
