// SPDX-License-Identifier: Apache-2.0
// What a reader of stored runs waits for: a page, a column and one op's row of a diagnosis of
// 10,000 ops, beside the whole record.
#include <algorithm>
#include <filesystem>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include "quantlens/workspace/read_record.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens {
namespace {

constexpr std::size_t kOps = 10'000;
constexpr std::uint64_t kPage = 50;

Diagnosis diagnosis() {
  Diagnosis made;
  for (std::size_t i = 0; i < kOps; ++i) {
    ActivationRow& row = made.activations.emplace_back();
    const double figure = 1.0 / static_cast<double>(i + 3);
    row.op.id = row.value = fmt::format("/model/layer.{}/attention/MatMul_output_0", i);
    row.op.name = fmt::format("/model/layer.{}/attention/MatMul", i);
    row.quantized = row.value + "_QuantizeLinear_Output";
    row.type = "MatMul";
    row.mse = row.mse_normalized = row.cosine = row.max_abs_error = row.clip_rate = figure;
    row.sqnr_db = 30 * figure;
    row.mse_interval = row.sqnr_db_interval = row.cosine_interval = {{figure / 3, figure * 3}};
    row.local_mse = row.rounding_mse = row.weight_mse = row.input_mse = row.output_share =
        figure / 7;
    row.min = row.quantized_min = row.mean = row.median = -figure;
    row.max = row.quantized_max = row.standard_deviation = figure * 11;
    row.worst_samples.assign(8, {.sample = i, .name = "image_00001.jpg", .share = figure});
  }
  return made;
}

/// A workload on disk with that diagnosis.
class Stored {
 public:
  Stored() : folder_(fs::temp_directory_path() / fmt::format("quantlens-bench-{}", ::getpid())) {
    fs::create_directories(folder_);
    const auto writer = Workspace(store_, folder_).create("diagnose", "net", {});
    writer->put(diagnosis());
    writer->succeed();
    workload_ = writer->folder();
  }
  ~Stored() { fs::remove_all(folder_); }
  WorkloadReader reader() const { return {store_, workload_}; }

 private:
  DiskStore store_;
  fs::path folder_, workload_;
};

WorkloadReader reader() {
  static const Stored kStored;
  return kStored.reader();
}

void whole_record(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(reader().get<Diagnosis>());
}
BENCHMARK(whole_record)->Unit(benchmark::kMillisecond);

void page(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(reader().list<Diagnosis>("activations")->rows(kOps / 2, kPage));
  }
}
BENCHMARK(page)->Unit(benchmark::kMillisecond);

void column(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(reader().list<Diagnosis>("activations")->column("sqnr_db", 0, kOps));
  }
}
BENCHMARK(column)->Unit(benchmark::kMillisecond);

void one_op(benchmark::State& state) {
  const json::Value wanted(fmt::format("/model/layer.{}/attention/MatMul_output_0", kOps - 7));
  for (auto _ : state) {
    const auto list = reader().list<Diagnosis>("activations");
    const boost::json::array ops = list->column("op", 0, list->size());
    const auto* const found = std::find(ops.begin(), ops.end(), wanted);
    benchmark::DoNotOptimize(list->rows(static_cast<std::uint64_t>(found - ops.begin()), 1));
  }
}
BENCHMARK(one_op)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quantlens
