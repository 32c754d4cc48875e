// SPDX-License-Identifier: Apache-2.0
// Verbs over a caller's own samples, scored by a caller's own metric.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/dataset/open.h"
#include "quantlens/flow/benchmark.h"
#include "quantlens/flow/evaluate.h"
#include "quantlens/flow/quantize.h"
#include "quantlens/flow/tune.h"
#include "quantlens/record/files.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/workspace/read_record.h"
#include "quantlens/workspace/testing/temporary_folder.h"

namespace quantlens::flow {
namespace {

const fs::path kDemo = QUANTLENS_SOURCE_DIR "/examples/demo";
constexpr std::uint64_t kSamples = 60;

Model with_inputs(std::vector<std::vector<Dim>> shapes) {
  Model model;
  for (std::vector<Dim>& shape : shapes)
    model.graph.inputs.push_back({.name = "x", .dtype = DType::float32, .shape = std::move(shape)});
  return model;
}

TEST(TakesBatches, WhereNoFirstExtentIsSurelyAnotherNumber) {
  const Dim open, one{.extent = 1, .symbol = {}}, four{.extent = 4, .symbol = {}};
  EXPECT_TRUE(takes_batches(with_inputs({{open, four}, {open}})));
  EXPECT_TRUE(takes_batches(with_inputs({{four, one}, {four}})));
  EXPECT_TRUE(takes_batches(with_inputs({{open, four}, {one, four}})));
  EXPECT_FALSE(takes_batches(with_inputs({{open}, {}}))) << "a scalar";
  EXPECT_FALSE(takes_batches(with_inputs({{one}, {four}})));
}

/// The share of samples whose greatest score is at their label, counted by hand.
class Rights final : public Metric {
 public:
  void add(const Batch& batch, const TensorMap& outputs) override {
    const Tensor& scores = outputs.begin()->second;
    const std::size_t classes = static_cast<std::size_t>(scores.size()) / batch.samples.size();
    for (std::size_t i = 0; i < batch.samples.size(); ++i) {
      const auto row = scores.data<float>().subspan(i * classes, classes);
      const auto answer = std::ranges::max_element(row) - row.begin();
      right_ += answer == batch.labels[i]->data<std::int64_t>()[0] ? 1 : 0;
      ++samples_;
    }
  }
  MetricFigure figure() const override {
    return {.value = static_cast<double>(right_) / static_cast<double>(samples_),
            .samples = samples_,
            .bounds = {0, 1},
            .right = {},
            .without = {}};
  }

 private:
  std::uint64_t right_ = 0, samples_ = 0;
};

MetricSpec own_metric() {
  return {.name = "rights", .options = {}, .program = {}, .make = [] {
            return std::make_unique<Rights>();
          }};
}

class OwnData : public testing::Test {
 protected:
  void SetUp() override {
    if (!onnxruntime::status().available) GTEST_SKIP() << onnxruntime::status().problem;
  }

  static DataChoice by_text() {
    return {.data = (kDemo / "digits.npz").string(), .options = {.limit = kSamples}};
  }
  /// The same samples as an object.
  static DataChoice by_object() {
    return {.data = "digits in memory",
            .samples = open_data((kDemo / "digits.npz").string(), {}, {.limit = kSamples}).dataset,
            .options = {}};
  }
  QuantizeOptions quantizing(const DataChoice& data, const MetricSpec& metric) const {
    QuantizeOptions options;
    options.model = kDemo / "digits.onnx";
    options.output = folder_.path() / "digits.int8.onnx";
    options.data = data;
    options.diagnose = true;
    options.metric = metric;
    return options;
  }

  TemporaryFolder folder_;
  DiskStore store_;
  NoProgress progress_;
  Session session_{.store = store_,
                   .progress = progress_,
                   .workspace = folder_.path(),
                   .name = "test",
                   .arguments = {}};
};

TEST_F(OwnData, GiveTheFiguresOfTheSameSamplesInAFile) {
  const QuantizeResult named = quantize(quantizing(by_text(), parse_metric("top1")), session_);
  const std::string model(DiskStore().read(named.output).text());
  const QuantizeResult own = quantize(quantizing(by_object(), own_metric()), session_);
  EXPECT_EQ(DiskStore().read(own.output).text(), model);
  EXPECT_EQ(to_file(*own.diagnosis), to_file(*named.diagnosis));
  EXPECT_EQ(own.accuracy->quantized.value, named.accuracy->quantized.value);
  EXPECT_EQ(own.accuracy->reference->value, named.accuracy->reference->value);
  EXPECT_EQ(own.accuracy->quantized.metric, "rights");
  EXPECT_EQ(own.run.data.at(0).data, "digits in memory");
  EXPECT_EQ(own.run.metric, "rights");
  const WorkloadReader kept(store_, own.folder);
  EXPECT_TRUE(kept.get<AccuracyRecord>());
  EXPECT_FALSE(kept.get<AccuracyState>()) << "nobody could read it back";
}

TEST_F(OwnData, AreScoredAloneAndSearchedOver) {
  EvaluateOptions alone;
  alone.model = kDemo / "digits.onnx";
  alone.data = by_object();
  alone.metric = own_metric();
  const double whole = evaluate(alone, session_).accuracy->quantized.value;
  alone.metric = parse_metric("top1");
  EXPECT_EQ(evaluate(alone, session_).accuracy->quantized.value, whole);
  TuneOptions search;
  search.model = alone.model;
  search.output = folder_.path() / "tuned.onnx";
  search.data = by_object();
  search.calibration_data = by_object();
  search.metric = own_metric();
  search.goal.max_loss = 0.05;
  const TuneResult found = tune(search, session_);
  EXPECT_TRUE(found.study->reached);
  EXPECT_EQ(found.study->reference.value, whole);
  EXPECT_EQ(found.study->metric, "rights");
  EXPECT_EQ(found.study->calibration_data, "digits in memory");
}

TEST_F(OwnData, CannotReachInstancesWhichAreOtherProcesses) {
  BenchmarkOptions options;
  options.model = kDemo / "digits.onnx";
  options.data = by_object();
  options.instances = 1;
  try {
    benchmark(options, session_);
    FAIL() << "it was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::usage);
    EXPECT_THAT(error.what(), testing::HasSubstr("read their data from files"));
  }
}

}  // namespace
}  // namespace quantlens::flow
