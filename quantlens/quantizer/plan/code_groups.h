// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "quantlens/graph/clip_bounds.h"
#include "quantlens/quant/params.h"
#include "quantlens/quantizer/plan/select.h"

namespace quantlens {

/// The bounds of the Relu or Clip that makes a value; nothing where another op does.
std::optional<ClipBounds> bounds_of_maker(const GraphIndex& index, const std::string& value);

/// Which values are codes of one scale and zero point: what an op moves and what it then gives, and
/// all parts of a join with the whole.
class CodeGroups {
 public:
  /// The range of a value; null where none is known.
  using FindRange = std::function<const Range*(const std::string& value)>;

  /// All but the selection outlive it.
  CodeGroups(const GraphIndex& index, const Prepared& prepared, const Selection& selection,
             FindRange range_of);

  /// The value that stands for a value's group.
  const std::string& leader(const std::string& value) const;
  /// What covers all that joins put together in a group; nothing where there is no join.
  std::optional<Range> joined_range(const std::string& leader) const;
  /// Why joins that were selected cannot give codes, by pattern: their values are in no group.
  const std::map<std::size_t, std::string>& obstacles() const { return obstacles_; }

 private:
  /// Of a group: the range that joins need, and where codes have to end at the latest, as they do
  /// the work of a Relu6 or the like.
  struct Group {
    std::optional<Range> range;
    float end = std::numeric_limits<float>::infinity();
  };

  void move(const Pattern& pattern);
  void join(std::size_t pattern);
  /// Nothing where the parts cannot have one scale: then `obstacles_` says why.
  std::optional<Group> joined(std::size_t pattern);
  Group group_of(const std::string& value) const;

  const GraphIndex& index_;
  const Prepared& prepared_;
  FindRange range_of_;
  std::unordered_map<std::string, std::string> leaders_;  // chains of them
  std::unordered_map<std::string, Group> groups_;         // by leader
  std::map<std::size_t, std::string> obstacles_;
};

}  // namespace quantlens
