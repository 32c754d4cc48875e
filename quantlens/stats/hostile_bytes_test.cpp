// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/stats/bytes.h"
#include "quantlens/stats/channel.h"
#include "quantlens/stats/histogram.h"
#include "quantlens/stats/moments.h"
#include "quantlens/stats/pair_stats.h"
#include "quantlens/stats/testing/random_numbers.h"

namespace quantlens {
namespace {

using drawn::awkward_floats;
using drawn::bytes_of;

// One accumulator of each kind with something in every field, and what a reader does with it.

void fill(ExactSum& sum) {
  for (const double term : {1e200, -3.25, 1e-300}) sum.add(term);
}
void use(const ExactSum& sum) {
  (void)sum.value();
}

void fill(SampleSet& set) {
  for (const std::uint64_t sample : {0u, 1u, 2u, 7u, 900u, 901u}) set.insert(sample);
}
void use(const SampleSet& set) {
  (void)(set.size() + (set.contains(7) ? 1 : 0));
}

void fill(WorstSamples& worst) {
  for (std::uint64_t sample = 0; sample < 5; ++sample) worst.add(sample * 100, 1.5);
}
void use(const WorstSamples&) {}

void fill(Moments& moments) {
  for (std::uint64_t sample = 0; sample < 3; ++sample)
    moments.add(sample, awkward_floats(sample, 60));
}
void use(const Moments& moments) {
  (void)(moments.mean() + moments.standard_deviation());
}

void fill(ChannelMoments& moments) {
  moments.add(awkward_floats(1, 60), {2, 5, 6});
}
void use(const ChannelMoments& moments) {
  for (const auto& channel : moments.channels()) (void)(channel.mean() + channel.variance());
}

void fill(FloatHistogram& histogram) {
  histogram.add(awkward_floats(1, 60));
}
void use(const FloatHistogram& histogram) {
  (void)histogram.bins();
  if (!histogram.empty()) (void)histogram.quantile(0.3);
}

void fill(CodeHistogram& histogram) {
  histogram.add(std::vector<std::uint8_t>(300, 7));
}
void use(const CodeHistogram& histogram) {
  (void)histogram.count();
}

void fill(PairStats& stats) {
  const std::vector<float> x = awkward_floats(1, 60);
  for (std::uint64_t sample = 0; sample < 3; ++sample) {
    stats.add(sample, x, awkward_floats(sample + 5, 60), {-1, 1});
  }
}
void use(const PairStats& stats) {
  (void)(stats.mse() + stats.mse_normalized() + stats.sqnr_db() + stats.cosine() +
         stats.clip_rate() + stats.variance_x() + stats.variance_y());
}

/// What is written of a pair's errors, and of its channels' means.
struct PairErrors {
  PairStats stats;
  void merge(const PairErrors& other) { stats.merge(other.stats); }
  void append_to(std::string& out) const { stats.append_errors_to(out); }
  static PairErrors take_from(std::string_view& in) { return {PairStats::take_errors_from(in)}; }
};
void fill(PairErrors& errors) {
  fill(errors.stats);
}
void use(const PairErrors& errors) {
  use(errors.stats);
}

struct ChannelMeans {
  ChannelMoments moments;
  const auto& channels() const { return moments.channels(); }
  void merge(const ChannelMeans& other) { moments.merge(other.moments); }
  void append_to(std::string& out) const { moments.append_means_to(out); }
  static ChannelMeans take_from(std::string_view& in) {
    return {ChannelMoments::take_means_from(in)};
  }
};
void fill(ChannelMeans& means) {
  fill(means.moments);
}
void use(const ChannelMeans& means) {
  use(means.moments);
}

template <class T>
class HostileBytes : public ::testing::Test {
 protected:
  HostileBytes() {
    fill(value_);
    bytes_ = bytes_of(value_);
  }

  /// Refuses the bytes, or reads something that is used, merged and written again without harm.
  static void expect_harmless(std::string_view bytes) {
    std::string_view in = bytes;
    try {
      T read = T::take_from(in);
      const std::string_view taken = bytes.substr(0, bytes.size() - in.size());
      EXPECT_EQ(bytes_of(read), taken) << "these bytes are not canonical, yet they were read";
      use(read);
      T other;
      fill(other);
      if constexpr (requires { other.channels(); }) {
        if (other.channels().size() != read.channels().size()) return;
      }
      read.merge(other);
      use(read);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_input);
    }
  }

  T value_;
  std::string bytes_;
};

using Accumulators =
    ::testing::Types<ExactSum, SampleSet, WorstSamples, Moments, ChannelMoments, FloatHistogram,
                     CodeHistogram, PairStats, PairErrors, ChannelMeans>;
TYPED_TEST_SUITE(HostileBytes, Accumulators);

TYPED_TEST(HostileBytes, ThatEndTooEarlyAreRefused) {
  for (std::size_t size = 0; size < this->bytes_.size(); ++size) {
    std::string_view in = std::string_view(this->bytes_).substr(0, size);
    EXPECT_THROW(TypeParam::take_from(in), Error) << size;
  }
}

TYPED_TEST(HostileBytes, WithOneBitFlippedDoNoHarm) {
  for (std::size_t bit = 0; bit < 8 * this->bytes_.size(); ++bit) {
    std::string bytes = this->bytes_;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    this->expect_harmless(bytes);
  }
}

TYPED_TEST(HostileBytes, OfPureNoiseDoNoHarm) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 3000; ++trial) {
    std::string bytes = this->bytes_;
    const std::size_t from = random() % bytes.size();
    for (std::size_t i = from; i < std::min(bytes.size(), from + 1 + random() % 12); ++i) {
      bytes[i] = static_cast<char>(random());
    }
    this->expect_harmless(bytes);
  }
}

TEST(Bytes, KeepNumbersOfEverySize) {
  for (unsigned shift = 0; shift < 64; ++shift) {
    for (const std::uint64_t value : {std::uint64_t{1} << shift, ~std::uint64_t{0} >> shift}) {
      std::string bytes;
      append_varint(bytes, value);
      std::string_view in = bytes;
      EXPECT_EQ(take_varint(in), value);
      EXPECT_TRUE(in.empty());
    }
  }
}

TEST(Bytes, RefuseACountThatTheyCannotHold) {
  std::string bytes;
  append_varint(bytes, std::uint64_t{1} << 60);
  bytes.append(100, '\0');
  std::string_view in = bytes;
  EXPECT_THROW(take_count(in, 1), Error);
}

TEST(Bytes, RefuseVarintsThatAreTooLongOrNotTheShortest) {
  for (const std::string_view bytes :
       {std::string_view("\x80\x00", 2),
        std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"),
        std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
        std::string_view("\x80")}) {
    std::string_view in = bytes;
    EXPECT_THROW(take_varint(in), Error);
  }
}

}  // namespace
}  // namespace quantlens
