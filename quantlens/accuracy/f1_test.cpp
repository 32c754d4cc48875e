// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/accuracy/evaluate.h"
#include "quantlens/base/error.h"

namespace quantlens {
namespace {

using testing::HasSubstr;

using Classes = std::vector<std::int64_t>;

/// One sample of these labels, answered so (class -1: NaN scores), out of `classes`.
struct Answered {
  Classes labels, answers;
};

Tensor scores_of(const Classes& answers, std::int64_t classes) {
  std::vector<float> scores;
  for (const std::int64_t answer : answers) {
    for (std::int64_t c = 0; c < classes; ++c) {
      scores.push_back(answer < 0 ? std::numeric_limits<float>::quiet_NaN() : c == answer ? 1 : 0);
    }
  }
  return Tensor::from<float>({1, static_cast<std::int64_t>(answers.size()), classes}, scores);
}

Batch f1_batch_of(std::uint64_t sample, const Classes& labels) {
  const Tensor label = labels.size() == 1 ? Tensor::scalar(labels[0])
                                          : Tensor::from<std::int64_t>(
                                                {static_cast<std::int64_t>(labels.size())}, labels);
  return {.samples = {sample}, .inputs = {}, .labels = {label}};
}

Accuracy f1_of(const std::string& metric, const std::vector<Answered>& samples,
               std::int64_t classes) {
  AccuracySink sink(parse_metric(metric));
  std::uint64_t index = 0;
  for (const Answered& sample : samples) {
    sink.add(f1_batch_of(index++, sample.labels),
             {.reference = {{"y", scores_of(sample.answers, classes)}}, .quantized = {}});
  }
  return sink.result();
}

/// The sentence that `work` fails with.
template <class Work>
std::string failure(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no failure";
}

const std::vector<Answered> kBinary{{{1}, {1}}, {{1}, {0}}, {{0}, {1}}, {{1}, {1}}, {{0}, {0}}};

TEST(F1, OfTheClassThatCountsAsPositive) {
  const Accuracy f1 = f1_of("f1", kBinary, 2);  // two hits, one missed, one wrong
  EXPECT_DOUBLE_EQ(f1.value, 4.0 / 6);
  EXPECT_EQ(f1.samples, 5u);
  EXPECT_FALSE(f1.is_rate);
  EXPECT_TRUE(f1.higher_is_better);
  EXPECT_DOUBLE_EQ(f1_of("f1:positive=0", kBinary, 2).value, 2.0 / 4);
}

TEST(F1, OfAllClassesIsTheMeanOfThoseThatOccur) {
  EXPECT_DOUBLE_EQ(f1_of("f1:average=macro", kBinary, 2).value, (4.0 / 6 + 2.0 / 4) / 2);
  EXPECT_DOUBLE_EQ(f1_of("f1:average=macro", kBinary, 7).value, (4.0 / 6 + 2.0 / 4) / 2);
}

TEST(F1, CountsTokensAndIgnoresThoseWithoutALabel) {
  // tokens 1/1, 2/0, 0/0 of the first sample, 2/2 and 1/2 of the second
  const std::vector<Answered> samples{{{1, 2, 0, -100}, {1, 0, 0, 2}},
                                      {{-100, 2, 1, -100}, {1, 2, 2, 0}}};
  EXPECT_DOUBLE_EQ(f1_of("f1:average=macro,ignore_label=-100", samples, 3).value,
                   (2.0 / 3 + 2.0 / 3 + 2.0 / 4) / 3);
  EXPECT_DOUBLE_EQ(f1_of("f1:positive=2,ignore_label=-100", samples, 3).value, 2.0 / 4);
  EXPECT_THAT(failure([&] { f1_of("f1:average=macro", samples, 3); }),
              HasSubstr("sample 0: its label -100 is not among the 3 classes of output 'y' with "
                        "label_offset 0; check the labels, or set f1:label_offset=K or "
                        "f1:ignore_label=-100"));
}

TEST(F1, OfNanIsAMissAndNoAnswer) {
  EXPECT_DOUBLE_EQ(f1_of("f1:average=macro", {{{1}, {-1}}, {{1}, {1}}}, 3).value, 2.0 / 3);
}

TEST(F1, ShiftsLabels) {
  EXPECT_DOUBLE_EQ(f1_of("f1:label_offset=1,positive=0", {{{0}, {1}}, {{1}, {1}}}, 3).value,
                   2.0 / 3);
}

TEST(F1, TakesAnswersAndScoresOfTheOneClass) {
  AccuracySink whole(parse_metric("f1:label_offset=1,positive=0"));
  whole.add(f1_batch_of(0, {0, 0, 1}),
            {.reference = {{"y", Tensor::from<std::int64_t>({1, 3}, {1, 2, 2})}}, .quantized = {}});
  EXPECT_DOUBLE_EQ(whole.result().value, 2.0 / 3);
  const Outputs scores{.reference = {{"y", Tensor::from<float>({1, 3}, {0.6F, 0.4F, 0.5F})}},
                       .quantized = {}};
  AccuracySink sink(parse_metric("f1:threshold=0.5"));
  sink.add(f1_batch_of(0, {1, 1, 0}), scores);
  EXPECT_DOUBLE_EQ(sink.result().value, 2.0 / 4);
  AccuracySink without(parse_metric("f1"));
  EXPECT_THAT(failure([&] {
                without.add(f1_batch_of(0, {1, 1, 0}), scores);
              }),
              HasSubstr("f1:threshold=0.5"));
}

TEST(F1, OfNothingIsZero) {
  EXPECT_EQ(AccuracySink(parse_metric("f1")).result().value, 0);
  EXPECT_EQ(f1_of("f1", {{{0}, {0}}}, 2).value, 0);
}

TEST(F1, HasAnIntervalAboutIt) {
  std::vector<Answered> samples;
  samples.reserve(300);
  for (int i = 0; i < 300; ++i) samples.push_back({{i % 3 == 0 ? 1 : 0}, {i % 5 == 0 ? 1 : 0}});
  const Accuracy f1 = f1_of("f1", samples, 2);
  const auto [low, high] = f1.interval.value();
  EXPECT_GT(low, 0);
  EXPECT_LT(low, f1.value);
  EXPECT_GT(high, f1.value);
  EXPECT_LT(high, 1);
}

TEST(F1, OfTwoModelsIsPaired) {
  AccuracyPairSink sink(parse_metric("f1"), {});
  for (std::uint64_t i = 0; i < 64; ++i) {
    sink.add(f1_batch_of(i, {static_cast<std::int64_t>(i % 2)}),
             {{{"y", scores_of({i % 3 == 0 ? 1 : 0}, 2)}},
              {{"y", scores_of({i % 3 == 0 || i == 7 ? 1 : 0}, 2)}}});
  }
  const AccuracyRecord pair = sink.result();
  EXPECT_GT(pair.difference, 0);
  const auto [low, high] = pair.difference_interval.value();
  EXPECT_LT(low, 0);  // one sample is no proof
  // Of independent samples it would be as wide as one model's own at least.
  const auto [from, to] = pair.quantized.interval.value();
  EXPECT_LT(high - low, to - from);
}

TEST(F1, RefusesWhatCannotBeMeant) {
  EXPECT_THAT(failure([] { parse_metric("f1:average=micro"); }),
              HasSubstr("average is 'micro'; give one of binary, macro"));
  EXPECT_THAT(failure([] { parse_metric("f1:average=macro,positive=1"); }),
              HasSubstr("positive means nothing"));
  EXPECT_THAT(failure([] { parse_metric("f1:threshold=0.5,label_offset=1"); }),
              HasSubstr("label_offset means nothing"));
  EXPECT_THAT(failure([] { parse_metric("f1:averge=macro"); }),
              HasSubstr("f1 has no option 'averge'; did you mean 'average'"));
  EXPECT_THAT(failure([] {
                f1_of("f1", {{{1}, {1}}}, 5);
              }),
              HasSubstr("has 5 classes; write f1:average=macro, or f1:positive=CLASS"));
  EXPECT_THAT(failure([] {
                f1_of("f1:positive=5", {{{1}, {1}}}, 5);
              }),
              HasSubstr("positive=5 is not among the 5 classes"));
}

TEST(F1, TakesLabelsOfTheOutputsShapeOnly) {
  AccuracySink sink(parse_metric("f1:average=macro"));
  const auto failure_of = [&](const Tensor& label) {
    return failure([&] {
      sink.add({.samples = {3}, .inputs = {}, .labels = {label}},
               {.reference = {{"y", scores_of({0, 1, 1, 0}, 3)}}, .quantized = {}});
    });
  };
  EXPECT_THAT(failure_of(Tensor::from<std::int64_t>({3}, {0, 0, 0})),
              HasSubstr("sample 3: its label is int64 of shape [3]; this metric needs labels of "
                        "the shape of the output, which is [4,3] a sample"));
  EXPECT_THAT(failure_of(Tensor::from<float>({4}, {0, 0.5F, 0, 0})),
              HasSubstr("numbers of classes"));
  EXPECT_EQ(failure_of(Tensor::from<float>({1, 4}, {0, 1, 2, 0})), "no failure");
}

TEST(F1, StopsAtAnswersThatAreNoClasses) {
  AccuracySink sink(parse_metric("f1:average=macro"));
  Classes labels(200'000);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int64_t>(i * i);
  const Tensor answers = Tensor::from<std::int64_t>({1, 200'000}, labels);
  EXPECT_THAT(failure([&] {
                sink.add(f1_batch_of(0, labels), {.reference = {{"y", answers}}, .quantized = {}});
              }),
              HasSubstr("more than 100000 classes"));
}

}  // namespace
}  // namespace quantlens
