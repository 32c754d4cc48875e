// The oracle beside ONNX Runtime on small random nets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/runtime/contract/models.h"

namespace quantlens::contract {

/// Random choices, equal for equal seeds on every machine.
class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed + 1) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  std::vector<std::int64_t> several(std::size_t count, std::int64_t low, std::int64_t high) {
    std::vector<std::int64_t> result(count);
    for (std::int64_t& value : result) value = between(low, high);
    return result;
  }
  bool flip() { return between(0, 1) == 1; }
  unsigned seed() { return static_cast<unsigned>(random_()); }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    const auto at = between(0, static_cast<std::int64_t>(choices.size()) - 1);
    return choices.begin()[at];
  }

 private:
  std::mt19937 random_;
};

/// A net and what it is fed.
struct Trial {
  Net net;
  TensorMap inputs;

  /// Adds a random float input, batch first.
  std::string feed(const std::string& name, const Shape& shape, Dice& dice, double low = -2,
                   double high = 2);
  /// Adds an input of these numbers.
  std::string feed(const std::string& name, const Tensor& tensor);
};

/// What may lie between the two.
struct Tolerance {
  double relative = 0;     ///< of a float output, to its largest magnitude
  std::int64_t codes = 0;  ///< of an integer output
};

/// One op in one family of forms.
struct OpCase {
  const char* name;
  Trial (*make)(Dice& dice);
  Tolerance tolerance;
};
inline std::ostream& operator<<(std::ostream& out, const OpCase& op) {
  return out << op.name;  // in the messages of failed tests
}

inline std::string case_name(const testing::TestParamInfo<OpCase>& info) {
  return info.param.name;
}

/// Runs the batch in both and expects their outputs to agree.
void expect_agreement(const Model& model, const Batch& data, const Tolerance& tolerance);

/// Does so for many seeds. Skips where ONNX Runtime is missing.
void try_often(const OpCase& op);

}  // namespace quantlens::contract
