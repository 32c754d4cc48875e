// SPDX-License-Identifier: Apache-2.0
// States of parts of the samples make the accuracy of all, for every kind of metric.
#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/accuracy/evaluate.h"
#include "quantlens/accuracy/testing/steps.h"
#include "quantlens/base/error.h"
#include "quantlens/base/json.h"

namespace quantlens {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kStateSamples = 101;  // odd: parts end inside pairs of embeddings

using MakeStep = Step (*)(std::uint64_t);

Step step_of(std::uint64_t sample, Tensor label, Tensor reference, Tensor quantized) {
  Step step;
  step.batch.samples = {sample};
  step.batch.labels.emplace_back(std::move(label));
  step.outputs.reference.emplace("y", std::move(reference));
  step.outputs.quantized.emplace("y", std::move(quantized));
  return step;
}

/// Scores of three classes.
Step classes(std::uint64_t sample) {
  const auto scores = [&](std::uint64_t seed) {
    std::vector<float> values;
    for (std::uint64_t c = 0; c < 3; ++c) {
      values.push_back(static_cast<float>(some(seed + c * 1000 + sample)));
    }
    return Tensor::from<float>({1, 3}, values);
  };
  return step_of(sample, Tensor::scalar(static_cast<std::int64_t>(some(sample) * 3)), scores(1),
                 scores(7));
}

/// Numbers of very different sizes, whose sums depend on their order where they are rounded.
Step numbers(std::uint64_t sample) {
  const auto values = [&](std::uint64_t seed) {
    std::vector<float> made;
    for (std::uint64_t i = 0; i < 4; ++i) {
      made.push_back(static_cast<float>(std::pow(10, 8 * some(seed + 10 * sample + i))));
    }
    return made;
  };
  return step_of(sample, Tensor::from<float>({4}, values(5)),
                 Tensor::from<float>({1, 4}, values(1)), Tensor::from<float>({1, 4}, values(2)));
}

/// Boxes whose scores are often equal.
Step boxes(std::uint64_t sample) {
  const auto rows = [&](std::uint64_t seed) {
    std::vector<float> made;
    for (std::uint64_t i = 0; i < 5; ++i) {
      const auto at = static_cast<float>(std::floor(4 * some(seed + 20 * sample + i)));
      const auto score = static_cast<float>(std::floor(4 * some(seed + 30 * sample + i)) / 4);
      const auto number = static_cast<float>(i % 2);
      made.insert(made.end(), {at, 0, at + 1.25F, 1, score, number});
    }
    return Tensor::from<float>({1, 5, 6}, made);
  };
  std::vector<float> truth;
  for (std::uint64_t i = 0; i < 3; ++i) {
    const auto at = static_cast<float>(i);
    truth.insert(truth.end(), {at, 0, at + 1, 1, static_cast<float>(i % 2), i == 2 ? 1.0F : 0.0F});
  }
  return step_of(sample, Tensor::from<float>({3, 6}, truth), rows(1), rows(3));
}

Step embeddings(std::uint64_t sample) {
  const auto values = [&](std::uint64_t seed) {
    std::vector<float> made;
    for (std::uint64_t i = 0; i < 6; ++i) {
      made.push_back(static_cast<float>(some(seed + 9 * sample + i)));
    }
    return Tensor::from<float>({1, 6}, made);
  };
  return step_of(sample, Tensor::scalar(static_cast<float>(std::floor(9 * some(sample / 2)))),
                 values(1), values(2));
}

struct Kind {
  const char* metric;
  MakeStep make;
};

class EveryMetric : public ::testing::TestWithParam<Kind> {
 protected:
  MetricSpec spec() const { return parse_metric(GetParam().metric); }

  /// Fed with samples [first, end), but for one that cannot be read.
  AccuracyPairSink pair(std::uint64_t first, std::uint64_t end) const {
    constexpr std::uint64_t kUnreadable = 60;
    AccuracyPairSink sink(spec(), {});
    for (std::uint64_t i = first; i < end; ++i) {
      if (i == kUnreadable) continue;
      const Step one = GetParam().make(i);
      sink.add(one.batch, one.outputs);
    }
    return sink;
  }
  AccuracyState part(std::uint64_t first, std::uint64_t end) const {
    return pair(first, end).state();
  }
  AccuracyPairSink merged(const std::vector<AccuracyState>& parts) const {
    AccuracyPairSink sink(spec(), {});
    for (const AccuracyState& one : parts) {
      // as it comes out of a file
      sink.merge(accuracy_state_from_bytes(to_bytes(one), "a part"));
    }
    return sink;
  }
};

std::string text(const AccuracyRecord& pair) {
  return json::dump(json::encode(pair));
}

TEST_P(EveryMetric, OfPartsIsThatOfAllInAnyOrder) {
  const std::string whole = text(pair(0, kStateSamples).result());
  EXPECT_EQ(text(merged({part(0, 51), part(51, kStateSamples)}).result()), whole);
  EXPECT_EQ(text(merged({part(60, kStateSamples), part(0, 60)}).result()), whole);
  const AccuracyState a = part(0, 33);
  const AccuracyState b = part(33, 61);
  const AccuracyState c = part(61, kStateSamples);
  EXPECT_EQ(text(merged({a, b, c}).result()), whole);
  EXPECT_EQ(text(merged({c, a, b}).result()), whole);
  EXPECT_EQ(text(merged({merged({b, c}).state(), a}).result()), whole);
}

TEST_P(EveryMetric, OfOneModelIsMergedLikewise) {
  const auto alone = [&](std::uint64_t first, std::uint64_t end) {
    AccuracySink sink(spec());
    for (std::uint64_t i = first; i < end; ++i) {
      const Step one = GetParam().make(i);
      sink.add(one.batch, one.outputs);
    }
    return sink;
  };
  AccuracySink sink(spec());
  sink.merge(alone(40, kStateSamples).state());
  sink.merge(alone(0, 40).state());
  EXPECT_EQ(json::encode(sink.result()), json::encode(alone(0, kStateSamples).result()));
}

TEST_P(EveryMetric, RefusesSamplesThatItHas) {
  try {
    merged({part(0, 50), part(49, 70)});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("the first of them is 49"));
  }
}

TEST_P(EveryMetric, RefusesOrBearsDamagedBytes) {
  const AccuracyState good = part(1, 9);
  for (std::size_t at = 0; at < good.quantized.size(); ++at) {
    AccuracyState cut = good;
    cut.quantized.resize(at);
    EXPECT_THROW(merged({cut}), Error) << at;
    for (const char flipped : {'\x01', '\x80', '\xff'}) {
      AccuracyState bad = good;
      bad.quantized[at] = static_cast<char>(bad.quantized[at] ^ flipped);
      try {
        const Accuracy accuracy = merged({bad}).result().quantized;
        if (GetParam().make != numbers) {
          EXPECT_LE(std::abs(accuracy.value), 1) << at;
        }
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Errc::bad_input) << error.what();
      }
    }
  }
  AccuracyState longer = good;
  longer.quantized += '\0';
  EXPECT_THROW(merged({longer}), Error);
}

INSTANTIATE_TEST_SUITE_P(States, EveryMetric,
                         ::testing::Values(Kind{"top1", classes}, Kind{"f1:average=macro", classes},
                                           Kind{"f1:positive=2", classes}, Kind{"mse", numbers},
                                           Kind{"mae", numbers}, Kind{"rmse", numbers},
                                           Kind{"map", boxes}, Kind{"map:iou=0.5", boxes},
                                           Kind{"spearman_cosine", embeddings}));

TEST(AccuracyState, OfNumbersThatAreNoneIsMerged) {
  const auto state_of = [](std::uint64_t sample, float answer) {
    AccuracySink sink(parse_metric("mse"));
    const Step one = step_of(sample, Tensor::from<float>({1}, {1}),
                             Tensor::from<float>({1, 1}, {answer}), Tensor());
    sink.add(one.batch, one.outputs);
    return sink.state();
  };
  AccuracySink sink(parse_metric("mse"));
  sink.merge(state_of(0, std::numeric_limits<float>::infinity()));
  EXPECT_EQ(sink.result().value, std::numeric_limits<double>::infinity());
  sink.merge(state_of(1, 2));
  EXPECT_EQ(sink.result().value, std::numeric_limits<double>::infinity());
  sink.merge(state_of(2, std::numeric_limits<float>::quiet_NaN()));
  EXPECT_TRUE(std::isnan(sink.result().value));
}

TEST(AccuracyState, KeepsTheFirstFlipsOfAllParts) {
  constexpr std::uint64_t kMany = 300;
  const auto step = [](std::uint64_t sample) {  // lost, each of them
    return step_of(sample, Tensor::scalar<std::int64_t>(0), Tensor::from<float>({1, 2}, {1, 0}),
                   Tensor::from<float>({1, 2}, {0, 1}));
  };
  const auto part = [&](std::uint64_t first, std::uint64_t end) {
    AccuracyPairSink sink(parse_metric("top1"), {});
    for (std::uint64_t i = first; i < end; ++i) sink.add(step(i).batch, step(i).outputs);
    return sink;
  };
  AccuracyPairSink sink(parse_metric("top1"), {});
  sink.merge(part(90, kMany).state());
  sink.merge(part(0, 90).state());
  EXPECT_EQ(text(sink.result()), text(part(0, kMany).result()));
  EXPECT_EQ(sink.result().flips.size(), kFlipsKept);
  EXPECT_EQ(sink.result().lost, kMany);
}

TEST(AccuracyState, OfAnotherMetricOrNumberOfModelsIsRefused) {
  const auto failure_of = [](auto sink, const AccuracyState& state) -> std::string {
    try {
      sink.merge(state);
    } catch (const Error& error) {
      return error.what();
    }
    return "no failure";
  };
  const AccuracyState top1 = AccuracySink(parse_metric("top1")).state();
  EXPECT_THAT(failure_of(AccuracySink(parse_metric("top1:label_offset=1")), top1),
              HasSubstr("one is top1:label_offset=1, the other top1"));
  EXPECT_THAT(failure_of(AccuracyPairSink(parse_metric("top1"), {}), top1),
              HasSubstr("one is of two models, the other of one alone"));
}

}  // namespace
}  // namespace quantlens
