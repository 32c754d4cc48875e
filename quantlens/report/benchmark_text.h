// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/record/benchmark.h"
#include "quantlens/report/table.h"

namespace quantlens {

/// For each model and batch size the predecessors' lines (batch size, latency of a sample,
/// throughput), and, where several instances ran, their table **Multiple Instance Benchmark
/// Summary**; each line is ended by a newline. Several models are told apart by a line before.
std::string benchmark_text(const Benchmark& benchmark, const TextOptions& options);

/// How the second model compares with the first, one line a batch size. Empty for one model.
std::string benchmark_ratio_text(const Benchmark& benchmark);

/// How times and rates stand in a table: in four digits for people, in all for programs.
enum class Digits { four, all };

/// **Benchmark**: a row for each model and batch size.
Table benchmark_table(const Benchmark& benchmark, Digits digits);

/// **Multiple Instance Benchmark Summary**, of one model at one batch size.
Table instances_table(const BenchmarkResult& result);

}  // namespace quantlens
