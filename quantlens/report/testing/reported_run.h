// Runs as reports are tested with: small, and hostile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/record/run_records.h"
#include "quantlens/record/testing/op_refs.h"

namespace quantlens {

/// Of a quantize that scored and diagnosed: one op of 5 dB, which one finding, a problem, is about.
inline RunRecords reported_run() {
  RunRecords records;
  Workload& run = records.run;
  run.id = "one";
  run.verb = "quantize";
  run.name = "net";
  run.state = WorkloadState::success;
  run.created = "2026-11-28T02:47:16.976Z";
  run.models = {{.role = ModelRole::reference,
                 .path = "/home/me/net.onnx",
                 .sha256 = "35622c656987d15dc73d",
                 .bytes = 1}};
  run.environment = {{"quantlens", "0.1.0"}};
  run.times = {{"plan", 0.25}, {"run", 0.5}};
  records.plan.emplace();
  AccuracyRecord& accuracy = records.accuracy.emplace();
  accuracy.reference = {.metric = "top1", .value = 0.75, .interval = {}, .samples = 8};
  accuracy.quantized = {.metric = "top1", .value = 0.5, .interval = {}, .samples = 8};
  accuracy.difference = -0.25;
  accuracy.lost = 2;
  Diagnosis& diagnosis = records.diagnosis.emplace();
  diagnosis.conclusions = {said_in_words("Much is lost.")};
  ActivationRow& row = diagnosis.activations.emplace_back();
  row.op = op_ref("node_y");
  row.sqnr_db = 5;
  Finding& finding = diagnosis.findings.emplace_back();
  finding.rule = "spread_weight";
  finding.op = op_ref("node_y");
  finding.ops = {finding.op};
  finding.reasons = {said_in_words("its weight has one scale")};
  finding.remedy = boost::json::object{{"op_name_dict", {{"node_y", "fp32"}}}};
  finding.severity = Severity::problem;
  finding.output_share = 0.9;
  finding.output_share_interval = {0.8, 1.0};
  return records;
}

/// What no format may take for its own: its marks, a control character, and a byte of no character.
inline constexpr const char* kHostile = "a|b`c`<i>*&\"'](x){0}@me\n# \x01\xFF";

/// The same of a model, an op and a run with such names.
inline RunRecords hostile_run() {
  RunRecords records = reported_run();
  records.run.id = kHostile;
  records.run.name = kHostile;
  records.run.models[0].path = std::string("/home/me/") + kHostile;
  records.run.environment["quantlens"] = kHostile;
  Diagnosis& diagnosis = *records.diagnosis;
  diagnosis.conclusions = {said_in_words(kHostile)};
  diagnosis.outputs_not_compared = {kHostile};
  diagnosis.activations[0].op = op_ref(kHostile);
  Finding& finding = diagnosis.findings[0];
  finding.rule = kHostile;
  finding.op = op_ref(kHostile);
  finding.reasons = {said_in_words(kHostile)};
  finding.remedy = boost::json::object{{"op_name_dict", {{kHostile, "fp32"}}}};
  return records;
}

}  // namespace quantlens
