// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tuning/goal.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Accuracy figure(double value, bool higher_is_better = true) {
  Accuracy accuracy;
  accuracy.value = value;
  accuracy.higher_is_better = higher_is_better;
  return accuracy;
}

TEST(Goal, ALossIsAShareOfTheFloatFigureOrInItsUnit) {
  const Goal relative;
  EXPECT_DOUBLE_EQ(loss_of(relative, figure(0.8), -0.08), 0.1);
  EXPECT_DOUBLE_EQ(loss_of(relative, figure(0.8), 0.08), -0.1);
  EXPECT_DOUBLE_EQ(loss_of(relative, figure(0.5, false), 0.1), 0.2);
  EXPECT_DOUBLE_EQ(loss_of(relative, figure(-0.5), -0.1), 0.2);
  Goal absolute;
  absolute.absolute = true;
  EXPECT_DOUBLE_EQ(loss_of(absolute, figure(0.8), -0.08), 0.08);
}

TEST(Goal, OfAFigureOfZeroAnyLossIsInfinite) {
  EXPECT_EQ(loss_of({}, figure(0), 0), 0);
  EXPECT_EQ(loss_of({}, figure(0), -0.1), kInfinity);
  EXPECT_EQ(loss_of({}, figure(0), 0.1), -kInfinity);
  EXPECT_EQ(loss_of({}, figure(1), std::nan("")), kInfinity);
  EXPECT_FALSE(is_within({}, kInfinity));
}

/// Whether it is refused.
bool is_no_baseline(const Goal& goal, const Accuracy& reference, bool from_zero = true) {
  try {
    check_baseline(goal, reference, from_zero);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    return true;
  }
  return false;
}

TEST(Goal, OfAModelThatKnowsNothingNoLossIsTold) {
  Goal absolute;
  absolute.absolute = true;
  for (const Goal& goal : {Goal(), absolute}) {
    EXPECT_TRUE(is_no_baseline(goal, figure(0)));
    EXPECT_TRUE(is_no_baseline(goal, figure(std::nan(""))));
    EXPECT_TRUE(is_no_baseline(goal, figure(kInfinity, false)));
    EXPECT_FALSE(is_no_baseline(goal, figure(0, false))) << "no error at all is a good model";
    EXPECT_FALSE(is_no_baseline(goal, figure(0.01)));
    EXPECT_FALSE(is_no_baseline(goal, figure(-0.2)));
  }
  EXPECT_FALSE(is_no_baseline(absolute, figure(0), false)) << "a program's zero may be anywhere";
  EXPECT_TRUE(is_no_baseline({}, figure(0), false)) << "there is no share of zero";
}

TEST(Goal, OfMoreThanAllOfTheAccuracyIsRefused) {
  Goal goal{.max_loss = 5};
  try {
    check_goal(goal, true);
    FAIL() << "it is no goal";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::usage);
    EXPECT_NE(std::string(error.what()).find("write 0.05 or 5%"), std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW(check_goal(goal, false)) << "an error may grow to any size";
  goal.absolute = true;
  EXPECT_NO_THROW(check_goal(goal, true)) << "the unit is the metric's";
  EXPECT_NO_THROW(check_goal({.max_loss = 0.99}, true));
  EXPECT_NO_THROW(check_goal({.max_loss = -1}, true));
}

TEST(Goal, RoundingAloneDoesNotMissIt) {
  // 0.99 * 0.7 is not what 0.7 - 0.007 is
  EXPECT_TRUE(is_within({}, loss_of({}, figure(0.7), 0.7 * 0.99 - 0.7)));
  EXPECT_FALSE(is_within({}, 0.0101));
}

TEST(Goal, AnIntervalOnOneSideDecides) {
  const Goal goal;  // -0.008 of 0.8
  using Interval = std::array<double, 2>;
  EXPECT_EQ(judged_early(goal, figure(0.8), Interval{-0.007, 0.1}), Judged::met);
  EXPECT_EQ(judged_early(goal, figure(0.8), Interval{-0.2, -0.009}), Judged::missed);
  EXPECT_EQ(judged_early(goal, figure(0.8), Interval{-0.2, 0}), std::nullopt);
  EXPECT_EQ(judged_early(goal, figure(0.8), std::nullopt), std::nullopt);
  EXPECT_EQ(judged_early(goal, figure(0.8, false), Interval{0.009, 0.2}), Judged::missed);
  EXPECT_EQ(judged_early(goal, figure(0.8, false), Interval{-0.2, 0.007}), Judged::met);
}

Trial trial_of(double loss, std::uint64_t compute, std::uint64_t bytes) {
  Trial trial;
  trial.loss = loss;
  trial.reached = loss <= 0.01;
  trial.compute_quantized = compute;
  trial.bytes = bytes;
  return trial;
}

TEST(Goal, ObjectivesOrderWhatIsWithinIt) {
  const Trial fast = trial_of(0.009, 10, 200);
  const Trial small = trial_of(0.008, 9, 100);
  const Trial good = trial_of(0.001, 1, 300);
  Goal goal;
  EXPECT_TRUE(is_better(goal, fast, small));
  EXPECT_FALSE(is_better(goal, small, fast));
  EXPECT_FALSE(is_better(goal, fast, fast));
  goal.objective = Objective::size;
  EXPECT_TRUE(is_better(goal, small, fast));
  goal.objective = Objective::accuracy;
  EXPECT_TRUE(is_better(goal, good, small));
  goal.objective = Objective::speed;
  EXPECT_TRUE(is_better(goal, fast, small)) << "nothing is predicted: ops count";
  Trial slower = fast;
  Trial faster = small;
  slower.predicted_us = 20;
  EXPECT_TRUE(is_better(goal, slower, faster)) << "only one is predicted";
  faster.predicted_us = 10;
  EXPECT_TRUE(is_better(goal, faster, slower));
  goal.objective = Objective::int8;
  EXPECT_FALSE(is_better(goal, faster, slower)) << "predictions do not count";
  const Trial missed = trial_of(0.2, 20, 1);
  const Trial worse = trial_of(0.3, 21, 1);
  for (const Objective objective :
       {Objective::int8, Objective::speed, Objective::size, Objective::accuracy}) {
    goal.objective = objective;
    EXPECT_TRUE(is_better(goal, good, missed)) << static_cast<int>(objective);
    EXPECT_FALSE(is_better(goal, missed, good)) << static_cast<int>(objective);
    EXPECT_TRUE(is_better(goal, missed, worse)) << static_cast<int>(objective);
  }
}

TEST(Goal, MultiplicationsInInt8CountBeforeOps) {
  Trial much = trial_of(0.009, 1, 200);
  Trial many = trial_of(0.008, 20, 200);
  much.multiply_adds_quantized = 1000;
  many.multiply_adds_quantized = 999;
  EXPECT_TRUE(is_better({}, much, many));
  many.multiply_adds_quantized = 1000;
  EXPECT_TRUE(is_better({}, many, much));
}

TEST(Goal, OfARateIsNoMoreThanAll) {
  Goal goal;
  goal.max_loss = -0.5;
  EXPECT_NE(out_of_reach(goal, figure(0.75)).find("of 1.1250"), std::string::npos);
  EXPECT_EQ(out_of_reach(goal, figure(0.5)), "");
  EXPECT_EQ(out_of_reach(goal, figure(0.9, false)), "");
  goal.absolute = true;
  EXPECT_EQ(out_of_reach(goal, figure(0.5)), "");
  EXPECT_NE(out_of_reach(goal, figure(0.75)), "");
  Accuracy correlation = figure(0.75);
  correlation.is_rate = false;
  EXPECT_EQ(out_of_reach(goal, correlation), "");
}

}  // namespace
}  // namespace quantlens
