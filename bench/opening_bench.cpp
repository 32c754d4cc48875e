// SPDX-License-Identifier: Apache-2.0
// What the first screen of a stored run of 10,000 ops waits for, all of it and part by part: which
// run it is, what its diagnosis concludes, the first page of the table, each op's colours, and the
// graph as it is drawn. The goal is 50 ms.
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/stored_run.h"
#include "quantlens/workspace/read_run.h"

namespace quantlens::bench {
namespace {

template <class Record>
std::vector<boost::json::array> columns(std::string_view list,
                                        std::initializer_list<std::string_view> names) {
  const auto reader = stored().reader().list<Record>(list);
  std::vector<boost::json::array> cells;
  for (const std::string_view name : names) cells.push_back(reader->column(name, 0, kOps));
  return cells;
}

/// Which run it is.
Workload run() {
  return stored().workspace().find("last");
}

/// Its conclusions, without its long lists.
json::Value conclusions() {
  return *read_head(stored().store(), stored().reader().path<Diagnosis>());
}

boost::json::array first_page() {
  return stored().reader().list<Diagnosis>("activations")->rows(0, kPage);
}

/// What each op is coloured by: what it is computed in, and its error.
auto colours() {
  return std::pair(columns<Plan>("ops", {"quantized", "precision"}),
                   columns<Diagnosis>("activations", {"op.id", "sqnr_db"}));
}

/// What is drawn: each op, and what it reads and makes.
auto drawn_graph() {
  return columns<GraphOutline>("ops", {"op", "name", "type", "kind", "inputs", "outputs"});
}

void all(benchmark::State& state) {
  stored();  // written before the clock runs
  for (auto _ : state) {
    benchmark::DoNotOptimize(run());
    benchmark::DoNotOptimize(conclusions());
    benchmark::DoNotOptimize(first_page());
    benchmark::DoNotOptimize(colours());
    benchmark::DoNotOptimize(drawn_graph());
  }
}
BENCHMARK(all)->Unit(benchmark::kMillisecond);

template <auto kPart>
void part(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(kPart());
}
BENCHMARK(part<run>)->Name("run")->Unit(benchmark::kMillisecond);
BENCHMARK(part<conclusions>)->Name("conclusions")->Unit(benchmark::kMillisecond);
BENCHMARK(part<first_page>)->Name("first_page")->Unit(benchmark::kMillisecond);
BENCHMARK(part<colours>)->Name("colours")->Unit(benchmark::kMillisecond);
BENCHMARK(part<drawn_graph>)->Name("drawn_graph")->Unit(benchmark::kMillisecond);

/// All records whole, as `workloads show` has them.
void whole_run(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(read_run(stored().store(), stored().workspace(), "last"));
  }
}
BENCHMARK(whole_run)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quantlens::bench
