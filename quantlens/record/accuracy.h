// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

namespace quantlens {

/// A model's accuracy over a data set.
struct Accuracy {
  std::string metric;
  double value = 0;                               ///< 0..1 for rates
  std::optional<std::array<double, 2>> interval;  ///< 95 %; absent where none can be had
  std::uint64_t samples = 0;                      ///< 0 of a program, which has its own
  bool is_rate = true;                            ///< the share of samples that are right
  bool higher_is_better = true;                   ///< else the lower
};
BOOST_DESCRIBE_STRUCT(Accuracy, (), (metric, value, interval, samples, is_rate, higher_is_better))

/// lost: right in the reference and wrong in the other model; gained: the reverse.
BOOST_DEFINE_ENUM_CLASS(FlipDirection, lost, gained)

/// A sample whose answer is right in one model and wrong in the other.
struct Flip {
  std::uint64_t sample = 0;
  std::string name;
  FlipDirection direction = FlipDirection::lost;
  std::int64_t label = 0;
  std::int64_t reference = 0;  ///< first answer of the reference
  std::int64_t other = 0;      ///< first answer of the other model
};
BOOST_DESCRIBE_STRUCT(Flip, (), (sample, name, direction, label, reference, other))

inline constexpr std::size_t kFlipsKept = 200;

/// accuracy.json: of one model, or of two over the same samples. What takes two is absent of one.
struct AccuracyRecord {
  std::optional<Accuracy> reference;
  Accuracy quantized;                ///< of one, whether it is quantized or not
  std::optional<double> difference;  ///< quantized - reference
  std::optional<std::array<double, 2>> difference_interval;  ///< 95 %, paired; absent as interval
  std::optional<double> ratio;         ///< difference / reference; absent unless that is above 0
  std::uint64_t lost = 0, gained = 0;  ///< of a rate
  std::vector<Flip> flips;             ///< the first kFlipsKept in order of index
};
BOOST_DESCRIBE_STRUCT(AccuracyRecord, (),
                      (reference, quantized, difference, difference_interval, ratio, lost, gained,
                       flips))

}  // namespace quantlens
