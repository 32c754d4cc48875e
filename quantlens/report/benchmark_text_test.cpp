// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/benchmark_text.h"

#include <limits>
#include <sstream>

#include <gtest/gtest.h>

namespace quantlens {
namespace {

BenchmarkResult result_of(const std::string& model, std::size_t instances = 1) {
  BenchmarkResult result{.model = model, .batch_size = 8, .threads = 2};
  result.wall = {.runs = 100, .mean_us = 9900, .median_us = 9876, .p90_us = 11000, .p99_us = 15000};
  result.latency_ms = 9.876 / 8;
  result.samples_per_second = 808.0808;
  for (std::size_t i = 0; i < instances; ++i) {
    const auto core = static_cast<unsigned>(2 * i);
    result.instances.push_back({{core, core + 1}, result.wall, 808.0808 / 2});
  }
  return result;
}

TEST(BenchmarkText, HasThePredecessorsLines) {
  EXPECT_EQ(benchmark_text({.results = {result_of("m.onnx")}, .ratios = {}}, {}),
            "Batch size = 8\nLatency: 1.234 ms\nThroughput: 808.081 images/sec\n");
}

TEST(BenchmarkText, SumsInstancesUpAsThePredecessorsDid) {
  const std::string text = benchmark_text({.results = {result_of("m.onnx", 2)}, .ratios = {}}, {});
  EXPECT_NE(text.find("Multiple Instance Benchmark Summary"), std::string::npos) << text;
  EXPECT_NE(text.find("Items"), std::string::npos);
  EXPECT_NE(text.find("Latency average [second/sample] | 0.001234 |"), std::string::npos) << text;
  EXPECT_NE(text.find("Throughput sum [samples/second] | 808.081  |"), std::string::npos) << text;
}

TEST(BenchmarkText, SaysHowTwoModelsCompare) {
  const Benchmark benchmark{
      .results = {result_of("a/float.onnx"), result_of("b/int8.onnx")},
      .ratios = {{.batch_size = 8, .ratio = 0.6204, .interval = {0.6117, 0.6281}}}};
  EXPECT_EQ(benchmark_ratio_text(benchmark),
            "int8.onnx takes 0.620 (0.612 to 0.628) of the time of float.onnx\n");
  EXPECT_NE(benchmark_text(benchmark, {}).find("Model: int8.onnx\nBatch size = 8\n"),
            std::string::npos);
}

TEST(BenchmarkText, CallsModelsOfOneNameByTheirPaths) {
  const Benchmark benchmark{.results = {result_of("a/m.onnx"), result_of("b/m.onnx")},
                            .ratios = {{.batch_size = 8, .ratio = 1, .interval = {0.9, 1.1}}}};
  EXPECT_EQ(benchmark_ratio_text(benchmark),
            "b/m.onnx takes 1.000 (0.900 to 1.100) of the time of a/m.onnx\n");
}

TEST(BenchmarkText, SaysWhyThereIsNoInterval) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Benchmark benchmark{.results = {result_of("a.onnx"), result_of("b.onnx")},
                            .ratios = {{.batch_size = 8, .ratio = 0.5, .interval = {0, infinity}}}};
  EXPECT_EQ(benchmark_ratio_text(benchmark),
            "b.onnx takes 0.500 of the time of a.onnx; an interval needs 3 --rounds at least\n");
}

TEST(BenchmarkTable, FitsInto100Columns) {
  const Benchmark benchmark{.results = {result_of(std::string(90, 'n') + ".int8.onnx")},
                            .ratios = {}};
  const std::string text = to_text(benchmark_table(benchmark, Digits::four), {});
  EXPECT_NE(text.find("Samples/s"), std::string::npos) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(BenchmarkTable, ShowsPeopleFourDigits) {
  BenchmarkResult result = result_of("m.onnx");
  result.wall.median_us = 1.23456;
  result.samples_per_second = 123456.789;
  const Table table = benchmark_table({.results = {result}, .ratios = {}}, Digits::four);
  EXPECT_DOUBLE_EQ(std::get<double>(table.rows[0][3]), 0.001235);
  EXPECT_DOUBLE_EQ(std::get<double>(table.rows[0][7]), 123457);
}

TEST(BenchmarkTable, HasTheWholePathAndTheCoresInFiles) {
  const std::string csv =
      to_csv(benchmark_table({.results = {result_of("a/m.onnx", 2)}, .ratios = {}}, Digits::all));
  EXPECT_EQ(csv,
            "Model,Batch,Runs,p50 [ms],p90 [ms],p99 [ms],Mean [ms],Samples/s,Threads,"
            "Instances,Cores,Path\r\n"
            "m.onnx,8,100,9.876,11.0,15.0,9.9,808.0808,2,2,0 1;2 3,a/m.onnx\r\n");
}

}  // namespace
}  // namespace quantlens
