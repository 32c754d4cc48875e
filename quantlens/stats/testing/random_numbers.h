// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the tests of stats only: awkward tensors, and the bytes of accumulators.

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <rapidcheck/gtest.h>

namespace quantlens::drawn {

template <class T>
std::string bytes_of(const T& value) {
  std::string bytes;
  value.append_to(bytes);
  return bytes;
}

/// Floats of every kind: of any bits (NaN and infinities too), near one, small integers, zeros.
inline float awkward_float(std::mt19937_64& random) {
  const auto bits = static_cast<std::uint32_t>(random());
  switch (random() % 8) {
    case 0:
      return std::bit_cast<float>(bits);
    case 1:
      return bits % 2 == 0 ? 0.0f : -0.0f;
    case 2:
      return static_cast<float>(static_cast<int>(bits % 21) - 10);
    case 3:
      return std::bit_cast<float>(bits & 0x807fffff);  // subnormal
    default:
      return std::ldexp(static_cast<float>(static_cast<std::int32_t>(bits)),
                        -31 - static_cast<int>(random() % 12));
  }
}

inline std::vector<float> awkward_floats(std::uint64_t seed, std::size_t size) {
  std::mt19937_64 random(seed);
  std::vector<float> values(size);
  for (float& value : values) value = awkward_float(random);
  return values;
}

/// Values as a network's activations have them: normally distributed, all finite.
inline std::vector<float> normal_floats(std::uint64_t seed, std::size_t size, float scale = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;  // a deviation of 0 is no distribution: scaled below
  std::vector<float> values(size);
  for (float& value : values) value = scale * normal(random);
  return values;
}

template <class Code>
std::vector<Code> random_codes(std::uint64_t seed, std::size_t size) {
  std::mt19937_64 random(seed);
  std::vector<Code> codes(size);
  for (Code& code : codes) code = static_cast<Code>(random());
  return codes;
}

/// A vector of awkward floats for RapidCheck, up to a few thousand long.
inline rc::Gen<std::vector<float>> any_floats() {
  return rc::gen::map(rc::gen::pair(rc::gen::arbitrary<std::uint64_t>(), rc::gen::inRange(0, 3000)),
                      [](const std::pair<std::uint64_t, int>& choice) {
                        return awkward_floats(choice.first,
                                              static_cast<std::size_t>(choice.second));
                      });
}

}  // namespace quantlens::drawn
