// SPDX-License-Identifier: Apache-2.0
// Reading, copying, merging and quantizing an ONNX file of about 100 MB made up of Convs in a row
// (design: a quantized file in 0.1 s per 100 MB, a look into one in 0.1 s).
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/quant/params.h"

namespace quantlens {
namespace {

constexpr std::int64_t kChannels = 256;
constexpr int kLayers = 44;  // of 2.4 MB each

/// Receives bytes as a file system without a disk would.
class NullWriter final : public FileWriter {
 public:
  void write(Bytes bytes) override { benchmark::DoNotOptimize(bytes.data()); }
  void commit() override {}
};

class NullStore final : public Store {
 public:
  MappedFile read(const fs::path&) const override { return {}; }
  std::unique_ptr<FileWriter> create(const fs::path&) override {
    return std::make_unique<NullWriter>();
  }
  void append(const fs::path&, std::string_view) override {}
  std::vector<std::string> list(const fs::path&) const override { return {}; }
  void make_folder(const fs::path&) override {}
  void remove(const fs::path&) override {}
};

MappedFile large_file() {
  Graph graph;
  graph.inputs = {{"v0", DType::float32, {}}};
  const Shape shape = {kChannels, kChannels, 3, 3};
  std::vector<float> values(static_cast<std::size_t>(element_count(shape).value()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000) - 500;
  for (int i = 0; i < kLayers; ++i) {
    const std::string number = std::to_string(i);
    Node node;
    node.type = "Conv";
    node.inputs = {"v" + number, "w" + number};
    node.outputs = {"v" + std::to_string(i + 1)};
    graph.nodes.push_back(std::move(node));
    graph.weights["w" + number] = Tensor::from<float>(shape, values);
  }
  graph.outputs = {{"v" + std::to_string(kLayers), DType::float32, {}}};
  return MappedFile::from_bytes(onnx::serialize(graph, {{"", 13}}));
}

const Model& large_model() {
  static const Model kModel = onnx::read("large.onnx", large_file());
  return kModel;
}

Plan plan_for(const Model& model) {
  Plan plan;
  for (const Node& node : model.graph.nodes) {
    plan.activations.push_back({op_id(node), {}, {0.1F, 128}, -12.8F, 12.7F, true, {}});
    plan.weights_quantized.push_back({node.inputs[1],
                                      {DType::int8, true, 0, 8},
                                      std::vector<QParams>(kChannels, QParams{4, 0}),
                                      {{op_id(node), 1}}});
  }
  return plan;
}

void set_bytes(benchmark::State& state) {
  const auto size = static_cast<std::int64_t>(large_model().file.bytes().size());
  state.SetBytesProcessed(state.iterations() * size);
}

void BM_Read(benchmark::State& state) {
  const MappedFile file = large_model().file;
  for (auto _ : state) benchmark::DoNotOptimize(onnx::read("large.onnx", file));
  set_bytes(state);
}
BENCHMARK(BM_Read)->Unit(benchmark::kMillisecond);

void BM_Copy(benchmark::State& state) {
  for (auto _ : state) {
    onnx::write(large_model(), {}, {}, [](Bytes bytes) { benchmark::DoNotOptimize(bytes.data()); });
  }
  set_bytes(state);
}
BENCHMARK(BM_Copy)->Unit(benchmark::kMillisecond);

void BM_MergeWithWeightsOutside(benchmark::State& state) {
  const onnx::WriteOptions options{[](const std::string&, const Tensor&) { return true; }};
  for (auto _ : state) {
    benchmark::DoNotOptimize(onnx::merge(large_model(), {}, large_model(), {}, "second/", options));
  }
}
BENCHMARK(BM_MergeWithWeightsOutside)->Unit(benchmark::kMillisecond);

void BM_Quantize(benchmark::State& state) {
  const Plan plan = plan_for(large_model());
  NullStore store;
  for (auto _ : state) onnx::apply(large_model(), plan, {}, store, "out.onnx");
  set_bytes(state);
}
BENCHMARK(BM_Quantize)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quantlens
