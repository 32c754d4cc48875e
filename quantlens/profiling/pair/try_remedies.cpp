// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/pair/try_remedies.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <boost/json/object.hpp>

#include "quantlens/base/error.h"
#include "quantlens/graph/order.h"
#include "quantlens/profiling/pair/costs.h"
#include "quantlens/profiling/pair/groups.h"
#include "quantlens/quantizer/recipe/recipe_fragment.h"

namespace quantlens {
namespace {

constexpr std::size_t kMostTrials = 3;  // of a finding

using TimedRows = std::vector<const OpTime*>;

struct ByName {
  bool operator()(const OpRef& a, const OpRef& b) const {
    return std::tie(a.name, a.id) < std::tie(b.name, b.id);
  }
};

using Ops = std::set<OpRef, ByName>;

/// Ops that have to be in float for a row to be: a pool that would stay in codes else with those
/// that read it.
Ops ops_of(const OpTime& row) {
  Ops ops(row.ops.begin(), row.ops.end());
  ops.insert(row.passed_to.begin(), row.passed_to.end());
  return ops;
}

Ops ops_of(const TimedRows& rows) {
  Ops ops;
  for (const OpTime* row : rows) ops.merge(ops_of(*row));
  return ops;
}

json::Value in_float(const Ops& ops) {
  boost::json::object entries;
  for (const OpRef& op : ops) entries[pattern_of(op.name)] = "fp32";
  return boost::json::object{{"op_name_dict", std::move(entries)}};
}

/// TimedRows of two models joined with one reference, by what can be told apart in both.
class Places {
 public:
  Places(const Graph& reference, const RemedyTimes& times, const Ops& in_float)
      : index_(reference), groups_(reference.nodes.size()) {
    for (const auto* rows : {&times.before, &times.after}) {
      for (const OpTime& row : *rows) groups_.unite(numbers_of(row));
    }
    add(times.before, &Place::before_us, in_float);
    add(times.after, &Place::after_us, in_float);
    find_neighbours(reference);
  }

  /// What it costs that this row's ops are in float, there and at ops next to them, in
  /// microseconds. What changes between two that are in float is shared by them.
  double change_us(const OpTime& row) const {
    std::set<std::size_t> groups;
    for (const OpRef& op : ops_of(row)) {
      if (const auto found = group_of_.find(op.id); found != group_of_.end()) {
        groups.insert(found->second);
      }
    }
    double change = 0;
    for (const std::size_t group : groups) {
      const Place& place = places_.at(group);
      change += place.change_us();
      for (const std::size_t beside : place.beside) {
        const Place& next = places_.at(beside);
        if (!next.in_float) change += next.change_us() / static_cast<double>(floats_beside(next));
      }
    }
    return change;
  }

  void sum_up(RemedyTrial& trial) const {
    for (const auto& [group, place] : places_) {
      if (place.in_float) {
        trial.before_us += place.before_us;
        trial.in_float_us += place.after_us;
      } else if (floats_beside(place) > 0) {
        trial.around_us += place.change_us();
      }
    }
  }

 private:
  struct Place {
    double before_us = 0;
    double after_us = 0;
    bool in_float = false;
    std::set<std::size_t> beside;  // other places that make what it reads, or read what it makes

    double change_us() const { return after_us - before_us; }
  };

  std::ptrdiff_t floats_beside(const Place& place) const {
    return std::ranges::count_if(place.beside,
                                 [&](std::size_t at) { return places_.at(at).in_float; });
  }

  /// Of the graph's nodes.
  std::vector<std::size_t> numbers_of(const OpTime& row) const {
    std::vector<std::size_t> numbers;
    for (const OpRef& op : row.ops) {
      if (const auto number = index_.producer(op.id)) numbers.push_back(*number);
    }
    return numbers;
  }

  void add(const std::vector<OpTime>& rows, double Place::*us, const Ops& in_float) {
    for (const OpTime& row : rows) {
      const std::vector<std::size_t> numbers = numbers_of(row);
      if (numbers.empty()) continue;
      const std::size_t group = groups_.find(numbers.front());
      Place& place = places_[group];
      Costs costs;
      costs.add(row);
      place.*us += costs.quantized();
      for (const OpRef& op : row.ops) {
        group_of_[op.id] = group;
        place.in_float = place.in_float || in_float.contains(op);
      }
    }
  }

  void find_neighbours(const Graph& reference) {
    for (std::size_t i = 0; i < reference.nodes.size(); ++i) {
      for (const std::string& input : reference.nodes[i].inputs) {
        const auto producer = index_.producer(input);
        if (!producer) continue;
        const std::size_t reader = groups_.find(i);
        const std::size_t maker = groups_.find(*producer);
        if (reader == maker || !places_.contains(reader) || !places_.contains(maker)) continue;
        places_[reader].beside.insert(maker);
        places_[maker].beside.insert(reader);
      }
    }
  }

  GraphIndex index_;
  Groups groups_;
  std::map<std::size_t, Place> places_;
  std::map<std::string, std::size_t> group_of_;  // by id of an op
};

bool gains(const RemedyTrial& trial) {
  return trial.ratio_interval[1] < 1;
}

/// `of`: ops that were to be in float.
Statement outcome(const RemedyTrial& trial, std::size_t of) {
  Statement said{"speed.tried",
                 {{"ratio", figure::number(trial.ratio)},
                  {"interval", figure::numbers(trial.ratio_interval)},
                  {"before", figure::microseconds(trial.before_us)},
                  {"in_float", figure::microseconds(trial.in_float_us)},
                  {"around", figure::microseconds(trial.around_us)}}};
  if (trial.ops.size() < of) {
    said.figures.emplace("ops", figure::count(trial.ops.size()));
    said.figures.emplace("of", figure::count(of));
  }
  return said;
}

/// One finding, and what becomes of its remedy.
class Attempts {
 public:
  Attempts(const Graph& reference, const TimeRemedy& time, const ProfileRecord& pair,
           SpeedFinding& finding)
      : reference_(reference), time_(time), pair_(pair), finding_(finding) {}

  void run() {
    const Ops wanted(finding_.ops.begin(), finding_.ops.end());
    TimedRows rows;
    for (const OpTime& row : pair_.ops) {
      const auto is_wanted = [&](const OpRef& op) { return wanted.contains(op); };
      if (std::ranges::any_of(row.ops, is_wanted)) rows.push_back(&row);
    }
    const std::size_t all = ops_of(rows).size();
    for (std::size_t i = 0; i < kMostTrials && !rows.empty(); ++i) {
      const std::optional<TimedRows> winners = try_once(rows);
      if (!winners || winners->size() == rows.size()) break;
      rows = *winners;
    }
    if (finding_.trial) finding_.reasons.push_back(outcome(*finding_.trial, all));
  }

 private:
  /// Gives the rows that gain; nothing where they cannot be timed.
  std::optional<TimedRows> try_once(const TimedRows& rows) {
    const Ops ops = ops_of(rows);
    const json::Value remedy = in_float(ops);
    const auto timed = time(remedy);
    if (const auto* refused = std::get_if<NotTimed>(&timed)) {
      if (!finding_.trial) finding_.not_tried = {refused->why};
      return std::nullopt;
    }
    const RemedyTimes& times = std::get<RemedyTimes>(timed);
    const Places places(reference_, times, ops);
    RemedyTrial trial{.ops = {ops.begin(), ops.end()},
                      .ratio = times.ratio.value,
                      .ratio_interval = times.ratio.interval};
    const double wall_ms = pair_.quantized->wall.median_us / 1e3;
    trial.gain_ms = wall_ms * (1 - trial.ratio);
    trial.gain_interval = {wall_ms * (1 - trial.ratio_interval[1]),
                           wall_ms * (1 - trial.ratio_interval[0])};
    places.sum_up(trial);
    if (!finding_.trial || trial.ratio_interval[1] < finding_.trial->ratio_interval[1]) {
      if (gains(trial)) finding_.remedy = remedy;
      finding_.trial = std::move(trial);
    }
    TimedRows winners;
    std::ranges::copy_if(rows, std::back_inserter(winners),
                         [&](const OpTime* row) { return places.change_us(*row) < 0; });
    return winners;
  }

  std::variant<RemedyTimes, NotTimed> time(const json::Value& remedy) const {
    try {
      return time_(remedy);
    } catch (const Error& error) {
      if (error.code() == Errc::interrupted) throw;
      return NotTimed{said_in_words(error.what())};
    }
  }

  const Graph& reference_;
  const TimeRemedy& time_;
  const ProfileRecord& pair_;
  SpeedFinding& finding_;
};

void add_not_tried(SpeedFinding& finding) {
  Statements& reasons = finding.reasons;
  reasons.push_back({"speed.not_measured", {}});
  reasons.insert(reasons.end(), finding.not_tried.begin(), finding.not_tried.end());
  reasons.push_back({"speed.float_neighbours", {}});
}

}  // namespace

void try_remedies(const Graph& reference, std::uint64_t count, const TimeRemedy& time,
                  ProfileRecord& pair) {
  std::uint64_t tried = 0;
  for (SpeedFinding& finding : pair.findings) {
    if (finding.rule == SpeedRule::float_island) {
      finding.not_tried = {{"speed.not_tried.in_float", {}}};
      continue;
    }
    if (tried++ < count) {
      Attempts(reference, time, pair, finding).run();
    } else {
      finding.not_tried = {{"speed.not_tried.beyond", {{"findings", figure::count(count)}}}};
    }
    if (!finding.trial) add_not_tried(finding);
  }
}

}  // namespace quantlens
