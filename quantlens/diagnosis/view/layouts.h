// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <tuple>
#include <vector>

#include "quantlens/diagnosis/view/float_view.h"

namespace quantlens {

/// In which order the elements of values stand, as a number: equal where the same was done to the
/// elements of the root, as far as kinds and permutations tell. Numbers are shared by all views
/// that one object looks at. Transposes that undo each other count for nothing.
class Layouts {
 public:
  /// For each value of the view.
  std::vector<std::size_t> of(const FloatView& view);

 private:
  struct Step {
    std::size_t before = 0;
    Kind kind = Kind::other;
    std::vector<std::int64_t> order;
    auto operator<=>(const Step&) const = default;
  };
  std::size_t number(const Step& step);
  std::size_t after(std::size_t before, const Node& node);

  std::map<Step, std::size_t> numbers_;
  std::vector<Step> steps_{Step{}};  ///< by number; 0 is as the root has it
};

}  // namespace quantlens
