// SPDX-License-Identifier: Apache-2.0
#include "quantlens/stats/exact_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/stats/testing/random_numbers.h"

namespace quantlens {
namespace {

using drawn::bytes_of;

ExactSum sum_of(const std::vector<double>& terms) {
  ExactSum sum;
  for (const double term : terms) sum.add(term);
  return sum;
}

// Finite doubles of every magnitude and both signs, many of which nearly cancel.
std::vector<double> awkward_doubles(std::uint64_t seed, std::size_t size) {
  std::mt19937_64 random(seed);
  std::vector<double> terms;
  while (terms.size() < size) {
    const double term = std::bit_cast<double>(random());
    if (!std::isfinite(term)) continue;
    terms.push_back(std::abs(term) > 1e300 ? term * 0x1p-60 : term);
    if (random() % 2 == 0) terms.push_back(-terms.back() * (1 + 0x1p-52));
  }
  return terms;
}

TEST(ExactSum, KeepsWhatADoubleWouldLose) {
  ExactSum sum;
  sum.add(1e300);
  sum.add(1);
  sum.add(-1e300);
  EXPECT_EQ(sum.value(), 1);
}

TEST(ExactSum, OfNothingIsZero) {
  EXPECT_EQ(ExactSum().value(), 0);
  EXPECT_EQ(bytes_of(ExactSum()).size(), 1u);
}

TEST(ExactSum, ThatCancelsEqualsTheEmptyOne) {
  const ExactSum sum = sum_of({1e-300, -3.5, 1e200, 3.5, -1e200, -1e-300});
  EXPECT_EQ(sum, ExactSum());
  EXPECT_EQ(bytes_of(sum), bytes_of(ExactSum()));
}

TEST(ExactSum, OfOneTermIsThatTerm) {
  for (const double term : awkward_doubles(1, 2000)) EXPECT_EQ(sum_of({term}).value(), term);
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  constexpr double kMost = std::numeric_limits<double>::max();
  for (const double term : {kLeast, -kLeast, kMost, -kMost, 0.0, -0.0, 0x1p-1022, 0x1.8p52}) {
    EXPECT_EQ(sum_of({term}).value(), term);
  }
}

TEST(ExactSum, IsRoundedOnceToNearestEven) {
  EXPECT_EQ(sum_of({1, 0x1p-53}).value(), 1);                       // a tie, to even
  EXPECT_EQ(sum_of({1 + 0x1p-52, 0x1p-53}).value(), 1 + 0x1p-51);   // a tie, to even
  EXPECT_EQ(sum_of({1, 0x1p-53, 0x1p-1074}).value(), 1 + 0x1p-52);  // just above the tie
  EXPECT_EQ(sum_of({-1, -0x1p-53, -0x1p-900}).value(), -1 - 0x1p-52);
  EXPECT_EQ(sum_of({1, 0x1p-53, -0x1p-900}).value(), 1);  // just below it
}

__extension__ typedef __int128 Wide;

TEST(ExactSum, AgreesWithWideIntegersWhereThoseAreExact) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 2000; ++trial) {
    Wide exact = 0;
    ExactSum sum;
    for (int i = 0; i < 20; ++i) {
      const auto mantissa = static_cast<std::int64_t>(random()) >> 11;
      const int shift = static_cast<int>(random() % 60);
      exact += Wide{mantissa} * (Wide{1} << shift);
      sum.add(std::ldexp(static_cast<double>(mantissa), shift));
    }
    EXPECT_EQ(sum.value(), static_cast<double>(exact));
  }
}

TEST(ExactSum, BeyondTheLargestDoubleIsInfiniteButNotLost) {
  constexpr double kMost = std::numeric_limits<double>::max();
  ExactSum sum = sum_of({kMost, kMost});
  EXPECT_EQ(sum.value(), std::numeric_limits<double>::infinity());
  sum.add(-kMost);
  EXPECT_EQ(sum.value(), kMost);
}

TEST(ExactSum, DoesNotDependOnOrder) {
  std::vector<double> terms = awkward_doubles(2, 500);
  const std::string bytes = bytes_of(sum_of(terms));
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 50; ++trial) {
    std::shuffle(terms.begin(), terms.end(), random);
    EXPECT_EQ(bytes_of(sum_of(terms)), bytes);
  }
}

TEST(ExactSum, OfAnySplitMergedEqualsTheWhole) {
  const std::vector<double> terms = awkward_doubles(4, 300);
  const ExactSum whole = sum_of(terms);
  for (std::size_t cut = 0; cut <= terms.size(); ++cut) {
    const auto at = terms.begin() + static_cast<std::ptrdiff_t>(cut);
    ExactSum left = sum_of({terms.begin(), at});
    ExactSum right = sum_of({at, terms.end()});
    ExactSum reversed = right;
    reversed.merge(left);
    left.merge(right);
    EXPECT_EQ(bytes_of(left), bytes_of(whole));
    EXPECT_EQ(bytes_of(reversed), bytes_of(whole));
  }
}

TEST(ExactSum, MergedWithItselfIsDoubled) {
  ExactSum sum = sum_of({3.25, -0x1p-700});
  sum.merge(sum);
  EXPECT_EQ(sum, sum_of({6.5, -0x1p-699}));
}

TEST(ExactSum, StaysExactThroughVeryManyMerges) {
  ExactSum sum = sum_of({-0x1.fffffffffffffp0});
  for (int doubling = 0; doubling < 60; ++doubling) sum.merge(ExactSum(sum));
  EXPECT_EQ(sum.value(), -0x1.fffffffffffffp60);
}

TEST(ExactSum, ComesBackFromItsBytes) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const ExactSum sum = sum_of(awkward_doubles(seed, seed % 7));
    const std::string bytes = bytes_of(sum) + "more";
    std::string_view in = bytes;
    const ExactSum back = ExactSum::take_from(in);
    EXPECT_EQ(in, "more");
    EXPECT_EQ(back, sum);
    EXPECT_EQ(back.value(), sum.value());
  }
}

TEST(ExactSum, RefusesBytesThatAreNotCanonical) {
  const auto take = [](const std::string& bytes) {
    std::string_view in = bytes;
    return ExactSum::take_from(in);
  };
  const std::string one("\x01\x00\x01\x00\x00\x00", 6);
  EXPECT_EQ(take(one).value(), 1);
  EXPECT_THROW(take(std::string("\x80", 1)), Error);                      // minus zero
  EXPECT_THROW(take(std::string("\x01\x00\x00\x00\x00\x00", 6)), Error);  // a zero digit
  EXPECT_THROW(take(std::string("\x01\x64\x01\x00\x00\x00", 6)), Error);  // 2^3200
  EXPECT_THROW(take(std::string("\x7f\xde", 2)), Error);
}

}  // namespace
}  // namespace quantlens
