// A workspace with runs in it, and an Api over it. For tests only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <zlib.h>

#include "quantlens/base/json.h"
#include "quantlens/workspace/read_record.h"
#include "quantlens/workspace/testing/temporary_folder.h"
#include "quantlens/workspace/workspace.h"
#include "server/api/api.h"
#include "server/jobs/jobs.h"

namespace quantlens::server {

inline constexpr std::string_view kHtml = "<img src=x onerror=alert(1)>";

/// Ops of one small network: a product each, in groups, and the last with a name that is HTML.
inline std::string value_of(std::size_t number) {
  return fmt::format("v{}", number);
}
inline OpRef op_of(std::size_t number) {
  const std::string name =
      number == 2 ? std::string(kHtml) : fmt::format("/block.{}/MatMul", number % 2);
  return {.id = value_of(number), .name = number > 2 ? name + std::to_string(number) : name};
}

inline Diagnosis diagnosis_of(std::size_t ops) {
  Diagnosis made;
  for (std::size_t i = 0; i < ops; ++i) {
    ActivationRow& row = made.activations.emplace_back();
    row.op = op_of(i);
    row.type = "MatMul";
    row.pattern = {"MatMul"};
    row.value = value_of(i);
    row.quantized = row.value + "_q";
    row.mse = 1.0 / static_cast<double>(i + 3);
    row.min = -1.5;
    row.max = 2.25;
  }
  made.weights.emplace_back().op = op_of(1);  // in another order than activations
  WeightRow& weight = made.weights.emplace_back();
  weight.op = op_of(0);
  weight.weight = "w0";
  weight.quantized = "w0_quantized";
  weight.granularity = Granularity::per_channel;
  made.findings.push_back({.rule = "rounding",
                           .op = op_of(0),
                           .ops = {op_of(0), op_of(1)},
                           .reasons = {},
                           .remedy = nullptr});
  return made;
}

inline Plan plan_of(std::size_t ops) {
  Plan made;
  for (std::size_t i = 0; i < ops; ++i) {
    OpPlan& op = made.ops.emplace_back();
    op.op = op_of(i);
    op.type = "MatMul";
    op.quantized = i % 2 == 0;
    op.precision = op.quantized ? Precision::int8 : Precision::fp32;
  }
  return made;
}

inline Pairing pairing_of(std::size_t ops) {
  Pairing made;
  for (std::size_t i = 0; i < ops; ++i) {
    ValuePair& pair = made.pairs.emplace_back();
    pair.op = op_of(i);
    pair.reference = value_of(i);
    pair.quantized = value_of(i) + "_q";
    pair.scheme = Scheme{.dtype = DType::uint8};
    pair.params = QParams{.scale = 0.5F, .zero_point = 128};
  }
  return made;
}

/// A thousand codes of each value, and floats of one weight.
inline Histograms histograms_of(std::size_t ops) {
  Histograms made;
  made.state.samples.insert(0);
  std::vector<float> values(1000);
  std::vector<std::uint8_t> codes(1000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    codes[i] = static_cast<std::uint8_t>(100 + i % 50);
    values[i] = 0.5F * (static_cast<float>(codes[i]) - 128.0F);
  }
  const auto pair = [&](const std::string& reference, const std::string& quantized) {
    PairedStats stats;
    stats.reference = reference;
    stats.quantized = quantized;
    stats.reference_histogram.add(values);
    return stats;
  };
  for (std::size_t i = 0; i < ops; ++i) {
    PairedStats& stats = made.state.pairs.emplace_back(pair(value_of(i), value_of(i) + "_q"));
    stats.code_histogram.add(codes);
    stats.channel_axis = 1;
    const AxisLayout layout{.outer = 125, .channels = 8, .inner = 1};
    stats.reference_channels.add(values, layout);
    stats.error_channels.add(values, layout);
    PairedChannelHistogram& channel = stats.channel_histograms.emplace_back();
    channel.channel = 7;
    channel.reference.add(values);
    channel.codes.add(codes);
  }
  std::ranges::sort(made.state.pairs, {}, &PairedStats::reference);
  made.weights.push_back(pair("w0", "w0_quantized"));
  made.weights.back().quantized_histogram.add(values);
  return made;
}

inline GraphOutline graph_of(std::size_t ops) {
  GraphOutline made;
  made.inputs = {{.name = "x", .dtype = "float32", .shape = "[N,4]"}};
  for (std::size_t i = 0; i < ops; ++i) {
    OpOutline& op = made.ops.emplace_back();
    op.op = op_of(i).id;
    op.name = op_of(i).name;
    op.type = "MatMul";
    op.inputs = {i == 0 ? "x" : value_of(i - 1), "w0"};
    op.outputs = {value_of(i)};
    op.attributes = {{"axis", "1"}, {"alpha", "1"}, {"pads", "[0,1]"}, {"mode", "linear"}};
  }
  return made;
}

inline AccuracyRecord small_accuracy() {
  AccuracyRecord made;
  made.reference = Accuracy{.metric = "top1", .value = 0.5, .interval = {}, .samples = 100};
  made.quantized = Accuracy{.metric = "top1", .value = 0.25, .interval = {}, .samples = 100};
  made.difference = -0.25;
  made.difference_interval = {{-0.5, -0.125}};
  return made;
}

/// Times of one model.
inline ProfileRecord small_profile() {
  ProfileRecord made;
  NodeTime& node = made.reference.nodes.emplace_back();
  node.name = "node";
  node.ops = {op_of(1)};
  return made;
}

class ApiWorld {
 public:
  TemporaryFolder folder;
  DiskStore store;
  Workspace workspace{store, folder.path()};
  Events events;
  Jobs jobs{store, workspace, events, {.cores = 0}};  // none begins
  Api api{store, workspace, events, {.jobs = &jobs}};

  /// A run that ended well, with all that routes ask for. Returns its id.
  std::string add_run(std::size_t ops = 3, const std::string& name = "net") {
    const auto writer = workspace.create("quantize", name, {});
    writer->add_model({.role = ModelRole::reference, .path = "/models/" + name + ".onnx"});
    writer->log(kEvents, R"({"event": "begin", "step": "compare", "total": 3})"
                         "\n");
    writer->log(kEvents, R"({"event": "progress", "step": "compare", "done": 2})"
                         "\n");
    writer->put(graph_of(ops));
    writer->put(plan_of(ops));
    writer->put(pairing_of(ops));
    writer->put(diagnosis_of(ops));
    writer->put(histograms_of(ops));
    writer->put(small_accuracy());
    writer->put(small_profile());
    writer->write(exported::kActivations, "OP name,MSE\r\na,1\r\n");
    writer->write(exported::kProfile.data,
                  R"([{"node_name": "n", "total_execution_time": 3, "accelerator_execution_time":
                  0, "cpu_execution_time": 3, "op_run": 2, "op_defined": 1}])");
    writer->succeed();
    return writer->workload().id;
  }
  fs::path folder_of(const std::string& id) const { return workspace.folder(id); }
  void write(const fs::path& file, std::string_view text) const {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }

  Response ask(const Request& request) { return api.answer(request); }
  Response get(const std::string& path, Pairs query = {}, Pairs headers = {}) {
    return ask({.method = "GET",
                .path = path,
                .query = std::move(query),
                .headers = std::move(headers),
                .body = {}});
  }
  Response post(const std::string& path, const std::string& body) {
    return ask({.method = "POST", .path = path, .query = {}, .headers = {}, .body = body});
  }
  /// Of an answer that is well.
  json::Value json(const std::string& path, Pairs query = {}) {
    return parsed(get(path, std::move(query)));
  }
  static json::Value parsed(const Response& response) {
    EXPECT_EQ(response.status, 200U) << *response.body;
    EXPECT_EQ(response.type, kJson);
    return json::parse(*response.body, "the answer");
  }
};

inline std::string v1(const std::string& id, const std::string& rest = "") {
  return "/api/v1/workloads/" + id + rest;
}

inline std::string text_of(const Response& response) {
  return response.body ? *response.body : std::string();
}

inline std::string header(const Response& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "";
}

inline std::string gunzip(std::string_view bytes) {
  std::string text(std::size_t{16} << 20, '\0');
  z_stream stream{};
  inflateInit2(&stream, 16 + MAX_WBITS);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

}  // namespace quantlens::server
