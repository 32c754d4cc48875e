// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/benchmark_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "quantlens/base/text.h"

namespace quantlens {
namespace {

std::string file_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

/// How people call each model: its file's name, or its path where two files have one name.
std::string model_name(const Benchmark& benchmark, const std::string& path) {
  for (const BenchmarkResult& result : benchmark.results) {
    if (result.model != path && file_name(result.model) == file_name(path)) return printable(path);
  }
  return printable(file_name(path));
}

/// For a column of a table: a long name loses its middle.
std::string short_name(const std::string& name) {
  constexpr std::size_t kMost = 28;
  constexpr std::size_t kEnd = 12;
  if (name.size() <= kMost) return name;
  return printable(
      fmt::format("{}...{}", name.substr(0, kMost - kEnd - 3), name.substr(name.size() - kEnd)));
}

/// The value in four digits, or as a whole_number number.
double four_digits(double value) {
  if (!std::isfinite(value) || value <= 0) return value;
  const double unit = std::pow(10, std::min(0.0, std::floor(std::log10(value)) - 3));
  return std::round(value / unit) * unit;
}

std::int64_t whole_number(std::uint64_t count) {
  return static_cast<std::int64_t>(count);
}

/// "0.620", with enough digits where it is small.
std::string ratio_text(double ratio) {
  return fmt::format("{:.{}f}", ratio, ratio < 0.1 ? 4 : 3);
}

std::string cores_text(const BenchmarkResult& result) {
  std::string text;
  for (const BenchmarkInstance& instance : result.instances) {
    if (!text.empty()) text += ';';
    for (std::size_t i = 0; i < instance.cores.size(); ++i) {
      text += fmt::format("{}{}", i == 0 ? "" : " ", instance.cores[i]);
    }
  }
  return text;
}

}  // namespace

Table instances_table(const BenchmarkResult& result) {
  double seconds = 0;
  for (const BenchmarkInstance& instance : result.instances) {
    seconds += instance.wall.median_us / 1e6 / static_cast<double>(result.batch_size);
  }
  seconds /= static_cast<double>(std::max<std::size_t>(1, result.instances.size()));
  return {.title = "Multiple Instance Benchmark Summary",
          .columns = {{"Items"}, {"Result"}},
          .rows = {{"Latency average [second/sample]", fmt::format("{:.6f}", seconds)},
                   {"Throughput sum [samples/second]",
                    fmt::format("{:.3f}", result.samples_per_second)}},
          .title_form = TitleForm::stars};
}

std::string benchmark_text(const Benchmark& benchmark, const TextOptions& options) {
  std::string text;
  for (const BenchmarkResult& result : benchmark.results) {
    if (!benchmark.ratios.empty()) {
      text += fmt::format("Model: {}\n", model_name(benchmark, result.model));
    }
    text += fmt::format("Batch size = {}\nLatency: {:.3f} ms\nThroughput: {:.3f} images/sec\n",
                        result.batch_size, result.latency_ms, result.samples_per_second);
    if (result.instances.size() > 1) text += to_text(instances_table(result), options);
  }
  return text;
}

std::string benchmark_ratio_text(const Benchmark& benchmark) {
  std::string text;
  for (std::size_t i = 0; i < benchmark.ratios.size(); ++i) {
    if (2 * i + 1 >= benchmark.results.size()) break;
    const BenchmarkRatio& ratio = benchmark.ratios[i];
    const std::string first = model_name(benchmark, benchmark.results[2 * i].model);
    const std::string second = model_name(benchmark, benchmark.results[2 * i + 1].model);
    const auto& [low, high] = ratio.interval;
    const std::string interval =
        std::isfinite(high) ? fmt::format(" ({} to {})", ratio_text(low), ratio_text(high)) : "";
    text += benchmark.ratios.size() > 1 ? fmt::format("Batch size {}: ", ratio.batch_size) : "";
    text += fmt::format("{} takes {}{} of the time of {}{}\n", second, ratio_text(ratio.ratio),
                        interval, first,
                        std::isfinite(high) ? "" : "; an interval needs 3 --rounds at least");
  }
  return text;
}

Table benchmark_table(const Benchmark& benchmark, Digits digits) {
  Table table{.title = "Benchmark",
              .columns = {{"Model"},
                          {"Batch"},
                          {"Runs"},
                          {"p50 [ms]"},
                          {"p90 [ms]"},
                          {"p99 [ms]"},
                          {"Mean [ms]"},
                          {.title = "Samples/s", .keep = true},
                          {.title = "Threads", .only_in_files = true},
                          {.title = "Instances", .only_in_files = true},
                          {.title = "Cores", .only_in_files = true},
                          {.title = "Path", .only_in_files = true}},
              .rows = {}};
  const auto number = [digits](double value) {
    return digits == Digits::all ? value : four_digits(value);
  };
  for (const BenchmarkResult& result : benchmark.results) {
    const WallTime& wall = result.wall;
    table.rows.push_back({short_name(model_name(benchmark, result.model)),
                          whole_number(result.batch_size), whole_number(wall.runs)});
    std::vector<Cell>& row = table.rows.back();
    for (const double us : {wall.median_us, wall.p90_us, wall.p99_us, wall.mean_us}) {
      row.emplace_back(number(us / 1e3));
    }
    row.emplace_back(number(result.samples_per_second));
    row.emplace_back(whole_number(result.threads));
    row.emplace_back(whole_number(result.instances.size()));
    row.emplace_back(cores_text(result));
    row.emplace_back(result.model);
  }
  return table;
}

}  // namespace quantlens
