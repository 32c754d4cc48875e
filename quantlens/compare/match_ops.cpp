// SPDX-License-Identifier: Apache-2.0
#include "quantlens/compare/match_ops.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "quantlens/compare/op_network.h"

namespace quantlens {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};
constexpr std::size_t kMostRivals = 8;   // of a proposal: more are ambiguous anyway
constexpr std::size_t kMostLooked = 64;  // neighbours; what so many read tells little
/// Weights are far nearer to each other than to others if they differ by at most this many
/// deviations, and others by so many times as much.
constexpr double kNear = 0.2, kFarther = 4;

bool is_wire_kind(const OpOutline& op) {
  return op.kind == Kind::constant || op.kind == Kind::identity;
}

/// Numbers of ops by a text that one op alone has.
template <class Text>
std::unordered_map<std::string, std::size_t> by_text(const GraphOutline& graph, Text&& text) {
  std::unordered_map<std::string, std::size_t> all;
  for (std::size_t i = 0; i < graph.ops.size(); ++i) {
    if (is_wire_kind(graph.ops[i]) || text(graph.ops[i]).empty()) continue;
    const auto [found, is_new] = all.emplace(text(graph.ops[i]), i);
    if (!is_new) found->second = kNone;
  }
  return all;
}

/// One network while its ops are matched.
struct MatchState {
  explicit MatchState(const MatchSide& side)
      : graph(side.graph), network(op_network(side.graph)), other(network.ops.size(), kNone) {
    for (const OpOutline& op : graph.ops) {
      const auto found = side.evidence.find(op.op);
      evidence.push_back(found == side.evidence.end() ? OpEvidence() : found->second);
    }
    for (std::size_t i = 0; i < network.ops.size(); ++i)
      if (!evidence[i].figures.empty()) alike[network.ops[i].weak].push_back(i);
  }
  bool is_open(std::size_t i) const { return other[i] == kNone && !network.ops[i].is_wire; }

  const GraphOutline& graph;
  OpNetwork network;
  std::vector<OpEvidence> evidence;
  std::vector<std::size_t> other;  ///< of each op its partner
  /// Ops of one type whose weights have one shape, by NetworkOp::weak.
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> alike;
};

/// In deviations; infinite where they cannot be compared.
double distance_of(const TensorSummary& a, const TensorSummary& b) {
  const double size = std::max(a.standard_deviation, b.standard_deviation);
  const double most =
      std::max({std::abs(a.min - b.min), std::abs(a.max - b.max), std::abs(a.mean - b.mean),
                std::abs(a.standard_deviation - b.standard_deviation)});
  if (most == 0) return 0;
  return size > 0 && std::isfinite(most) ? most / size : std::numeric_limits<double>::infinity();
}

double distance_of(const OpEvidence& a, const OpEvidence& b) {
  if (a.figures.size() != b.figures.size()) return std::numeric_limits<double>::infinity();
  double most = 0;
  for (std::size_t k = 0; k < a.figures.size(); ++k)
    most = std::max(most, distance_of(a.figures[k], b.figures[k]));
  return most;
}

using OpLabel = std::function<std::uint64_t(const MatchState&, std::size_t)>;

class OpMatcher {
 public:
  OpMatcher(const MatchSide& a, const MatchSide& b) : a_(a), b_(b) {}

  std::vector<MatchedPair> match() {
    const auto around = [](const MatchState& side, std::size_t i) {
      const NetworkOp& op = side.network.ops[i];
      return op.before == 0 || op.behind == 0 ? 0 : mixed(op.before, op.behind);
    };
    propose_unique(around);
    accept(Trust::structure);
    propose_unique([&](const MatchState& side, std::size_t i) {
      return with_evidence(side, i, around(side, i));
    });
    accept();
    propose_unique(
        [](const MatchState& side, std::size_t i) { return side.network.ops[i].before; });
    propose_unique(
        [](const MatchState& side, std::size_t i) { return side.network.ops[i].behind; });
    accept();
    go_on();
    propose_unique([](const MatchState& side, std::size_t i) {
      const std::uint64_t weights = side.evidence[i].weights;
      return weights == 0 ? 0 : mixed(side.network.ops[i].strong, weights);
    });
    accept();
    go_on();
    propose_nearest();
    accept();
    go_on();
    propose_names(&OpOutline::op);
    accept();
    propose_names(&OpOutline::name);
    accept();
    go_on();
    return result();
  }

 private:
  static std::uint64_t with_evidence(const MatchState& side, std::size_t i, std::uint64_t label) {
    const OpEvidence& known = side.evidence[i];
    const std::uint64_t told = known.weights != 0 ? known.weights : known.activation;
    return label == 0 || told == 0 ? 0 : mixed(label, told);
  }

  bool is_possible(std::size_t i, std::size_t j) const {
    return a_.is_open(i) && b_.is_open(j) && a_.network.ops[i].weak == b_.network.ops[j].weak;
  }

  bool weights_differ(std::size_t i, std::size_t j) const {
    const std::uint64_t a = a_.evidence[i].weights, b = b_.evidence[j].weights;
    return a != 0 && b != 0 && a != b;
  }

  /// Whether another op of the side is far nearer to `one` than `distance` is.
  static bool has_nearer(const MatchState& side, const NetworkOp& op, const OpEvidence& one,
                         double distance) {
    const auto found = side.alike.find(op.weak);
    if (found == side.alike.end()) return false;
    std::size_t looked = 0;
    for (const std::size_t k : found->second) {
      if (!side.is_open(k)) continue;
      const double other = distance_of(one, side.evidence[k]);
      if (other <= kNear && other * kFarther <= distance) return true;
      if (++looked == kMostLooked) return false;
    }
    return false;
  }

  /// Whether the weights do not speak against it.
  bool is_likely(std::size_t i, std::size_t j) const {
    if (!weights_differ(i, j)) return true;
    const OpEvidence &a = a_.evidence[i], &b = b_.evidence[j];
    const double distance = distance_of(a, b);
    return !has_nearer(b_, a_.network.ops[i], a, distance) &&
           !has_nearer(a_, b_.network.ops[j], b, distance);
  }

  void propose(std::size_t i, std::size_t j) {
    if (!is_possible(i, j)) return;
    std::vector<std::size_t>& rivals = proposed_[i];
    if (rivals.size() < kMostRivals && std::ranges::find(rivals, j) == rivals.end())
      rivals.push_back(j);
  }

  /// Those that alone have their label, on either side, of those that are left.
  void propose_unique(const OpLabel& label) {
    struct Found {
      std::size_t in_a = 0, in_b = 0, a = 0, b = 0;
    };
    std::unordered_map<std::uint64_t, Found> found;
    for (std::size_t i = 0; i < a_.other.size(); ++i) {
      if (const std::uint64_t l = a_.is_open(i) ? label(a_, i) : 0; l != 0) {
        ++found[l].in_a;
        found[l].a = i;
      }
    }
    for (std::size_t j = 0; j < b_.other.size(); ++j) {
      if (const std::uint64_t l = b_.is_open(j) ? label(b_, j) : 0; l != 0) {
        ++found[l].in_b;
        found[l].b = j;
      }
    }
    for (const auto& [l, one] : found)
      if (one.in_a == 1 && one.in_b == 1) propose(one.a, one.b);
  }

  /// What partners are believed for: weights are heard, or all around them agrees.
  enum class Trust : std::uint8_t { weights, structure };

  /// Those that are proposed for each other alone, or among those for which weights speak.
  void accept(Trust trust = Trust::weights) {
    std::unordered_map<std::size_t, std::vector<std::size_t>> back;
    for (const auto& [i, rivals] : proposed_)
      for (const std::size_t j : rivals) back[j].push_back(i);
    std::vector<std::pair<std::size_t, std::size_t>> taken;
    for (const auto& proposal : proposed_) {
      const std::size_t i = proposal.first;
      const auto of_a = [&](std::size_t one) { return standing(i, one, trust); };
      const std::size_t j = only(proposal.second, of_a);
      if (j == kNone) continue;
      const auto of_b = [&](std::size_t one) { return standing(one, j, trust); };
      if (only(back[j], of_b) == i) taken.emplace_back(i, j);
    }
    std::ranges::sort(taken);
    for (const auto& [i, j] : taken) {
      a_.other[i] = j;
      b_.other[j] = i;
      wave_.push_back(i);
    }
    proposed_.clear();
  }

  /// How well a proposal stands.
  enum class Standing : std::uint8_t { unlikely, likely, same_weights };

  Standing standing(std::size_t i, std::size_t j, Trust trust) const {
    if (!weights_differ(i, j)) return Standing::same_weights;
    return trust == Trust::structure || is_likely(i, j) ? Standing::likely : Standing::unlikely;
  }

  /// The one that stands best, unless others stand as well, or it is unlikely.
  template <class StandingOf>
  static std::size_t only(const std::vector<std::size_t>& rivals, StandingOf&& standing_of) {
    std::size_t found = kNone;
    Standing best = Standing::unlikely;
    for (const std::size_t one : rivals) {
      const Standing own = standing_of(one);
      if (own < best || own == Standing::unlikely) continue;
      found = own > best ? one : kNone;
      best = own;
    }
    return found;
  }

  /// From what is matched to its neighbours, until there is nothing more.
  void go_on() {
    wave_.clear();
    for (std::size_t i = 0; i < a_.other.size(); ++i)
      if (a_.other[i] != kNone && has_open_neighbour(a_.network.ops[i])) wave_.push_back(i);
    while (!wave_.empty()) {
      for (const std::size_t i : std::exchange(wave_, {})) propose_neighbours(i, a_.other[i]);
      accept();
    }
  }

  bool has_open_neighbour(const NetworkOp& op) const {
    const auto is_one = [&](const NetworkLink& link) {
      return link.from == NetworkLink::From::op && a_.is_open(link.number);
    };
    return std::ranges::any_of(op.reads, is_one) || std::ranges::any_of(op.readers, is_one);
  }

  void propose_neighbours(std::size_t i, std::size_t j) {
    const NetworkOp& a = a_.network.ops[i];
    const NetworkOp& b = b_.network.ops[j];
    if (!a.free_order && a.reads.size() == b.reads.size()) {
      for (std::size_t k = 0; k < a.reads.size(); ++k) {
        const NetworkLink &from_a = a.reads[k], &from_b = b.reads[k];
        const bool are_ops =
            from_a.from == NetworkLink::From::op && from_b.from == NetworkLink::From::op;
        if (are_ops && from_a.place == from_b.place) propose(from_a.number, from_b.number);
      }
    } else {
      propose_alike(a.reads, b.reads);
    }
    propose_alike(a.readers, b.readers);
  }

  /// Of two lists of neighbours those that can only be each other.
  void propose_alike(const std::vector<NetworkLink>& in_a, const std::vector<NetworkLink>& in_b) {
    using Key = std::uint64_t;
    struct Found {
      std::vector<std::size_t> a, b;
    };
    std::unordered_map<Key, Found> found;
    const auto collect = [&](const MatchState& side, const std::vector<NetworkLink>& links,
                             std::vector<std::size_t> Found::*to) {
      for (const NetworkLink& link : links) {
        if (link.from != NetworkLink::From::op || !side.is_open(link.number)) continue;
        const Key key = mixed(mixed(side.network.ops[link.number].weak, link.place), link.label);
        std::vector<std::size_t>& all = found[key].*to;
        if (std::ranges::find(all, link.number) == all.end()) all.push_back(link.number);
        if (all.size() > kMostRivals) all.resize(kMostRivals);
      }
    };
    collect(a_, in_a, &Found::a);
    collect(b_, in_b, &Found::b);
    for (const auto& [key, one] : found)
      if (one.a.size() == 1 && one.b.size() == 1) propose(one.a.front(), one.b.front());
  }

  /// The open op of a side whose weights are far nearer than those of all others; kNone: none, or
  /// so many are alike that it is not looked for.
  static std::size_t nearest(const MatchState& side, const NetworkOp& op, const OpEvidence& one) {
    const auto found = side.alike.find(op.weak);
    if (found == side.alike.end() || found->second.size() > kMostLooked) return kNone;
    std::size_t first = kNone;
    double least = std::numeric_limits<double>::infinity(), second = least;
    for (const std::size_t k : found->second) {
      if (!side.is_open(k)) continue;
      const double distance = distance_of(one, side.evidence[k]);
      if (distance < least) first = k;
      second = std::min(second, std::max(least, distance));
      least = std::min(least, distance);
    }
    return least <= kNear && least < second && least * kFarther <= second ? first : kNone;
  }

  /// Of ops whose weights were changed, those that are far nearer to each other than to all others.
  void propose_nearest() {
    for (const auto& [weak, ops] : a_.alike) {
      if (ops.size() > kMostLooked) continue;
      for (const std::size_t i : ops) {
        if (!a_.is_open(i)) continue;
        const std::size_t j = nearest(b_, a_.network.ops[i], a_.evidence[i]);
        if (j != kNone && nearest(a_, b_.network.ops[j], b_.evidence[j]) == i) propose(i, j);
      }
    }
  }

  void propose_names(std::string OpOutline::*text) {
    const auto get = [&](const OpOutline& op) -> const std::string& { return op.*text; };
    const auto in_a = by_text(a_.graph, get), in_b = by_text(b_.graph, get);
    for (const auto& [name, i] : in_a) {
      const auto found = in_b.find(name);
      if (i == kNone || found == in_b.end() || found->second == kNone) continue;
      const std::size_t j = found->second;
      if (is_possible(i, j) && is_likely(i, j) && !speaks_against(i, j)) propose(i, j);
    }
  }

  /// Whether neighbours that are matched are not each other's: then the name was reused.
  bool speaks_against(std::size_t i, std::size_t j) const {
    const NetworkOp& a = a_.network.ops[i];
    const NetworkOp& b = b_.network.ops[j];
    return !agree(a.reads, b.reads) || !agree(a.readers, b.readers);
  }

  /// Of the neighbours of A that are matched one at least has its partner among those of B.
  bool agree(const std::vector<NetworkLink>& in_a, const std::vector<NetworkLink>& in_b) const {
    if (in_a.size() > kMostLooked || in_b.size() > kMostLooked) return true;
    bool has_any = false;
    for (const NetworkLink& link : in_a) {
      if (link.from != NetworkLink::From::op || a_.other[link.number] == kNone) continue;
      has_any = true;
      const auto is_partner = [&](const NetworkLink& one) {
        return one.from == NetworkLink::From::op && one.number == a_.other[link.number];
      };
      if (std::ranges::any_of(in_b, is_partner)) return true;
    }
    return !has_any;
  }

  std::vector<MatchedPair> result() const {
    std::vector<MatchedPair> all;
    for (std::size_t i = 0; i < a_.other.size(); ++i) {
      if (a_.other[i] == kNone) continue;
      const OpOutline& a = a_.graph.ops[i];
      const OpOutline& b = b_.graph.ops[a_.other[i]];
      OpMatchedBy by = OpMatchedBy::structure;
      if (!a.name.empty() && a.name == b.name) by = OpMatchedBy::name;
      if (a.op == b.op) by = OpMatchedBy::id;
      all.push_back({.a = i, .b = a_.other[i], .by = by});
    }
    return all;
  }

  MatchState a_, b_;
  std::unordered_map<std::size_t, std::vector<std::size_t>> proposed_;  ///< for each op of A
  std::vector<std::size_t> wave_;  ///< ops of A that were matched last
};

}  // namespace

std::vector<MatchedPair> match_same_file(const GraphOutline& a, const GraphOutline& b) {
  const auto id = [](const OpOutline& op) -> const std::string& { return op.op; };
  const auto in_b = by_text(b, id);
  const auto in_a = by_text(a, id);
  std::vector<MatchedPair> all;
  for (std::size_t i = 0; i < a.ops.size(); ++i) {
    const auto mine = in_a.find(a.ops[i].op);
    const auto found = in_b.find(a.ops[i].op);
    if (mine == in_a.end() || mine->second != i || found == in_b.end() || found->second == kNone)
      continue;
    if (a.ops[i].type == b.ops[found->second].type)
      all.push_back({.a = i, .b = found->second, .by = OpMatchedBy::id});
  }
  return all;
}

std::vector<MatchedPair> match_ops(const MatchSide& a, const MatchSide& b) {
  return OpMatcher(a, b).match();
}

}  // namespace quantlens
