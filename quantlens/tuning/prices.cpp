// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tuning/prices.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/graph/order.h"

namespace quantlens {
namespace {

bool has_any(const GroupPrice& group, const std::set<std::string>& ops) {
  return std::ranges::any_of(group.ops, [&](const auto& op) { return ops.contains(op); });
}

std::size_t seen_in_int8(const Prices& prices) {
  return static_cast<std::size_t>(
      std::ranges::count_if(prices.groups, [](const auto& group) { return group.seen_in_int8; }));
}

/// A graph whose minimum cut is the cheapest choice: groups on the source's side are in int8.
class Cut {
 public:
  explicit Cut(std::size_t groups) : graph_(groups + 2), source_(groups), sink_(groups + 1) {}

  void add_group(std::size_t group, double float_us, double int8_us) {
    const double least = std::min(float_us, int8_us);
    join(source_, group, float_us - least, 0);  // cut where the group is float
    join(group, sink_, int8_us - least, 0);     // cut where it is int8
  }
  /// Costs where `from` is in int8 and `to` is not.
  void add_crossing(std::size_t from, std::size_t to, double us) { join(from, to, us, 0); }

  std::vector<bool> in_int8() {
    boost::boykov_kolmogorov_max_flow(graph_, source_, sink_);
    const auto colors = boost::get(boost::vertex_color, graph_);
    std::vector<bool> result(source_);
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = boost::get(colors, i) == boost::black_color;
    }
    return result;
  }

 private:
  using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
  using Graph = boost::adjacency_list<
      boost::vecS, boost::vecS, boost::directedS,
      boost::property<
          boost::vertex_color_t, boost::default_color_type,
          boost::property<boost::vertex_distance_t, long,
                          boost::property<boost::vertex_predecessor_t, Traits::edge_descriptor>>>,
      boost::property<
          boost::edge_capacity_t, double,
          boost::property<boost::edge_residual_capacity_t, double,
                          boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

  void join(std::size_t from, std::size_t to, double there, double back) {
    const auto forth = boost::add_edge(from, to, graph_).first;
    const auto reverse = boost::add_edge(to, from, graph_).first;
    boost::put(boost::edge_capacity, graph_, forth, there);
    boost::put(boost::edge_capacity, graph_, reverse, back);
    boost::put(boost::edge_reverse, graph_, forth, reverse);
    boost::put(boost::edge_reverse, graph_, reverse, forth);
  }

  Graph graph_;
  std::size_t source_;
  std::size_t sink_;
};

bool are_times(std::initializer_list<double> times) {
  constexpr double kMost = 1e12;  // ten days
  return std::ranges::all_of(times, [](double us) { return us >= 0 && us <= kMost; });
}

bool is_sound(const Prices& prices) {
  const std::size_t outside = prices.groups.size();
  const auto is_group = [&](std::uint64_t number) { return number <= outside; };
  return !prices.groups.empty() && std::isfinite(prices.float_rest_us) &&
         std::isfinite(prices.int8_rest_us) &&
         std::ranges::all_of(prices.groups,
                             [](const GroupPrice& group) {
                               return are_times({group.float_us, group.int8_us,
                                                 group.float_beside_us, group.int8_beside_us});
                             }) &&
         std::ranges::all_of(prices.values, [&](const ValuePrice& value) {
           return is_group(value.from) && !value.to.empty() &&
                  std::ranges::all_of(value.to, is_group) &&
                  are_times({value.quantize_us, value.dequantize_us});
         });
}

}  // namespace

void check_prices(const Prices& prices, const Graph& reference, std::string_view where) {
  const auto refuse = [&](std::string_view what) {
    throw Error(
        Errc::bad_input,
        fmt::format("{}: {}; give the prices.json of an earlier run of this model, or leave "
                    "out --prices",
                    where, what));
  };
  if (!is_sound(prices)) refuse("is no sound prices.json");
  const GraphIndex index(reference);
  for (const GroupPrice& group : prices.groups) {
    for (const std::string& op : group.ops) {
      if (!index.producer(op)) refuse("prices ops that this model does not have");
    }
  }
}

std::vector<bool> in_int8(const Prices& prices, const std::set<std::string>& quantized) {
  const std::size_t outside = prices.groups.size();
  std::vector<bool> result;
  for (const GroupPrice& group : prices.groups) {
    result.push_back(group.seen_in_int8 && has_any(group, quantized));
  }
  for (bool changed = true; changed;) {  // one may read what another passes
    changed = false;
    for (const ValuePrice& value : prices.values) {
      if (value.from == outside || !result[value.from]) continue;
      for (const std::uint64_t reader : value.to) {
        if (reader == outside || result[reader] || !prices.groups[reader].passes_codes) continue;
        result[reader] = changed = true;
      }
    }
  }
  return result;
}

std::vector<bool> beside_others(const Prices& prices, const std::vector<bool>& int8) {
  const std::size_t outside = prices.groups.size();
  std::vector<bool> beside(outside);
  for (const ValuePrice& value : prices.values) {
    for (const std::uint64_t reader : value.to) {
      if (value.from == outside || reader == outside) continue;
      if (int8[value.from] == int8[reader]) continue;
      beside[reader] = true;
    }
  }
  return beside;
}

double predict_us(const Prices& prices, const std::set<std::string>& quantized) {
  std::vector<bool> int8 = in_int8(prices, quantized);
  const std::vector<bool> beside = beside_others(prices, int8);
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < prices.groups.size(); ++i) {
    const GroupPrice& group = prices.groups[i];
    if (int8[i]) {
      sum += beside[i] ? group.int8_beside_us : group.int8_us;
      ++count;
    } else {
      sum += beside[i] ? group.float_beside_us : group.float_us;
    }
  }
  int8.push_back(false);  // the outside
  for (const ValuePrice& value : prices.values) {
    std::size_t readers = 0;
    for (const std::uint64_t reader : value.to) readers += int8.at(reader) ? 1 : 0;
    if (!int8.at(value.from)) {
      sum += readers > 0 ? value.quantize_us : 0;
    } else if (readers > 0 || !prices.groups[value.from].gives_floats) {
      sum += value.dequantize_us * static_cast<double>(value.to.size() - readers);
    }
  }
  const std::size_t seen = seen_in_int8(prices);
  const double share = seen > 0 ? count / static_cast<double>(seen) : 0;
  return sum + prices.float_rest_us * (1 - share) + prices.int8_rest_us * share;
}

std::set<std::string> cheapest(const Prices& prices, const std::set<std::string>& choices) {
  constexpr double kNever = 1e12;
  const std::size_t outside = prices.groups.size();
  const std::size_t seen = seen_in_int8(prices);
  const double rest =
      seen > 0 ? (prices.int8_rest_us - prices.float_rest_us) / static_cast<double>(seen) : 0;
  const auto may_be_int8 = [&](const GroupPrice& group) {
    return group.seen_in_int8 && has_any(group, choices);
  };
  const auto goes_with_others = [&](std::uint64_t i) {
    return prices.groups[i].passes_codes && may_be_int8(prices.groups[i]);
  };
  std::vector<double> in_float;
  std::vector<double> in_int8;
  for (const GroupPrice& group : prices.groups) {
    const bool may = may_be_int8(group);
    in_float.push_back(group.float_us);
    in_int8.push_back(may ? group.int8_us + rest : group.float_us + kNever);
  }
  Cut cut(outside);
  for (const ValuePrice& value : prices.values) {
    const double shared = value.quantize_us / static_cast<double>(value.to.size());
    const bool is_float =
        value.from != outside && value.to.size() == 1 && prices.groups[value.from].gives_floats;
    const double dequantize_us = is_float ? 0 : value.dequantize_us;
    for (const std::uint64_t reader : value.to) {
      if (value.from == outside && reader != outside) in_int8[reader] += shared;
      if (value.from != outside && reader == outside) in_int8[value.from] += dequantize_us;
      if (value.from == outside || reader == outside) continue;
      const GroupPrice& to = prices.groups[reader];
      const double more_in_float = std::max(0.0, to.float_beside_us - to.float_us);
      const double more_in_int8 = std::max(0.0, to.int8_beside_us - to.int8_us);
      cut.add_crossing(value.from, reader,
                       goes_with_others(reader) ? kNever : dequantize_us + more_in_float);
      cut.add_crossing(reader, value.from,
                       goes_with_others(value.from) ? kNever : shared + more_in_int8);
    }
  }
  for (std::size_t i = 0; i < outside; ++i) cut.add_group(i, in_float[i], in_int8[i]);
  const std::vector<bool> chosen = cut.in_int8();
  std::set<std::string> ops;
  for (std::size_t i = 0; i < outside; ++i) {
    if (!chosen[i]) continue;
    for (const std::string& op : prices.groups[i].ops) {
      if (choices.contains(op)) ops.insert(op);
    }
  }
  return ops;
}

std::vector<const TunableOp*> slower_in_int8(const Prices& prices, const Space& space) {
  std::set<std::string> choices;
  for (const TunableOp& op : space.ops) {
    choices.insert(op.op);
    choices.insert(op.values.begin(), op.values.end());
  }
  const std::set<std::string> fast = cheapest(prices, choices);
  const auto is_fast = [&](const TunableOp& op) {
    return fast.contains(op.op) ||
           std::ranges::any_of(op.values, [&](const auto& value) { return fast.contains(value); });
  };
  std::set<std::size_t> wanted;  // moves that codes pass through
  for (const TunableOp& op : space.ops) {
    if (!op.moves && is_fast(op)) wanted.insert(op.around.begin(), op.around.end());
  }
  std::set<std::size_t> floats;
  for (std::size_t i = 0; i < space.ops.size(); ++i) {
    const TunableOp& op = space.ops[i];
    if (op.moves || is_fast(op)) continue;
    floats.insert(i);
    for (const std::size_t near : op.around) {
      if (space.ops[near].moves && !wanted.contains(near)) floats.insert(near);
    }
  }
  std::vector<const TunableOp*> slower;
  slower.reserve(floats.size());
  for (const std::size_t i : floats) slower.push_back(&space.ops[i]);
  return slower;
}

}  // namespace quantlens
