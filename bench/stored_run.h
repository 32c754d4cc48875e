// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "quantlens/workspace/read_record.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens::bench {

// A run over a network of many ops, as `quantize --diagnose` stores it: for benchmarks of readers.

inline constexpr std::size_t kOps = 10'000;
inline constexpr std::uint64_t kPage = 50;

/// The last op of each layer adds what the layer was given to what it made; the others are
/// products.
inline constexpr std::size_t kLayer = 10;
inline bool is_sum(std::size_t number) {
  return number % kLayer == kLayer - 1;
}

inline std::string op_name(std::size_t number) {
  return fmt::format("/model/layer.{}/attention/{}_{}", number / kLayer,
                     is_sum(number) ? "Add" : "MatMul", number % kLayer);
}

inline std::string tensor(std::size_t number) {
  return op_name(number) + "_output_0";
}

inline OpRef op_of(std::size_t number) {
  return {.id = tensor(number), .name = op_name(number)};
}

inline std::string weight_of(std::size_t number) {
  return fmt::format("model.layer.{}.attention.weight_{}", number / kLayer, number % kLayer);
}

inline Diagnosis diagnosis(std::size_t ops) {
  Diagnosis made;
  for (std::size_t i = 0; i < ops; ++i) {
    ActivationRow& row = made.activations.emplace_back();
    const double figure = 1.0 / static_cast<double>(i + 3);
    row.op = op_of(i);
    row.value = tensor(i);
    row.quantized = row.value + "_QuantizeLinear_Output";
    row.type = is_sum(i) ? "Add" : "MatMul";
    row.mse = row.mse_normalized = row.cosine = row.max_abs_error = row.clip_rate = figure;
    row.sqnr_db = 30 * figure;
    row.mse_interval = row.sqnr_db_interval = row.cosine_interval = {{figure / 3, figure * 3}};
    row.local_mse = row.rounding_mse = row.weight_mse = row.input_mse = row.output_share =
        figure / 7;
    row.min = row.quantized_min = row.mean = row.median = -figure;
    row.max = row.quantized_max = row.standard_deviation = figure * 11;
    row.worst_samples.assign(8, {.sample = i, .name = "image_00001.jpg", .share = figure});
  }
  constexpr std::size_t kFindings = 100;
  for (std::size_t i = 0; i < kFindings; ++i) {
    made.findings.push_back(
        {.rule = "rounding",
         .op = op_of(i),
         .ops = {op_of(i), op_of(i + 1)},
         .reasons = {{"share_was_of", {{"samples", figure::count(i)}}}},
         .remedy = boost::json::object{{"op_name_dict", {{op_of(i).name, "fp32"}}}},
         .output_share = 0.01});
  }
  made.conclusions = {{"share_was_of", {{"samples", figure::count(kFindings)}}}};
  return made;
}

/// A thousand floats of each value.
inline Pairing pairing(std::size_t ops) {
  Pairing made;
  for (std::size_t i = 0; i < ops; ++i) {
    ValuePair pair{.op = {.id = tensor(i), .name = op_name(i)},
                   .type = "Conv",
                   .reference = tensor(i),
                   .quantized = tensor(i) + "_QuantizeLinear_Output",
                   .side = Side::q_output};
    pair.scheme = Scheme();
    pair.params = QParams{.scale = 0.01F, .zero_point = 128};
    made.pairs.push_back(std::move(pair));
  }
  return made;
}

inline Histograms histograms(std::size_t ops) {
  Histograms made;
  made.state.samples.insert(0);
  std::mt19937 random(1);
  std::normal_distribution<float> values;
  std::vector<float> row(1000);
  for (std::size_t i = 0; i < ops; ++i) {
    PairedStats& pair = made.state.pairs.emplace_back();
    pair.reference = tensor(i);
    pair.quantized = pair.reference + "_QuantizeLinear_Output";
    for (float& value : row) value = values(random);
    pair.reference_histogram.add(row);
    pair.quantized_histogram.add(row);
  }
  return made;
}

/// Layers of products, each with a weight of 64 columns.
inline GraphOutline graph(std::size_t ops) {
  GraphOutline made;
  made.inputs = {{.name = "x", .dtype = "float32", .shape = "[batch,128,64]"}};
  const auto before = [](std::size_t number) { return number == 0 ? "x" : tensor(number - 1); };
  for (std::size_t i = 0; i < ops; ++i) {
    made.values.push_back({.name = tensor(i), .dtype = "float32", .shape = "[batch,128,64]"});
    OpOutline& op = made.ops.emplace_back();
    op.op = tensor(i);
    op.name = op_name(i);
    op.outputs = {tensor(i)};
    if (is_sum(i)) {
      op.type = "Add";
      op.kind = Kind::add;
      op.inputs = {before(i), before(i + 1 - kLayer)};
      continue;
    }
    made.weights.push_back({.name = weight_of(i), .dtype = "float32", .shape = "[64,64]"});
    op.type = "MatMul";
    op.kind = Kind::matmul;
    op.inputs = {before(i), weight_of(i)};
    op.roles = roles::MatrixProduct();
  }
  made.outputs = {made.values.back()};
  return made;
}

inline Plan plan(std::size_t ops) {
  Plan made;
  for (std::size_t i = 0; i < ops; ++i) {
    OpPlan& op = made.ops.emplace_back();
    op.op = op_of(i);
    op.type = op.pattern.emplace_back(is_sum(i) ? "Add" : "MatMul");
    op.kind = is_sum(i) ? Kind::add : Kind::matmul;
    op.members = {op.op.id};
    op.quantized = true;
    ActivationPlan& value = made.activations.emplace_back();
    value.value = tensor(i);
    value.params.scale = 1 / static_cast<float>(i + 3);
    value.all_uses = true;
    if (is_sum(i)) continue;
    WeightPlan& weight = made.weights_quantized.emplace_back();
    weight.weight = weight_of(i);
    weight.params.assign(64, value.params);
    weight.uses = {{.op = tensor(i), .input = 1}};
  }
  return made;
}

inline void write_run(Workspace workspace, std::size_t ops = kOps) {
  const auto writer = workspace.create("quantize", "net", {});
  writer->put(graph(ops));
  QuantizedOutline quantized;
  static_cast<GraphOutline&>(quantized) = graph(ops);
  writer->put(quantized);
  writer->put(plan(ops));
  writer->put(diagnosis(ops));
  writer->put(pairing(ops));
  writer->put(histograms(std::min(ops, 2 * kOps)));
  writer->succeed();
}

/// A workload on disk with these records. Another process writes it, so that what this one takes of
/// memory is for reading.
class StoredRun {
 public:
  StoredRun() : folder_(fs::temp_directory_path() / fmt::format("quantlens-bench-{}", ::getpid())) {
    fs::create_directories(folder_);
    const pid_t writing = ::fork();
    if (writing == 0) {
      write_run(workspace());
      ::_exit(0);
    }
    ::waitpid(writing, nullptr, 0);
    folder_of_run_ = workspace().folder("last");
  }
  ~StoredRun() { fs::remove_all(folder_); }
  StoredRun(const StoredRun&) = delete;
  StoredRun& operator=(const StoredRun&) = delete;

  const DiskStore& store() const { return store_; }
  Workspace workspace() const { return {store_, folder_}; }
  WorkloadReader reader() const { return {store_, folder_of_run_}; }
  MappedFile histograms_file() const {
    return store_.read(folder_of_run_ / FileOf<Histograms>::kName);
  }

 private:
  mutable DiskStore store_;
  fs::path folder_, folder_of_run_;
};

/// The one of this program; written when it is first asked for.
inline const StoredRun& stored() {
  static const StoredRun kStored;
  return kStored;
}

}  // namespace quantlens::bench
