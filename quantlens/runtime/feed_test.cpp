// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/feed.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

using testing::ElementsAre;

/// Samples of one number each; some cannot be read.
class Numbers final : public Dataset {
 public:
  explicit Numbers(std::uint64_t size, std::vector<std::uint64_t> broken = {})
      : size_(size), broken_(std::move(broken)) {}
  std::uint64_t size() const override { return size_; }
  Sample read(std::uint64_t index) const override {
    if (std::ranges::find(broken_, index) != broken_.end()) {
      throw Error(Errc::bad_input, "not a number");
    }
    Sample sample;
    sample.inputs["x"] = Tensor::from<float>({1}, {static_cast<float>(index)});
    return sample;
  }
  std::string name(std::uint64_t index) const override { return "row " + std::to_string(index); }
  bool has_labels() const override { return false; }

 private:
  std::uint64_t size_;
  std::vector<std::uint64_t> broken_;
};

/// Remembers which samples it saw; fails at one of them.
class EchoRun final : public Run {
 public:
  Outputs step(const Batch& batch) override {
    for (const std::uint64_t sample : batch.samples) {
      if (sample == fails_at) throw Error(Errc::failed, "the kernel failed");
      seen.push_back(sample);
    }
    Outputs outputs;
    outputs.reference = batch.inputs;
    return outputs;
  }
  TapState take() override { return {}; }
  const std::vector<NotTapped>& not_tapped() const override { return none_; }

  std::vector<std::uint64_t> seen;
  std::uint64_t fails_at = 1000;

 private:
  std::vector<NotTapped> none_;
};

/// Writes down what it is told; asks to stop after some units.
class Diary final : public Progress {
 public:
  void begin(std::string_view step, std::optional<std::uint64_t> total) override {
    lines.push_back("begin " + std::string(step) + " " + std::to_string(total.value_or(0)));
  }
  void advance(std::uint64_t count) override { units += count; }
  void end() override { lines.push_back("end"); }
  void note(std::string_view sentence) override { lines.emplace_back(sentence); }
  bool stop_requested() const override { return units >= stop_after; }

  std::vector<std::string> lines;
  std::uint64_t units = 0;
  std::uint64_t stop_after = 1000;
};

BatchReader reader_of(const Dataset& dataset, std::uint64_t batch_size) {
  return BatchReader(dataset, {.batch_size = batch_size}, "x");
}

Errc refusal(Run& run, BatchReader& reader, Progress& progress) {
  try {
    feed(run, reader, progress, "run");
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "it went through";
  return Errc::usage;
}

TEST(Feed, GivesEverySampleToRunAndSinkInOrder) {
  const Numbers data(5);
  BatchReader reader = reader_of(data, 2);
  EchoRun run;
  Diary diary;
  std::vector<float> sunk;
  const FeedResult result =
      feed(run, reader, diary, "calibrate", [&](const Batch& batch, const Outputs& outputs) {
        EXPECT_EQ(outputs.reference.at("x").size(),
                  static_cast<std::int64_t>(batch.samples.size()));
        for (const float value : outputs.reference.at("x").data<float>()) sunk.push_back(value);
      });
  EXPECT_THAT(run.seen, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(sunk, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(result.samples, 5u);
  EXPECT_EQ(result.skipped, 0u);
  EXPECT_GE(result.seconds_in_run, 0);
  EXPECT_THAT(diary.lines, ElementsAre("begin calibrate 5", "end"));
  EXPECT_EQ(diary.units, 5u);
}

TEST(Feed, SaysWhichSamplesItSkipsAndGoesOn) {
  const Numbers data(5, {1, 4});
  BatchReader reader = reader_of(data, 1);
  EchoRun run;
  Diary diary;
  const FeedResult result = feed(run, reader, diary, "run");
  EXPECT_THAT(run.seen, ElementsAre(0, 2, 3));
  EXPECT_EQ(result.samples, 3u);
  EXPECT_EQ(result.skipped, 2u);
  EXPECT_EQ(diary.units, 5u);
  ASSERT_EQ(diary.lines.size(), 4u);
  EXPECT_THAT(diary.lines[1], testing::HasSubstr("row 1"));
  EXPECT_THAT(diary.lines[2], testing::HasSubstr("row 4"));
}

TEST(Feed, StopsBetweenBatchesWhenAsked) {
  const Numbers data(10);
  BatchReader reader = reader_of(data, 2);
  EchoRun run;
  Diary diary;
  diary.stop_after = 4;
  EXPECT_EQ(refusal(run, reader, diary), Errc::interrupted);
  EXPECT_THAT(run.seen, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(diary.lines.back(), "end");
}

TEST(Feed, EndsItsStepWhenTheRunFails) {
  const Numbers data(4);
  BatchReader reader = reader_of(data, 1);
  EchoRun run;
  run.fails_at = 2;
  Diary diary;
  EXPECT_EQ(refusal(run, reader, diary), Errc::failed);
  EXPECT_EQ(diary.lines.back(), "end");
}

TEST(Feed, RefusesDataOfWhichNothingCanBeRead) {
  EchoRun run;
  NoProgress quiet;
  const Numbers broken(2, {0, 1});
  BatchReader reader = reader_of(broken, 1);
  EXPECT_EQ(refusal(run, reader, quiet), Errc::bad_input);
  const Numbers none(0);
  BatchReader nothing = reader_of(none, 1);
  EXPECT_EQ(refusal(run, nothing, quiet), Errc::bad_input);
}

/// Takes several steps at once. One may wait until another is done, which in turn waits until the
/// first has begun, so that both are under way at once however late a thread wakes; some fail.
class ManyRun final : public Run {
 public:
  explicit ManyRun(unsigned in_flight) : in_flight_(in_flight) {}

  Outputs step(const Batch& batch) override {
    const std::uint64_t sample = batch.samples.front();
    std::unique_lock lock(mutex_);
    most = std::max(most, ++under_way_);
    begun_.insert(sample);
    changed_.notify_all();
    if (sample == waits_for) {
      changed_.wait_for(lock, std::chrono::seconds(20), [&] { return begun_.contains(waits_at); });
    }
    if (sample == waits_at) {
      changed_.wait_for(lock, std::chrono::seconds(20), [&] { return done.contains(waits_for); });
    }
    done.insert(sample);
    --under_way_;
    changed_.notify_all();
    if (fails_at.contains(sample)) {
      throw Error(Errc::failed, "sample " + std::to_string(sample) + " failed");
    }
    return {.reference = batch.inputs, .quantized = {}};
  }
  unsigned in_flight() const override { return in_flight_; }
  TapState take() override { return {}; }
  const std::vector<NotTapped>& not_tapped() const override { return none_; }

  std::uint64_t waits_at = 1000, waits_for = 1000;
  std::set<std::uint64_t> fails_at, done;
  unsigned most = 0;  ///< steps that were under way at once

 private:
  unsigned in_flight_;
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned under_way_ = 0;
  std::set<std::uint64_t> begun_;
  std::vector<NotTapped> none_;
};

TEST(Feed, TellsInOrderAndOnItsOwnThreadWhateverStepIsDoneFirst) {
  const Numbers data(40, {5});
  for (const std::uint64_t late : {1u, 2u}) {
    BatchReader reader = reader_of(data, 1);
    ManyRun run(4);
    run.waits_at = late;  // who comes later overtakes it
    run.waits_for = 3;
    Diary diary;
    std::vector<std::uint64_t> sunk;
    const std::thread::id home = std::this_thread::get_id();
    const FeedResult result =
        feed(run, reader, diary, "run", [&](const Batch& batch, const Outputs&) {
          EXPECT_EQ(std::this_thread::get_id(), home);
          EXPECT_EQ(diary.units, batch.samples.front()) << "told of all before it";
          sunk.push_back(batch.samples.front());
        });
    EXPECT_EQ(result.samples, 39u);
    EXPECT_EQ(result.skipped, 1u);
    EXPECT_EQ(sunk.size(), 39u);
    EXPECT_TRUE(std::ranges::is_sorted(sunk));
    EXPECT_EQ(diary.units, 40u);
    EXPECT_GE(run.most, 2u);
    EXPECT_LE(run.most, 4u);
  }
}

TEST(Feed, DoesTheFirstBatchAlone) {
  const Numbers data(6);
  BatchReader reader = reader_of(data, 1);
  ManyRun run(3);
  NoProgress quiet;
  bool is_first = true;
  feed(run, reader, quiet, "run", [&](const Batch&, const Outputs&) {
    if (is_first) {
      EXPECT_THAT(run.done, ElementsAre(0));
    }
    is_first = false;
  });
  EXPECT_EQ(run.done.size(), 6u);
}

TEST(Feed, OfStepsThatFailAtOnceTheFirstBatchsIsThrown) {
  const Numbers data(50);
  BatchReader reader = reader_of(data, 1);
  ManyRun run(4);
  run.fails_at = {10, 11, 12};
  run.waits_at = 10;  // another one fails before it
  run.waits_for = 11;
  Diary diary;
  std::vector<std::uint64_t> sunk;
  try {
    feed(run, reader, diary, "run",
         [&](const Batch& batch, const Outputs&) { sunk.push_back(batch.samples.front()); });
    FAIL() << "it went through";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "sample 10 failed");
  }
  EXPECT_EQ(sunk.size(), 10u) << "all before it are told";
  EXPECT_LE(run.done.size(), 18u) << "and no more is begun than may be under way";
  EXPECT_EQ(diary.lines.back(), "end");
}

TEST(Feed, LeavesNoStepUnderWayWhereItIsStoppedOrItsSinkFails) {
  const Numbers data(50);
  ManyRun run(4);
  Diary diary;
  diary.stop_after = 6;
  BatchReader reader = reader_of(data, 1);
  EXPECT_EQ(refusal(run, reader, diary), Errc::interrupted);
  EXPECT_GE(run.done.size(), 6u);
  EXPECT_LE(run.done.size(), 14u) << "as many as may be under way beside those told of";
  BatchReader again = reader_of(data, 1);
  NoProgress quiet;
  ManyRun other(4);
  EXPECT_THROW(feed(other, again, quiet, "run",
                    [](const Batch& batch, const Outputs&) {
                      if (batch.samples.front() == 3) throw Error(Errc::io, "no room");
                    }),
               Error);
  EXPECT_LT(other.done.size(), 50u);
}

}  // namespace
}  // namespace quantlens
