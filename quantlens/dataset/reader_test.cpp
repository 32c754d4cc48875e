// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/reader.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/dataset/test_files.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Samples = std::vector<std::uint64_t>;

/// Sample i is the vector (i, i + 0.5), or whatever `make` says; counts what is being asked of it.
class Numbers final : public Dataset {
 public:
  explicit Numbers(std::uint64_t size, std::function<Sample(std::uint64_t)> make = {})
      : size_(size), make_(std::move(make)) {}

  static Sample vector(std::uint64_t index) {
    const auto first = static_cast<float>(index);
    return {.inputs = {{"", Tensor::from<float>({2}, {first, first + 0.5F})}},
            .label = Tensor::scalar(static_cast<std::int64_t>(index))};
  }
  std::uint64_t size() const override { return size_; }
  std::string name(std::uint64_t index) const override { return fmt::format("number {}", index); }
  bool has_labels() const override { return true; }
  Sample read(std::uint64_t index) const override {
    ++reads;
    if (index % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    return make_ ? make_(index) : vector(index);
  }

  mutable std::atomic<std::uint64_t> reads = 0;

 private:
  std::uint64_t size_;
  std::function<Sample(std::uint64_t)> make_;
};

Sample fail_at(const std::set<std::uint64_t>& bad, std::uint64_t index, Errc code) {
  if (bad.contains(index)) throw Error(code, fmt::format("number {} is bad", index));
  return Numbers::vector(index);
}

std::vector<Batch> read_all(BatchReader& reader) {
  std::vector<Batch> batches;
  while (std::optional<Batch> batch = reader.next()) batches.push_back(std::move(*batch));
  return batches;
}

std::vector<Samples> indices_of(const std::vector<Batch>& batches) {
  std::vector<Samples> indices;
  for (const Batch& batch : batches) indices.push_back(batch.samples);
  return indices;
}

/// Waits until `done`, or for two seconds.
void wait_for(const std::function<bool()>& done) {
  for (int i = 0; i < 2000 && !done(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(Reader, GivesWholeSamplesAsTheyAre) {
  const Numbers numbers(2);
  BatchReader reader(numbers, {.batch_size = 4, .whole = true}, "x");
  const std::vector<Batch> batches = read_all(reader);
  ASSERT_EQ(batches.size(), 2U);
  EXPECT_THAT(batches[1].samples, ElementsAre(1));
  EXPECT_THAT(batches[1].inputs.at("x").shape(), ElementsAre(2));
  EXPECT_THAT(batches[1].inputs.at("x").data<float>(), ElementsAre(1.0F, 1.5F));
}

TEST(BatchReader, StacksSamplesAlongANewFirstAxis) {
  const Numbers data(5);
  BatchReader reader(data, {.batch_size = 2}, "x");
  EXPECT_EQ(reader.size(), 5U);
  const std::optional<Batch> batch = reader.next();
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->inputs.at("x").shape(), Shape({2, 2}));
  EXPECT_THAT(batch->inputs.at("x").data<float>(), ElementsAre(0, 0.5F, 1, 1.5F));
  EXPECT_EQ(batch->labels.at(1)->data<std::int64_t>()[0], 1);
  EXPECT_THAT(indices_of(read_all(reader)), ElementsAre(Samples{2, 3}, Samples{4}));
  EXPECT_FALSE(reader.next().has_value());
}

TEST(BatchReader, GivesEqualBatchesForAnyNumberOfThreads) {
  const std::set<std::uint64_t> bad = {0, 7, 8, 9, 31, 99};
  const Numbers data(100, [&](std::uint64_t i) { return fail_at(bad, i, Errc::bad_input); });
  BatchReader one(data, {.batch_size = 8, .threads = 1}, "x");
  const std::vector<Batch> expected = read_all(one);
  for (const unsigned threads : {0U, 2U, 4U, 9U}) {
    BatchReader many(data, {.batch_size = 8, .threads = threads}, "x");
    const std::vector<Batch> batches = read_all(many);
    ASSERT_EQ(indices_of(batches), indices_of(expected));
    for (std::size_t i = 0; i < batches.size(); ++i) {
      EXPECT_TRUE(std::ranges::equal(batches[i].inputs.at("x").bytes(),
                                     expected[i].inputs.at("x").bytes()));
    }
    EXPECT_EQ(many.skipped_count(), bad.size());
  }
}

TEST(BatchReader, ReadsTheAskedRangeOnly) {
  const Numbers data(10);
  BatchReader reader(data, {.batch_size = 2, .first = 3, .count = 3, .threads = 2}, "x");
  EXPECT_EQ(reader.size(), 3U);
  EXPECT_THAT(indices_of(read_all(reader)), ElementsAre(Samples{3, 4}, Samples{5}));
  EXPECT_EQ(data.reads, 3U);
  BatchReader beyond(data, {.first = 8, .count = 5}, "x");
  EXPECT_EQ(beyond.size(), 2U);
  BatchReader outside(data, {.first = 20}, "x");
  EXPECT_EQ(outside.size(), 0U);
  EXPECT_FALSE(outside.next().has_value());
}

TEST(BatchReader, LeavesOutSamplesThatFillNoBatchWhereAskedToBeExact) {
  const Numbers data(10, [](std::uint64_t i) { return fail_at({3}, i, Errc::bad_input); });
  BatchReader reader(data, {.batch_size = 4, .exact = true}, "x");
  EXPECT_THAT(indices_of(read_all(reader)), ElementsAre(Samples{0, 1, 2, 4}, Samples{5, 6, 7, 8}));
  EXPECT_EQ(reader.left_out(), 1U);
  BatchReader few(data, {.batch_size = 16, .exact = true}, "x");
  EXPECT_THAT(read_all(few), testing::IsEmpty());
  EXPECT_EQ(few.left_out(), 9U);
}

TEST(BatchReader, FillsTheGapOfASkippedSampleAndSaysWhyItWasSkipped) {
  const Numbers data(6, [](std::uint64_t i) { return fail_at({1, 5}, i, Errc::not_found); });
  BatchReader reader(data, {.batch_size = 3, .threads = 3}, "x");
  EXPECT_THAT(indices_of(read_all(reader)), ElementsAre(Samples{0, 2, 3}, Samples{4}));
  ASSERT_EQ(reader.skipped_count(), 2U);
  EXPECT_EQ(reader.skipped()[0].sample, 1U);
  EXPECT_EQ(reader.skipped()[1].name, "number 5");
  EXPECT_EQ(reader.skipped()[1].reason, "number 5 is bad");
}

TEST(BatchReader, NamesTheFirstHundredSkippedSamplesAndCountsAll) {
  const Numbers data(250, [](std::uint64_t i) -> Sample {
    throw Error(Errc::io, fmt::format("number {} is bad", i));
  });
  BatchReader reader(data, {.batch_size = 4, .threads = 4, .ahead = 1}, "x");
  EXPECT_FALSE(reader.next().has_value());
  EXPECT_EQ(reader.skipped_count(), 250U);
  ASSERT_EQ(reader.skipped().size(), 100U);
  EXPECT_EQ(reader.skipped()[99].sample, 99U);
}

TEST(BatchReader, ThrowsInItsTurnWhereItIsStrict) {
  const Numbers data(9, [](std::uint64_t i) { return fail_at({5}, i, Errc::bad_input); });
  BatchReader reader(data, {.batch_size = 2, .threads = 4, .strict = true}, "x");
  EXPECT_EQ(reader.next()->samples, Samples({0, 1}));
  EXPECT_EQ(reader.next()->samples, Samples({2, 3}));
  EXPECT_EQ(sentence([&] { reader.next(); }), "bad_input: number 5 is bad");
  EXPECT_EQ(sentence([&] { reader.next(); }), "bad_input: number 5 is bad");
}

TEST(BatchReader, CarriesOtherFailuresToTheReaderEvenIfItIsNotStrict) {
  const Numbers stopped(4, [](std::uint64_t i) { return fail_at({2}, i, Errc::interrupted); });
  BatchReader reader(stopped, {.threads = 2}, "x");
  EXPECT_TRUE(reader.next() && reader.next());
  EXPECT_EQ(sentence([&] { reader.next(); }), "interrupted: number 2 is bad");
  const Numbers starved(4, [](std::uint64_t) -> Sample { throw std::bad_alloc(); });
  BatchReader out_of_memory(starved, {.threads = 2}, "x");
  EXPECT_THROW(out_of_memory.next(), std::bad_alloc);
}

/// Numbers that turn out to be damaged when all is read.
class Unsound final : public Dataset {
 public:
  std::uint64_t size() const override { return 4; }
  std::string name(std::uint64_t) const override { return "number"; }
  bool has_labels() const override { return true; }
  Sample read(std::uint64_t index) const override {
    if (index == 2) check_whole();
    return Numbers::vector(index);
  }
  void check_whole() const override { throw DamagedData(Errc::bad_input, "numbers are damaged"); }
};

TEST(BatchReader, LeavesOutNoSampleOfADamagedWholeAndEndsWellWithNone) {
  const Unsound numbers;
  BatchReader all(numbers, {.strict = false}, "x");
  EXPECT_TRUE(all.next() && all.next());
  EXPECT_THROW(all.next(), DamagedData);
  EXPECT_EQ(all.skipped_count(), 0U);
  BatchReader few(numbers, {.count = 2}, "x");
  EXPECT_TRUE(few.next() && few.next());
  EXPECT_THROW(few.next(), DamagedData);
  EXPECT_THROW(few.next(), DamagedData);
}

TEST(BatchReader, NeverStacksSamplesOfUnequalShape) {
  const Numbers data(6, [](std::uint64_t i) {
    const std::int64_t length = i < 3 ? 4 : 5;
    const Tensor zeros =
        Tensor::from<float>({length}, std::vector<float>(static_cast<std::size_t>(length)));
    return Sample{.inputs = {{"", zeros}}, .label = {}};
  });
  BatchReader reader(data, {.batch_size = 2, .threads = 3}, "x");
  EXPECT_THAT(indices_of(read_all(reader)),
              ElementsAre(Samples{0, 1}, Samples{2}, Samples{3, 4}, Samples{5}));
}

TEST(BatchReader, AlignsTheViewsOfAFile) {
  const MappedFile file = MappedFile::from_bytes(std::string(1 + 2 * sizeof(double), '\0'));
  const Numbers data(2, [&](std::uint64_t i) {
    const Bytes row = file.bytes().subspan(1 + i * sizeof(double), sizeof(double));
    return Sample{.inputs = {{"", Tensor(DType::float64, {1}, row, file.owner())}}, .label = {}};
  });
  BatchReader reader(data, {}, "x");
  EXPECT_EQ(reader.next()->inputs.at("x").data<double>()[0], 0);
}

TEST(BatchReader, StaysWithinWhatItMayHoldAheadAndGoesOnWhenSomeIsTaken) {
  const Numbers data(1000);
  BatchReader reader(data, {.batch_size = 4, .threads = 4, .ahead = 3}, "x");
  wait_for([&] { return data.reads >= 12; });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(data.reads, 12U);
  reader.next();
  wait_for([&] { return data.reads >= 16; });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(data.reads, 16U);
}

TEST(BatchReader, WithoutThreadsItsCallerReadsNoMoreThanTheNextBatch) {
  std::set<std::thread::id> readers;
  const Numbers data(20, [&](std::uint64_t i) {
    readers.insert(std::this_thread::get_id());
    return Numbers::vector(i);
  });
  BatchReader reader(data, {.batch_size = 4, .threads = 0}, "x");
  EXPECT_EQ(data.reads, 0U);
  EXPECT_EQ(reader.next()->samples, (Samples{0, 1, 2, 3}));
  EXPECT_EQ(data.reads, 4U);
  EXPECT_EQ(indices_of(read_all(reader)).size(), 4U);
  EXPECT_EQ(readers, std::set{std::this_thread::get_id()});
}

TEST(BatchReader, CanBeLeftBeforeTheEnd) {
  const Numbers data(1'000'000'000);
  BatchReader reader(data, {.batch_size = 8, .threads = 4}, "x");
  EXPECT_TRUE(reader.next().has_value());
}

TEST(BatchReader, MakesOneBatchOfFewerSamplesThanItsSize) {
  const Numbers data(3);
  BatchReader reader(data, {.batch_size = UINT64_MAX, .threads = 2}, "x");
  EXPECT_THAT(indices_of(read_all(reader)), ElementsAre(Samples{0, 1, 2}));
}

}  // namespace
}  // namespace quantlens
