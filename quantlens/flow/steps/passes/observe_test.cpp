// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/passes/observe.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/flow/steps/passes/harmless_taps.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/open.h"
#include "quantlens/runtime/testing/onnx_graphs.h"
#include "quantlens/workspace/testing/temporary_folder.h"

namespace quantlens::flow {
namespace {

using onnxruntime::info;
using onnxruntime::model_of;
using onnxruntime::op;
using testing::HasSubstr;

constexpr std::int64_t kChannels = 4;
constexpr std::int64_t kExtent = 6;
constexpr std::uint64_t kSamples = 20;

constexpr std::int64_t kLabel = 7;

/// Samples of numbers in -1..1, all of one class.
class Numbers final : public Dataset {
 public:
  std::uint64_t size() const override { return kSamples; }
  Sample read(std::uint64_t index) const override {
    std::mt19937 random(static_cast<unsigned>(index));
    std::uniform_real_distribution<float> values(-1, 1);
    std::vector<float> x(kChannels * kExtent * kExtent);
    for (float& value : x) value = values(random);
    Sample sample;
    sample.inputs.emplace("x", Tensor::from<float>({kChannels, kExtent, kExtent}, x));
    sample.label = Tensor::from<std::int64_t>({}, {kLabel});
    return sample;
  }
  std::string name(std::uint64_t index) const override { return std::to_string(index); }
  bool has_labels() const override { return true; }
};

Graph images() {
  Graph graph;
  graph.inputs = {info("x", DType::float32, {1, kChannels, kExtent, kExtent})};
  graph.outputs = {info("y", DType::float32, {1, kChannels, kExtent, kExtent})};
  graph.weights.emplace("s", Tensor::scalar(0.01F));
  graph.weights.emplace("z", Tensor::from<std::uint8_t>({}, {128}));
  // one channel's kernel is a thousand times another's: one scale for all leaves nothing of others
  graph.weights.emplace("w", Tensor::from<float>({kChannels, 1, 1, 1}, {1000, 1, 0.5F, 0.25F}));
  graph.weights.emplace("factor", Tensor::from<float>({kChannels, 1, 1}, {1, 1, 2, 4}));
  graph.weights.emplace("shift", Tensor::from<float>({kChannels, 1, 1}, {0.1F, 0.2F, 0, 0}));
  return graph;
}

const std::map<std::string, Attribute> kDepthwise = {{"group", kChannels}};

/// x -> depthwise Conv -> Identity -> Mul -> Add -> y. The Identity keeps pairing from taking all
/// for one op, so that the Conv's result is looked at.
Model float_model() {
  Graph graph = images();
  graph.nodes = {op("Conv", {"x", "w"}, "c", kDepthwise), op("Identity", {"c"}, "i"),
                 op("Mul", {"i", "factor"}, "m"), op("Add", {"m", "shift"}, "y")};
  return model_of(graph);
}

/// The same between codes, its ops in float: of which the runtime makes one in int8.
Model between_codes() {
  Graph graph = images();
  graph.nodes = {op("QuantizeLinear", {"x", "s", "z"}, "xq"),
                 op("DequantizeLinear", {"xq", "s", "z"}, "xd"),
                 op("Conv", {"xd", "w"}, "c", kDepthwise),
                 op("Identity", {"c"}, "i"),
                 op("Mul", {"i", "factor"}, "m"),
                 op("Add", {"m", "shift"}, "a"),
                 op("QuantizeLinear", {"a", "s", "z"}, "aq"),
                 op("DequantizeLinear", {"aq", "s", "z"}, "y")};
  return model_of(graph);
}

/// Codes of the result alone, behind ops of which the runtime makes one anyway.
Model rounded_result() {
  Graph graph = images();
  graph.nodes = {op("Conv", {"x", "w"}, "c", kDepthwise),
                 op("QuantizeLinear", {"c", "s", "z"}, "cq"),
                 op("DequantizeLinear", {"cq", "s", "z"}, "y")};
  return model_of(graph);
}

class Observe : public testing::Test {
 protected:
  void SetUp() override {
    if (!onnxruntime::status().available) GTEST_SKIP() << onnxruntime::status().problem;
    data_.opened.dataset = std::make_unique<Numbers>();
    store_.make_folder(folder_.path() / "workload");
    workload_ = std::make_unique<WorkloadWriter>(store_, folder_.path() / "workload", Workload());
  }

  Observed observed(const Model& quantized, const Model& reference = float_model()) {
    const ModelPair models{reference, quantized};
    const BareAnswers bare = run_bare(models, data_, {}, session_);
    return observe(models, open_lockstep(models, session_), bare,
                   {data_, options_, session_, *workload_});
  }

  TemporaryFolder folder_;
  DiskStore store_;
  NoProgress progress_;
  Session session_{.store = store_,
                   .progress = progress_,
                   .workspace = folder_.path(),
                   .name = "test",
                   .arguments = {}};
  FittedData data_;
  MeasureOptions options_;
  std::unique_ptr<WorkloadWriter> workload_;
};

TEST_F(Observe, BareRunsEndAfterTheFirstSamplesWithoutAMetric) {
  const Model reference = float_model(), quantized = between_codes();
  const BareAnswers bare = run_bare({reference, quantized}, data_, {}, session_);
  EXPECT_EQ(bare.samples, kShareSamples);
  ASSERT_EQ(bare.outputs.size(), kShareSamples);  // in batches of one
  EXPECT_FALSE(bare.accuracy);
}

TEST_F(Observe, BareRunsTakeAllSamplesForAMetricAndKeepTheFirst) {
  const Model reference = float_model(), quantized = between_codes();
  MeasureOptions options;
  options.metric = parse_metric("top1");
  const BareAnswers bare = run_bare({reference, quantized}, data_, options, session_);
  EXPECT_EQ(bare.samples, kSamples);
  EXPECT_EQ(bare.outputs.size(), kShareSamples);
  ASSERT_TRUE(bare.accuracy);
  EXPECT_EQ(bare.accuracy->quantized.samples, kSamples);
}

TEST_F(Observe, BareOutputsAreThoseOfEachModelAlone) {
  const Model reference = float_model(), quantized = between_codes();
  const BareAnswers bare = run_bare({reference, quantized}, data_, {}, session_);
  const auto alone = open(quantized, nullptr, {}, {});
  for (std::size_t i = 0; i < bare.batches.size(); ++i) {
    EXPECT_TRUE(are_equal(bare.outputs[i].quantized, alone->step(bare.batches[i]).reference));
  }
}

TEST_F(Observe, NamesTheOpsThatLookingWouldChangeAndTheNodeThatRunsForThem) {
  const Model quantized = between_codes();
  const Observed seen = observed(quantized);
  EXPECT_TRUE(seen.observation.is_steady);
  EXPECT_TRUE(seen.observation.untried.empty());
  ASSERT_FALSE(seen.observation.unseen.empty());
  const std::set<std::string> fused{"c_node", "i_node", "m_node", "y_node"};
  for (const OpRef& op : seen.observation.unseen) {
    EXPECT_TRUE(fused.contains(op.name)) << op.name;
    EXPECT_EQ(op.id + "_node", op.name);
  }
  ASSERT_FALSE(seen.observation.fusions.empty());
  EXPECT_THAT(seen.observation.fusions[0].node, HasSubstr("QLinearConv"));
  EXPECT_TRUE(seen.observation.fusions[0].makes_weight);
  EXPECT_EQ(seen.pairing.not_compared.size(), seen.observation.unseen.size());
}

TEST_F(Observe, SaysNothingWhereLookingChangesNothing) {
  Graph one_op = images();
  one_op.nodes = {op("Conv", {"x", "w"}, "y", kDepthwise)};
  const Observed seen = observed(rounded_result(), model_of(one_op));
  EXPECT_FALSE(seen.observation.apart);
  EXPECT_TRUE(seen.observation.unseen.empty());
  EXPECT_EQ(seen.observation.reference_sqnr_db, std::numeric_limits<double>::infinity());
  EXPECT_EQ(seen.state.samples.size(), kSamples);
}

TEST_F(Observe, TapsThatStayGiveTheBareOutputsAndEachTapIsOfOneKind) {
  const Model reference = float_model(), quantized = between_codes();
  const ModelPair models{reference, quantized};
  const BareAnswers bare = run_bare(models, data_, {}, session_);
  const TapSpec taps = taps_for(pair(reference, quantized));
  const HarmlessTaps found = harmless_taps(models, taps, bare, {.apart = true});
  EXPECT_EQ(found.kept.size() + found.harmful.size() + found.unresolved.size(), taps.pairs.size());
  EXPECT_FALSE(found.harmful.empty());
  TapSpec kept;
  for (const std::size_t slot : found.kept) kept.pairs.push_back(taps.pairs[slot]);
  const auto run = open(reference, &quantized, kept, {.apart = true});
  for (std::size_t i = 0; i < bare.batches.size(); ++i) {
    EXPECT_TRUE(are_equal(run->step(bare.batches[i]).quantized, bare.outputs[i].quantized));
  }
}

TEST_F(Observe, TheFloatModelsAccuracyIsThatOfItsOwnFile) {
  const Model own = float_model(), quantized = between_codes();
  Graph other = own.graph;  // which is always right
  std::vector<float> shift(kChannels * kExtent * kExtent, 0);
  shift[kLabel] = 1000;
  other.weights["shift"] = Tensor::from<float>({kChannels, kExtent, kExtent}, shift);
  const Model reference = model_of(other);
  MeasureOptions options;
  options.diagnose = false;
  options.metric = parse_metric("top1");
  options.original = &own;
  const Measured told = measure({reference, quantized}, &data_, options, session_, *workload_);
  const double wanted = accuracy_alone(own, &data_, *options.metric, session_).value;
  ASSERT_NE(wanted, accuracy_alone(reference, &data_, *options.metric, session_).value);
  EXPECT_EQ(told.accuracy->reference->value, wanted);
}

/// Answers of one output each for two batches of eight samples.
class BareCheckTest : public testing::Test {
 protected:
  static Outputs answer(float reference, float quantized) {
    Outputs outputs;
    outputs.reference.emplace("y", Tensor::from<float>({1}, {reference}));
    outputs.quantized.emplace("y", Tensor::from<float>({1}, {quantized}));
    return outputs;
  }
  static Batch batch_at(std::uint64_t first) {
    Batch batch;
    for (std::uint64_t i = 0; i < kBareSamples; ++i) batch.samples.push_back(first + i);
    return batch;
  }
  static BareAnswers bare(const Outputs& outputs) {
    BareAnswers answers;
    answers.batches = {batch_at(0)};
    answers.outputs = {outputs};
    answers.samples = kBareSamples + 1;  // more are to come, of which only a digest is known
    return answers;
  }
};

TEST_F(BareCheckTest, ThrowsAtOneBitOfTheQuantizedModel) {
  const BareAnswers answers = bare(answer(1, 0.0F));
  BareCheck check(answers);
  EXPECT_NO_THROW(check.add(batch_at(0), answer(1, 0.0F)));
  BareCheck other(answers);
  EXPECT_THROW(other.add(batch_at(0), answer(1, -0.0F)), Departed);
}

TEST_F(BareCheckTest, ThrowsWhereALaterBatchDeparts) {
  BareAnswers answers = bare(answer(1, 2));
  answers.digest = 1;  // of all, which is another one
  BareCheck check(answers);
  check.add(batch_at(0), answer(1, 2));
  Batch last;
  last.samples = {kBareSamples};
  EXPECT_THROW(check.add(last, answer(1, 3)), Departed);
}

TEST_F(BareCheckTest, ToleratesTheFloatModelsRoundingAndMeasuresIt) {
  const BareAnswers answers = bare(answer(1, 2));
  BareCheck check(answers);
  check.add(batch_at(0), answer(1.001F, 2));
  ASSERT_TRUE(check.reference_sqnr_db());
  EXPECT_NEAR(*check.reference_sqnr_db(), 60, 0.1);  // a thousandth
}

TEST_F(BareCheckTest, ANumberThatIsNotFiniteOnOneSideAloneIsADifference) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const BareAnswers answers = bare(answer(1, nan));
  BareCheck check(answers);
  check.add(batch_at(0), answer(nan, nan));
  EXPECT_EQ(check.reference_sqnr_db(), -std::numeric_limits<double>::infinity());
  BareCheck other(answers);
  EXPECT_THROW(other.add(batch_at(0), answer(1, 1)), Departed);
}

TEST(OutputsSqnr, ANanOnBothSidesIsNoDifference) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const TensorMap outputs{{"y", Tensor::from<float>({2}, {nan, 1})}};
  EXPECT_EQ(outputs_sqnr_db(outputs, outputs), std::numeric_limits<double>::infinity());
}

TEST(OutputsSqnr, IntegersAreComparedByTheirElements) {
  const TensorMap outputs{{"y", Tensor::from<std::int64_t>({3}, {1, 2, 3})}};
  const TensorMap others{{"y", Tensor::from<std::int64_t>({3}, {1, 4, 5})}};
  EXPECT_FALSE(outputs_sqnr_db(outputs, others));
  EXPECT_EQ(outputs_others(outputs, others), 2U);
}

}  // namespace
}  // namespace quantlens::flow
