// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/moved_channels.h"

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/graph/extents.h"
#include "quantlens/graph/testing/small_graph.h"

namespace quantlens {
namespace {

using Ints = std::vector<std::int64_t>;

/// A Reshape "y" of "x", whose extents the file says where they are above 0.
struct Reshaped {
  Graph graph;

  Reshaped(const Ints& extents, const Ints& target) {
    SmallGraph net;
    net.input("x").constant("shape", Tensor::from<std::int64_t>({std::ssize(target)}, target));
    net.node(Kind::reshape, {"x", "shape"}, "y").output("y");
    graph = net.graph();
    std::vector<Dim> dims;
    for (const std::int64_t one : extents) {
      dims.push_back({.extent = one > 0 ? std::optional(one) : std::nullopt, .symbol = {}});
    }
    graph.inputs[0].shape = dims;
  }

  /// The axis of the result that this one becomes; -1: none.
  std::int64_t becomes(std::size_t axis, std::int64_t count) const {
    const GraphIndex index(graph, {});
    const std::size_t rank = graph.inputs[0].shape->size();
    const auto channels =
        moved(index, extents(index), graph.nodes[0],
              {.count = static_cast<std::size_t>(count), .rank = rank, .from_end = rank - axis});
    if (!channels || !channels->has_axis()) return -1;
    return static_cast<std::int64_t>(channels->rank - channels->from_end);
  }

  /// The axis that becomes this one of the result; -1: none.
  std::int64_t was(std::size_t axis, std::size_t rank) const {
    const GraphIndex index(graph, {});
    const auto channels = moved_back(index, extents(index), graph.nodes[0],
                                     {.count = 1, .rank = rank, .from_end = rank - axis});
    if (!channels || !channels->has_axis()) return -1;
    return static_cast<std::int64_t>(channels->rank - channels->from_end);
  }
};

/// The place along an axis of an element, of all in their order.
std::int64_t place(const Ints& shape, std::size_t axis, std::int64_t element) {
  for (std::size_t i = shape.size(); i > axis + 1; --i) element /= shape[i - 1];
  return element % shape[axis];
}

std::int64_t size_of(const Ints& shape) {
  std::int64_t size = 1;
  for (const std::int64_t one : shape) size *= one;
  return size;
}

bool are_same(const Ints& before, std::size_t axis, const Ints& after, std::size_t other) {
  for (std::int64_t element = 0; element < size_of(before); ++element) {
    if (place(before, axis, element) != place(after, other, element)) return false;
  }
  return true;
}

class Shapes {
 public:
  explicit Shapes(unsigned seed) : random_(seed) {}

  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }

  Ints shape() {
    Ints shape(static_cast<std::size_t>(1 + below(4)));
    for (std::int64_t& one : shape) one = 1 + below(6);
    return shape;
  }

  /// As many elements, in other axes.
  Ints other(const Ints& shape) {
    Ints factors;
    for (const std::int64_t one : shape) {
      if (one == 4 || one == 6) factors.push_back(one / 2);
      factors.push_back(one == 4 || one == 6 ? 2 : one);
      if (below(3) == 0) factors.push_back(1);
    }
    Ints joined{factors[0]};
    for (std::size_t i = 1; i < factors.size(); ++i) {
      if (below(2) == 0) {
        joined.back() *= factors[i];
      } else {
        joined.push_back(factors[i]);
      }
    }
    return joined;
  }

 private:
  std::mt19937 random_;
};

TEST(MovedChannels, OfAReshapeAreThoseOfEachElement) {
  Shapes random(3);
  int found = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Ints before = random.shape(), after = random.other(before);
    for (std::size_t axis = 0; axis < before.size(); ++axis) {
      if (before[axis] == 1) continue;
      const std::int64_t becomes = Reshaped(before, after).becomes(axis, before[axis]);
      bool exists = false;
      for (std::size_t other = 0; other < after.size(); ++other)
        exists = exists || are_same(before, axis, after, other);
      ASSERT_EQ(becomes >= 0, exists);
      if (!exists) continue;
      EXPECT_TRUE(are_same(before, axis, after, static_cast<std::size_t>(becomes)));
      ++found;
    }
  }
  EXPECT_GT(found, 500);
}

TEST(MovedChannels, AreNeverOthersWhereExtentsAreOpen) {
  Shapes random(4);
  int found = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Ints before = random.shape(), after = random.other(before);
    Ints known = before, target = after;
    for (std::int64_t& one : known) one = random.below(2) == 0 ? 0 : one;
    if (random.below(2) == 0) {
      target[static_cast<std::size_t>(random.below(std::ssize(target)))] = -1;
    } else if (before[0] == after[0]) {
      target[0] = 0;
    }
    const Reshaped reshaped(known, target);
    for (std::size_t axis = 0; axis < before.size(); ++axis) {
      if (const std::int64_t to = reshaped.becomes(axis, before[axis]); to >= 0) {
        EXPECT_TRUE(are_same(before, axis, after, static_cast<std::size_t>(to)));
        ++found;
      }
    }
    for (std::size_t axis = 0; axis < after.size(); ++axis) {
      if (const std::int64_t from = reshaped.was(axis, after.size()); from >= 0) {
        EXPECT_TRUE(are_same(before, static_cast<std::size_t>(from), after, axis));
        ++found;
      }
    }
  }
  EXPECT_GT(found, 1000);
}

TEST(MovedChannels, AreMatchedFromBothEndsOfAnOpenAxis) {
  EXPECT_EQ(Reshaped({0, 2, 3, 3}, {-1, 2, 9}).becomes(1, 2), 1);
  EXPECT_EQ(Reshaped({0, 2, 0, 0}, {0, 2, -1}).becomes(1, 2), 1);
  EXPECT_EQ(Reshaped({1, 0, 0, 4}, {1, -1, 4}).becomes(3, 4), 2);
  EXPECT_EQ(Reshaped({0, 4, 6}, {-1, 6, 4}).becomes(1, 4), -1) << "a mix";
  EXPECT_EQ(Reshaped({0, 2, 0, 0}, {-1, 2, 9}).becomes(1, 2), -1) << "9 may be no image";
}

TEST(MovedChannels, TakesNoExtentThatOverflows) {
  const std::int64_t huge = std::int64_t{1} << 40;
  EXPECT_EQ(Reshaped({2, huge, huge, huge}, {2, huge * 1024, -1}).becomes(0, 2), 0);
  EXPECT_EQ(Reshaped({2, huge, huge, 3}, {2, -1, 3}).becomes(3, 3), 2);
  EXPECT_EQ(Reshaped({2, 5, huge, huge}, {2, 5, -1, huge / 2}).becomes(1, 5), 1);
}

}  // namespace
}  // namespace quantlens
