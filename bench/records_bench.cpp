// SPDX-License-Identifier: Apache-2.0
// What a reader of stored runs waits for: a page, a column, one op's row and one tensor's
// histograms of a diagnosis of 10,000 ops, beside the whole record. peak_MB is that of the process:
// run one benchmark by itself (--benchmark_filter) for its own.
#include <algorithm>

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "bench/stored_run.h"

namespace quantlens::bench {
namespace {

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
  stored();  // written before the clock runs
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
    const MappedFile file = stored().histograms_file();
    const HistogramsReader all(file.text(), "histograms.bin");
    benchmark::DoNotOptimize(all.find(wanted, wanted + "_QuantizeLinear_Output"));
  }
  tell_peak(state);
}
BENCHMARK(one_tensor)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quantlens::bench
