// SPDX-License-Identifier: Apache-2.0
// What a reader of stored runs waits for: a page, a column, one op's row and one tensor's
// histograms of a diagnosis of 10,000 ops, beside the whole record. Another process writes the run,
// so that peak_MB is what reading takes: run one benchmark by itself (--benchmark_filter) for its
// own.
#include <algorithm>
#include <filesystem>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "quantlens/workspace/read_record.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens {
namespace {

constexpr std::size_t kOps = 10'000;
constexpr std::uint64_t kPage = 50;

std::string tensor(std::size_t number) {
  return fmt::format("/model/layer.{}/attention/MatMul_output_0", number);
}

Diagnosis diagnosis() {
  Diagnosis made;
  for (std::size_t i = 0; i < kOps; ++i) {
    ActivationRow& row = made.activations.emplace_back();
    const double figure = 1.0 / static_cast<double>(i + 3);
    row.op.id = row.value = tensor(i);
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

/// A thousand floats of each value.
Histograms histograms() {
  Histograms made;
  made.state.samples.insert(0);
  std::mt19937 random(1);
  std::normal_distribution<float> values;
  std::vector<float> row(1000);
  for (std::size_t i = 0; i < kOps; ++i) {
    PairedStats& pair = made.state.pairs.emplace_back();
    pair.reference = tensor(i);
    pair.quantized = pair.reference + "_QuantizeLinear_Output";
    for (float& value : row) value = values(random);
    pair.reference_histogram.add(row);
    pair.quantized_histogram.add(row);
  }
  return made;
}

/// A workload on disk with that diagnosis, and its histograms.
class Stored {
 public:
  Stored() : folder_(fs::temp_directory_path() / fmt::format("quantlens-bench-{}", ::getpid())) {
    fs::create_directories(folder_);
    const pid_t writing = ::fork();
    if (writing == 0) {
      write();
      ::_exit(0);
    }
    ::waitpid(writing, nullptr, 0);
    workload_ = Workspace(store_, folder_).folder("last");
  }
  ~Stored() { fs::remove_all(folder_); }
  Stored(const Stored&) = delete;
  Stored& operator=(const Stored&) = delete;
  WorkloadReader reader() const { return {store_, workload_}; }
  MappedFile histograms() const { return store_.read(workload_ / FileOf<Histograms>::kName); }

 private:
  void write() {
    const auto writer = Workspace(store_, folder_).create("diagnose", "net", {});
    writer->put(diagnosis());
    writer->put(quantlens::histograms());
    writer->succeed();
  }

  DiskStore store_;
  fs::path folder_, workload_;
};

const Stored& stored() {
  static const Stored kStored;
  return kStored;
}

WorkloadReader reader() {
  return stored().reader();
}

/// Of this process, so far.
void tell_peak(benchmark::State& state) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  state.counters["peak_MB"] = static_cast<double>(used.ru_maxrss) / 1000;
}

void whole_record(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(reader().get<Diagnosis>());
  tell_peak(state);
}
BENCHMARK(whole_record)->Unit(benchmark::kMillisecond);

void page(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(reader().list<Diagnosis>("activations")->rows(kOps / 2, kPage));
  }
  tell_peak(state);
}
BENCHMARK(page)->Unit(benchmark::kMillisecond);

void column(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(reader().list<Diagnosis>("activations")->column("sqnr_db", 0, kOps));
  }
  tell_peak(state);
}
BENCHMARK(column)->Unit(benchmark::kMillisecond);

void one_op(benchmark::State& state) {
  const json::Value wanted(tensor(kOps - 7));
  for (auto _ : state) {
    const auto list = reader().list<Diagnosis>("activations");
    const boost::json::array ops = list->column("op.id", 0, list->size());
    const auto* const found = std::find(ops.begin(), ops.end(), wanted);
    benchmark::DoNotOptimize(list->rows(static_cast<std::uint64_t>(found - ops.begin()), 1));
  }
  tell_peak(state);
}
BENCHMARK(one_op)->Unit(benchmark::kMillisecond);

void one_tensor(benchmark::State& state) {
  const std::string wanted = tensor(kOps - 7);
  for (auto _ : state) {
    const MappedFile file = stored().histograms();
    const HistogramsReader all(file.text(), "histograms.bin");
    benchmark::DoNotOptimize(all.find(wanted, wanted + "_QuantizeLinear_Output"));
  }
  tell_peak(state);
}
BENCHMARK(one_tensor)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quantlens
