// SPDX-License-Identifier: Apache-2.0
#include "quantlens/quantizer/analyze/float_regions.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_set>
#include <vector>

#include "quantlens/graph/roles_of.h"

namespace quantlens {
namespace {

constexpr std::size_t kLargestRegion = 24;  // nodes; real ones have at most 14
constexpr std::size_t kMostInputs = 2;      // of a node inside
constexpr std::size_t kMostUses = 128;      // of a value from which a region is grown

bool may_be_inside(const Node& node) {
  if (node.inputs.size() > kMostInputs || node.outputs.size() != 1) return false;
  switch (node.kind) {
    case Kind::add:
    case Kind::sub:
    case Kind::mul:
    case Kind::div:
    case Kind::pow:
    case Kind::sqrt:
    case Kind::reciprocal:
    case Kind::neg:
    case Kind::cast:
    case Kind::erf:
    case Kind::tanh:
    case Kind::reduce_mean:
    case Kind::identity:
      return true;
    default:
      return false;
  }
}

/// Grows, in graph order, the set of nodes that need nothing but one source value and constants,
/// until a single value leaves it that joins what went through the anchor with what did not.
/// Looks at no more than a fixed number of nodes, whatever the graph.
class Region {
 public:
  Region(const GraphIndex& index, std::string source, std::size_t anchor)
      : index_(index), source_(std::move(source)), anchor_(anchor) {}

  bool grow() {
    std::set<std::size_t> next;
    offer_readers(source_, next);
    while (!next.empty() && nodes_.size() < kLargestRegion && leaving_ <= 1) {
      const std::size_t number = *next.begin();
      next.erase(next.begin());
      if (!fits(number)) continue;
      take(number);
      for (const std::string& value : node(number).outputs) offer_readers(value, next);
      if (joined_ && open_value()) return true;
    }
    return false;
  }

  /// Takes in the only reader of the value that leaves, if it is `kind` with a constant.
  void take_constant_reader(Kind kind) {
    const auto open = open_value();
    if (!open || index_.is_output(*open)) return;
    const std::vector<Use>& uses = index_.uses(*open);
    if (uses.size() != 1 || node(uses[0].node).kind != kind) return;
    const Node& reader = node(uses[0].node);
    if (reader.inputs.size() == 2 && index_.constant(reader.inputs[1 - uses[0].input])) {
      take(uses[0].node);
    }
  }

  /// Where the source is x - mean(x), these two nodes belong to the function as well.
  bool take_centering() {
    const auto sub = index_.producer(source_);
    if (!sub || node(*sub).kind != Kind::sub || node(*sub).inputs.size() != 2) return false;
    const auto mean = index_.producer(right_of(node(*sub)));
    if (!mean || node(*mean).kind != Kind::reduce_mean ||
        node(*mean).inputs[0] != left_of(node(*sub))) {
      return false;
    }
    nodes_.insert({*sub, *mean});
    return true;
  }

  const std::set<std::size_t>& nodes() const { return nodes_; }
  bool has(Kind kind) const {
    return std::ranges::any_of(nodes_,
                               [&](std::size_t number) { return node(number).kind == kind; });
  }

 private:
  const Node& node(std::size_t number) const { return index_.graph().nodes[number]; }

  void offer_readers(const std::string& value, std::set<std::size_t>& next) const {
    const std::vector<Use>& uses = index_.uses(value);
    if (uses.size() > kMostUses) return;
    for (const Use& use : uses) {
      if (!nodes_.contains(use.node) && may_be_inside(node(use.node))) next.insert(use.node);
    }
  }

  // Whether something outside will read the value, however far the region grows.
  bool surely_leaves(const std::string& value) const {
    const std::vector<Use>& uses = index_.uses(value);
    return index_.is_output(value) || uses.size() > kLargestRegion * kMostInputs ||
           std::ranges::any_of(uses,
                               [&](const Use& use) { return !may_be_inside(node(use.node)); });
  }

  bool fits(std::size_t number) const {
    return std::ranges::all_of(node(number).inputs, [&](const std::string& value) {
      return value.empty() || value == source_ || made_.contains(value) || index_.constant(value);
    });
  }

  void take(std::size_t number) {
    nodes_.insert(number);
    bool through = number == anchor_;
    bool around = false;
    for (const std::string& value : node(number).inputs) {
      if (through_anchor_.contains(value))
        through = true;
      else if (value == source_ || made_.contains(value))
        around = true;
    }
    if (number != anchor_ && through && around) joined_ = true;
    for (const std::string& value : node(number).outputs) {
      made_.insert(value);
      if (surely_leaves(value)) ++leaving_;
      if (through) through_anchor_.insert(value);
    }
  }

  // The one value of the region that something outside reads; nothing where there are several.
  std::optional<std::string> open_value() const {
    std::optional<std::string> open;
    for (const std::string& value : made_) {
      const bool leaves =
          index_.is_output(value) || std::ranges::any_of(index_.uses(value), [&](const Use& use) {
            return !nodes_.contains(use.node);
          });
      if (!leaves) continue;
      if (open) return std::nullopt;
      open = value;
    }
    return open;
  }

  const GraphIndex& index_;
  std::string source_;
  std::size_t anchor_;
  bool joined_ = false;
  std::size_t leaving_ = 0;  // values that surely leave
  std::set<std::size_t> nodes_;
  std::set<std::string> made_;
  std::unordered_set<std::string> through_anchor_;
};

// Values that the anchor is computed from by elementwise ops and means, made last first.
std::vector<std::string> sources(const GraphIndex& index, std::size_t anchor) {
  std::vector<std::string> found;
  std::set<std::size_t> nodes{anchor};
  std::unordered_set<std::string> seen;
  while (!nodes.empty() && found.size() < kLargestRegion) {
    const std::size_t number = *nodes.rbegin();
    nodes.erase(number);
    for (const std::string& value : index.graph().nodes[number].inputs) {
      if (value.empty() || index.constant(value) || !seen.insert(value).second) continue;
      found.push_back(value);
      const auto producer = index.producer(value);
      if (producer && may_be_inside(index.graph().nodes[*producer])) nodes.insert(*producer);
    }
  }
  return found;
}

std::optional<Region> region_around(const GraphIndex& index, std::size_t anchor) {
  for (const std::string& source : sources(index, anchor)) {
    // two ways begin at a source; what has one reader was tried with what that makes
    if (index.uses(source).size() == 1) continue;
    Region region(index, source, anchor);
    if (region.grow() && region.nodes().contains(anchor)) return region;
  }
  return std::nullopt;
}

}  // namespace

std::map<std::size_t, std::string> find_float_regions(const GraphIndex& index) {
  std::map<std::size_t, std::string> reasons;
  const std::vector<Node>& nodes = index.graph().nodes;
  for (std::size_t number = 0; number < nodes.size(); ++number) {
    const bool root = nodes[number].kind == Kind::sqrt;
    if (!root && nodes[number].kind != Kind::erf && nodes[number].kind != Kind::tanh) continue;
    auto region = region_around(index, number);
    if (!region || (root && !region->has(Kind::reduce_mean))) continue;
    std::string reason = "inside GELU";
    if (root) {
      const bool centered = region->has(Kind::sub) || region->take_centering();
      reason = centered ? "inside LayerNormalization" : "inside RMS normalization";
    }
    region->take_constant_reader(Kind::mul);
    if (root) region->take_constant_reader(Kind::add);
    for (const std::size_t member : region->nodes()) reasons.emplace(member, reason);
  }
  return reasons;
}

}  // namespace quantlens
