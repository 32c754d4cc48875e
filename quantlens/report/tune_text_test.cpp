// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "quantlens/report/tables.h"

namespace quantlens {
namespace {

Trial trial_of(double value, bool reached) {
  Trial trial;
  trial.why = "a try";
  trial.accuracy = Accuracy{.metric = "top1", .value = value, .interval = {}, .samples = 400};
  trial.loss = (0.7462 - value) / 0.7462;
  trial.reached = reached;
  trial.bytes = 1'500'000;
  return trial;
}

Study study_of(const std::vector<Trial>& trials) {
  Study study;
  study.reference.value = 0.7462;
  study.reference.samples = 400;
  study.reference_bytes = 6'000'000;
  for (const Trial& trial : trials) {
    study.trials.push_back(trial);
    study.trials.back().number = study.trials.size();
  }
  return study;
}

const StudyTimes kTimes{.reference = 6.694, .trials = {5.4415, 4.25}};

TEST(TuneText, ALineSaysWhatThePredecessorsSaid) {
  Study study = study_of({trial_of(0.2103, false)});
  study.best = 1;
  EXPECT_EQ(trial_text(study, kTimes),
            "Tune 1 result is: [Accuracy (int8|fp32): 0.2103|0.7462, Duration (seconds) "
            "(int8|fp32): 5.4415|6.6940], Best tune result is: n/a\n  a try\n");
  study = study_of({trial_of(0.2103, false), trial_of(0.7412, true)});
  study.best = 2;
  study.reached = true;
  EXPECT_NE(trial_text(study, kTimes)
                .find("Best tune result is: [Accuracy: 0.7412, Duration (seconds): 4.2500]\n"),
            std::string::npos);
}

TEST(TuneText, ATrialThatSawPartOfTheSamplesSaysSo) {
  Study study = study_of({trial_of(0.2103, false)});
  study.trials[0].judged = Judged::missed;
  study.trials[0].accuracy->samples = 50;
  EXPECT_NE(trial_text(study, kTimes).find("beyond doubt: over 50 of 400 samples"),
            std::string::npos);
  study.trials[0].judged = Judged::failed;
  study.trials[0].accuracy.reset();
  study.trials[0].failure = "no kernel";
  EXPECT_EQ(trial_text(study, kTimes),
            "Tune 1 result is: n/a, Best tune result is: n/a\n  failed: no kernel\n");
  study.trials[0].judged = Judged::output_error;
  EXPECT_EQ(trial_text(study, kTimes), "");
}

TEST(TuneText, AFloatModelWithinTheGoalIsNoGoalReached) {
  Study study = study_of({trial_of(0.2103, false), trial_of(0.7462, true)});
  study.best = 2;
  study.reached = true;
  const std::string text = goal_text(study);
  EXPECT_NE(text.find("Nothing is in int8"), std::string::npos) << text;
  EXPECT_NE(text.find("trial 2"), std::string::npos) << text;
  EXPECT_EQ(text.find("reached"), std::string::npos) << text;
  study.trials[1].ops_quantized = 1;
  EXPECT_NE(goal_text(study).find("The goal is reached by trial 2"), std::string::npos);
}

TEST(TuneText, TheTableHasThreeRowsOfFourDecimals) {
  Study study = study_of({trial_of(0.2103, false), trial_of(0.7412, true)});
  study.best = 2;
  study.reached = true;
  const Table table = study_table(study, kTimes);
  EXPECT_EQ(table.title, "Tune Result Statistics");
  EXPECT_EQ(table.columns[2].title, "Tune 2 result");
  const std::vector<std::vector<Cell>> expected{
      {"Accuracy", "0.7462", "0.7412", "0.7412"},
      {"Duration (seconds)", "6.6940", "4.2500", "4.2500"},
      {"Model size (MB)", "6.0000", "1.5000", "1.5000"}};
  EXPECT_EQ(table.rows, expected);
}

TEST(TuneText, FiguresOfPartOfTheSamplesAreNotInTheTable) {
  Study study = study_of({trial_of(0.2103, false), trial_of(0.7412, false)});
  study.trials[1].judged = Judged::missed;
  const Table table = study_table(study, kTimes);
  EXPECT_EQ(table.columns[2].title, "Tune 1 result");
  EXPECT_EQ(table.rows[0][2], Cell("0.2103"));
}

TEST(TuneText, SmallFiguresHaveDigits) {
  Study study = study_of({trial_of(0, false)});
  for (Accuracy* one : {&study.reference, &*study.trials[0].accuracy}) {
    one->is_rate = false;
    one->value = 0.0000012345678;
  }
  EXPECT_NE(trial_text(study, kTimes).find("1.2346e-06|1.2346e-06"), std::string::npos);
  EXPECT_EQ(study_table(study, kTimes).rows[0][1], Cell("1.2346e-06"));
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(TuneText, OurOwnSentencesAreBroken) {
  Study study = study_of({trial_of(0.7, false)});
  study.best = 1;
  for (const bool is_limited : {false, true}) {
    study.is_limited = is_limited;
    EXPECT_LE(longest_line(goal_text(study)), 100u);
  }
  for (int i = 0; i < 60; ++i) study.trials[0].why += " word";
  const std::string text = trial_text(study, kTimes);
  EXPECT_LE(longest_line(text.substr(text.find('\n') + 1)), 100u);
}

TEST(TuneText, LossesAreSaidInFewDigits) {
  Study study = study_of({trial_of(0.7, false)});
  study.best = 1;
  const auto said = [&](double loss) {
    study.trials[0].loss = loss;
    const std::string text = goal_text(study);
    const std::size_t begin = text.find("a loss of ") + 10;
    return text.substr(begin, text.find(" where") - begin);
  };
  EXPECT_EQ(said(-1e-9), "0.00 %");
  EXPECT_EQ(said(1e300), "over 1000000 %");
  EXPECT_EQ(said(std::numeric_limits<double>::infinity()), "all of it");
  EXPECT_EQ(said(-std::numeric_limits<double>::infinity()), "less than nothing");
  study.goal.absolute = true;
  EXPECT_EQ(said(0.0123), "0.0123");
  EXPECT_EQ(said(1e-6), "1e-06");
}

/// The sentence in one line.
std::string in_one_line(const Study& study) {
  std::string text = goal_text(study);
  std::ranges::replace(text, '\n', ' ');
  return text;
}

TEST(TuneText, ALossBelowNothingIsAGain) {
  Study study = study_of({trial_of(0.7, false)});
  study.best = 1;
  const auto said = [&](double loss, double max_loss) {
    study.trials[0].loss = loss;
    study.goal.max_loss = max_loss;
    const std::string text = in_one_line(study);
    const std::size_t begin = text.find("with ") + 5;
    return text.substr(begin, text.find(", and is kept") - begin);
  };
  EXPECT_EQ(said(-0.002, 0.01), "a gain of 0.20 % where a loss of 1.00 % is allowed");
  EXPECT_EQ(said(-0.002, -0.5), "a gain of 0.20 % where a gain of 50.00 % is asked for");
  EXPECT_EQ(said(0.002, -0.5), "a loss of 0.20 % where a gain of 50.00 % is asked for");
  EXPECT_EQ(said(-1e300, 0.01), "a gain of over 1000000 % where a loss of 1.00 % is allowed");
  study.goal.absolute = true;
  EXPECT_EQ(said(-0.002, 0.01), "a gain of 0.002 where a loss of 0.0100 is allowed");
  study.goal.absolute = false;
  study.goal.max_loss = 0.01;
  study.trials[0].loss = -0.002;
  Workload run;
  EXPECT_NE(unfinished_text(study, run).find("a gain of 0.20 %"), std::string::npos);
  study.reached = true;
  study.trials[0].ops_quantized = 1;
  EXPECT_NE(
      in_one_line(study).find("trial 1: a gain of 0.20 %, where a loss of 1.00 % is allowed; "),
      std::string::npos);
  study.trials[0].ops_quantized = 0;
  study.goal.max_loss = -0.001;
  EXPECT_NE(in_one_line(study).find("a gain of at least 0.10 %, is trial 1"), std::string::npos);
}

TEST(TuneText, OnlyTrialsCount) {
  Study study = study_of({trial_of(0.7, false), trial_of(0, false), trial_of(0.7, false)});
  study.trials[1].judged = Judged::output_error;
  study.trials[2].closing = true;
  study.best = 1;
  EXPECT_NE(goal_text(study).find("trial 1 comes nearest of 1,"), std::string::npos);
}

TEST(TuneText, OfASearchThatHasNotEndedIsNoVerdict) {
  Study study = study_of({trial_of(0.7, false)});
  Workload run;
  run.id = "20261126-tune";
  run.message = "interrupted";
  EXPECT_EQ(unfinished_text(study, run),
            "The search has not ended, interrupted: no trial has a figure; tune with --resume "
            "20261126-tune goes\non with it\n");
  study.best = 1;
  const std::string text = unfinished_text(study, run);
  EXPECT_NE(text.find("trial 1 is the best of 1 so far"), std::string::npos) << text;
  EXPECT_EQ(text.find("missed"), std::string::npos) << text;
}

TEST(TuneText, TheEndSaysHowFarAndWhatNext) {
  Study study = study_of({trial_of(0.7, false)});
  EXPECT_NE(goal_text(study).find("no trial has a figure"), std::string::npos);
  study.best = 1;
  EXPECT_NE(goal_text(study).find("a loss of 6.19 % where 1.00 % is allowed"), std::string::npos);
  study.goal.absolute = true;
  study.reached = true;
  study.trials[0].ops_quantized = 1;
  EXPECT_NE(goal_text(study).find("The goal is reached by trial 1"), std::string::npos);
  EXPECT_NE(goal_text(study).find("where 0.0100 is allowed"), std::string::npos);
  study.reached = false;
  EXPECT_NE(goal_text(study).find("--max-loss"), std::string::npos);
  study.is_limited = true;
  EXPECT_NE(goal_text(study).find("more --max-trials"), std::string::npos);
}

}  // namespace
}  // namespace quantlens
