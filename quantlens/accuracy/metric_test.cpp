// SPDX-License-Identifier: Apache-2.0
#include "quantlens/accuracy/metric.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

Batch labels_batch(const std::vector<std::int64_t>& labels) {
  Batch batch;
  for (const std::int64_t label : labels) {
    batch.samples.push_back(100 + batch.samples.size());
    batch.labels.emplace_back(Tensor::scalar<std::int64_t>(label));
  }
  return batch;
}

/// What a rate says of sample `i`.
SampleScore scored(const std::string& metric, const Batch& batch, std::size_t i,
                   const TensorMap& outputs) {
  const auto made = make_metric(parse_metric(metric));
  made->add(batch, outputs);
  return made->last()[i];
}

/// What the metric says of one sample with these scores.
SampleScore score(const std::string& metric, std::vector<float> scores, std::int64_t label) {
  const auto classes = static_cast<std::int64_t>(scores.size());
  const TensorMap outputs = {{"y", Tensor::from<float>({1, classes}, std::move(scores))}};
  return scored(metric, labels_batch({label}), 0, outputs);
}

/// The sentence that `work` fails with, after its code.
template <class Work>
std::string failure(Errc code, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.code() == code ? error.what() : std::string("another code: ") + error.what();
  }
  return "no failure";
}

TEST(ParseMetric, TakesNameAndOptionsApart) {
  const MetricSpec spec = parse_metric("top1:output=probabilities,label_offset=-1");
  EXPECT_EQ(spec.name, "top1");
  EXPECT_THAT(spec.options,
              ElementsAre(Pair("label_offset", "-1"), Pair("output", "probabilities")));
  EXPECT_THAT(parse_metric("top5").options, IsEmpty());
}

TEST(ParseMetric, KeepsColonsAndEqualSignsOfAnOutputsName) {
  EXPECT_THAT(parse_metric("top1:output=scores:0=x").options,
              ElementsAre(Pair("output", "scores:0=x")));
}

TEST(MetricText, IsTakenApartAsItWas) {
  for (const std::string text :
       {"top5", "top1:label_offset=-1,output=scores:0=x", "command:./score.sh 'a, b' {model}",
        "command:./score.sh,higher_is_better=false"}) {
    const MetricSpec spec = parse_metric(text);
    EXPECT_EQ(metric_text(spec), text);
    const MetricSpec again = parse_metric(metric_text(spec));
    EXPECT_EQ(again.options, spec.options);
    EXPECT_EQ(again.program, spec.program);
  }
}

TEST(ParseMetric, NamesTheNearestOfAnUnknownName) {
  const auto sentence = failure(Errc::usage, [] { parse_metric("top2"); });
  EXPECT_THAT(sentence, AllOf(HasSubstr("'top2'"), HasSubstr("did you mean 'top1'")));
}

TEST(ParseMetric, ListsAllWhereNothingIsNear) {
  const auto sentence = failure(Errc::usage, [] { parse_metric("bleu"); });
  EXPECT_THAT(sentence, HasSubstr("known: top1, top5, accuracy"));
}

TEST(ParseMetric, RefusesWhatItWouldIgnore) {
  const auto refusal = [](const std::string& text) {
    return failure(Errc::usage, [&] { parse_metric(text); });
  };
  EXPECT_THAT(refusal("top1:outptu=y"), HasSubstr("did you mean 'output'"));
  EXPECT_THAT(refusal("top1:output="), HasSubstr("no value"));
  EXPECT_THAT(refusal("top1:label_offset=one"), HasSubstr("whole number"));
  EXPECT_THAT(refusal("top1:label_offset=1x"), HasSubstr("whole number"));
  EXPECT_THAT(refusal("top1:output=a,output=b"), HasSubstr("twice"));
}

TEST(MakeMetric, ChecksASpecMadeByHand) {
  EXPECT_THAT(failure(Errc::usage,
                      [] {
                        make_metric({"top1", {{"topk", "3"}}, {}});
                      }),
              HasSubstr("topk"));
}

TEST(Top1, IsRightWhereTheLabelScoresMost) {
  const SampleScore right = score("top1", {0.1f, 0.7f, 0.2f}, 1);
  EXPECT_TRUE(right.right);
  EXPECT_EQ(right.answer, 1);
  EXPECT_FALSE(score("top1", {0.1f, 0.7f, 0.2f}, 2).right);
}

TEST(Top1, TakesTheLowestOfEqualClasses) {
  EXPECT_TRUE(score("top1", {1, 3, 3}, 1).right);
  EXPECT_FALSE(score("top1", {1, 3, 3}, 2).right);
  EXPECT_TRUE(score("top1", {kInf, kInf}, 0).right);
}

TEST(Top1, OfNanIsWrongAndNoAnswer) {
  const SampleScore wrong = score("top1", {0.1f, 0.9f, kNan}, 1);
  EXPECT_FALSE(wrong.right);
  EXPECT_EQ(wrong.answer, kNoAnswer);
}

TEST(Top1, AnswersInTheNumberingOfTheLabels) {
  const SampleScore shifted = score("top1:label_offset=1", {0, 0, 9}, 1);
  EXPECT_TRUE(shifted.right);
  EXPECT_EQ(shifted.answer, 1);
}

TEST(Top5, CountsALabelThatFewerThanFiveClassesPrecede) {
  EXPECT_TRUE(score("top5", {9, 8, 7, 6, 5, 4}, 4).right);
  EXPECT_FALSE(score("top5", {9, 8, 7, 6, 5, 4}, 5).right);
  EXPECT_TRUE(score("top5", {1, 2}, 0).right);
}

TEST(Top5, CountsEqualClassesByTheirNumber) {
  EXPECT_TRUE(score("top5", {1, 1, 1, 1, 1, 1}, 4).right);
  EXPECT_FALSE(score("top5", {1, 1, 1, 1, 1, 1}, 5).right);
}

TEST(Metrics, ScoreEachSampleOfABatchOfAnyRank) {
  const TensorMap outputs = {{"y", Tensor::from<float>({2, 1, 2, 1}, {0, 1, 1, 0})}};
  const std::string metric = "accuracy";
  const Batch batch = labels_batch({1, 1});
  EXPECT_EQ(scored(metric, batch, 0, outputs).answer, 1);
  EXPECT_EQ(scored(metric, batch, 1, outputs).answer, 0);
}

TEST(Metrics, TakeAnOutputWithoutBatchForABatchOfOne) {
  const TensorMap outputs = {{"y", Tensor::from<float>({3}, {0, 1, 0})}};
  EXPECT_TRUE(scored("top1", labels_batch({1}), 0, outputs).right);
}

TEST(Metrics, ScoreClassesOfEveryNumericType) {
  const std::string metric = "top1";
  const double close = std::nextafter(1.0, 2.0);
  const std::vector<Tensor> kinds = {Tensor::from<double>({1, 2}, {1.0, close}),
                                     Tensor::from<std::uint8_t>({1, 2}, {3, 200}),
                                     Tensor::from<std::int64_t>({1, 2}, {-5, 7})};
  for (const Tensor& kind : kinds) {
    EXPECT_TRUE(scored(metric, labels_batch({1}), 0, {{"y", kind}}).right) << name(kind.dtype());
  }
}

TEST(Accuracy, ComparesAnIntegerAnswerWithTheLabel) {
  const TensorMap outputs = {{"y", Tensor::from<std::int64_t>({2}, {4, 7})}};
  const std::string metric = "accuracy:label_offset=1";
  EXPECT_TRUE(scored(metric, labels_batch({3, 3}), 0, outputs).right);
  const SampleScore wrong = scored(metric, labels_batch({3, 3}), 1, outputs);
  EXPECT_FALSE(wrong.right);
  EXPECT_EQ(wrong.answer, 6);
}

TEST(Metrics, PreferTheOnlyFloatOutput) {
  const TensorMap outputs = {{"label", Tensor::from<std::int64_t>({1}, {0})},
                             {"scores", Tensor::from<float>({1, 2}, {0, 1})}};
  EXPECT_TRUE(scored("top1", labels_batch({1}), 0, outputs).right);
}

TEST(Metrics, AskWhichOutputWhereThereAreMore) {
  const TensorMap outputs = {{"a", Tensor::from<float>({1, 2}, {0, 1})},
                             {"b", Tensor::from<float>({1, 2}, {1, 0})}};
  const Batch batch = labels_batch({0});
  EXPECT_THAT(failure(Errc::usage, [&] { scored("top1", batch, 0, outputs); }),
              HasSubstr("outputs a, b; say which one to score, e.g. top1:output=a"));
  EXPECT_TRUE(scored("top1:output=b", batch, 0, outputs).right);
}

TEST(Metrics, NameTheNearestOfAnUnknownOutput) {
  const TensorMap outputs = {{"probabilities", Tensor::from<float>({1, 2}, {0, 1})}};
  EXPECT_THAT(failure(Errc::usage,
                      [&] { scored("top1:output=probability", labels_batch({0}), 0, outputs); }),
              HasSubstr("did you mean 'probabilities'"));
}

/// The sentence about a sample that does not fit.
std::string misfit(const Batch& batch, const Tensor& output, const std::string& metric = "top1") {
  return failure(Errc::bad_input, [&] { scored(metric, batch, 0, {{"y", output}}); });
}

TEST(Metrics, SayWhatDoesNotFit) {
  const Tensor scores = Tensor::from<float>({1, 3}, {0, 1, 2});
  Batch unlabelled = labels_batch({0});
  unlabelled.labels[0].reset();
  EXPECT_THAT(misfit(unlabelled, scores),
              HasSubstr("sample 100: the data has no labels; give a labels file"));
  unlabelled.labels.clear();
  EXPECT_THAT(misfit(unlabelled, scores), HasSubstr("no labels"));
  EXPECT_THAT(misfit(labels_batch({3}), scores),
              HasSubstr("its label 3 is not among the 3 classes"));
  EXPECT_THAT(misfit(labels_batch({-1}), scores), HasSubstr("label -1"));
  EXPECT_THAT(misfit(labels_batch({0, 1}), scores), HasSubstr("shape [1,3] for 2 samples"));
  EXPECT_THAT(misfit(labels_batch({0}), Tensor::from<float>({1, 1}, {0.5f})),
              HasSubstr("one value"));
  EXPECT_THAT(misfit(labels_batch({0}), Tensor::from<float>({1, 0}, {})), HasSubstr("[1,0]"));
  EXPECT_THAT(misfit(labels_batch({0}), Tensor::from_strings({1}, {"cat"})), HasSubstr("string"));
}

TEST(Metrics, SayThatALabelIsNoClass) {
  const Tensor scores = Tensor::from<float>({1, 2}, {0, 1});
  Batch batch = labels_batch({0});
  batch.labels[0] = Tensor::from<float>({2}, {0, 1});
  EXPECT_THAT(misfit(batch, scores), HasSubstr("its label is float32 of shape [2]"));
  batch.labels[0] = Tensor::scalar(0.5f);
  EXPECT_THAT(misfit(batch, scores), HasSubstr("number of one class"));
}

TEST(Metrics, TakeALabelThatIsAWholeFloat) {
  Batch batch = labels_batch({0});
  batch.labels[0] = Tensor::from<float>({1}, {1.0f});
  const TensorMap outputs = {{"y", Tensor::from<float>({1, 2}, {0, 1})}};
  EXPECT_TRUE(scored("top1", batch, 0, outputs).right);
}

TEST(Metrics, SurviveExtremeLabels) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  const Tensor scores = Tensor::from<float>({1, 2}, {0, 1});
  EXPECT_THAT(misfit(labels_batch({kMax}), scores, "top1:label_offset=2147483647"),
              HasSubstr("not among"));
  EXPECT_THAT(misfit(labels_batch({kMin}), scores, "top1:label_offset=-2147483648"),
              HasSubstr("not among"));
  const TensorMap whole = {{"y", Tensor::from<std::int64_t>({1}, {kMin})}};
  const std::string metric = "accuracy:label_offset=1";
  EXPECT_FALSE(scored(metric, labels_batch({0}), 0, whole).right);
}

TEST(ParseMetric, TakesWhetherMoreIsBetter) {
  EXPECT_TRUE(is_higher_better(parse_metric("top5")));
  EXPECT_FALSE(is_higher_better(parse_metric("top5:higher_is_better=false")));
  EXPECT_THAT(failure(Errc::usage, [] { parse_metric("top5:higher_is_better=no"); }),
              HasSubstr("true or false"));
}

TEST(CheckOutput, NamesTheNearest) {
  const MetricSpec spec = parse_metric("spearman_cosine:output=a1");
  check_output(spec, {{.name = "a1"}, {.name = "b"}});
  EXPECT_THAT(failure(Errc::usage,
                      [&] {
                        check_output(spec, {{.name = "a2"}, {.name = "b"}});
                      }),
              HasSubstr("did you mean 'a2'"));
}

TEST(CheckOutput, SaysThatOneOfSeveralMustBeNamed) {
  const MetricSpec spec = parse_metric("top1");
  check_output(spec, {{.name = "scores"}, {.name = "answer", .is_float = false}});
  EXPECT_THAT(failure(Errc::usage,
                      [&] {
                        check_output(spec, {{.name = "scores"}, {.name = "features"}});
                      }),
              HasSubstr("say which one to score, e.g. top1:output=scores"));
  check_output(parse_metric("map"), {{.name = "boxes"}, {.name = "scores"}});
}

TEST(ParseMetric, RefusesClassesOfACorrelation) {
  EXPECT_THAT(failure(Errc::usage, [] { parse_metric("spearman_cosine:label_offset=1"); }),
              HasSubstr("means nothing to spearman_cosine, whose options are output"));
}

}  // namespace
}  // namespace quantlens
