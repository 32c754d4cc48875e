// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/pair/try_remedies.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/error.h"
#include "quantlens/base/json_line.h"
#include "quantlens/graph/order.h"
#include "quantlens/profiling/pair/costs.h"
#include "quantlens/profiling/pair/groups.h"
#include "quantlens/quantizer/recipe/recipe_fragment.h"

namespace quantlens {
namespace {

constexpr std::size_t kMostTrials = 3;  // of a finding

using Rows = std::vector<const OpTime*>;
using Names = std::set<std::string>;

/// Ops that have to be in float for a row to be: a pool that would stay in codes else with those
/// that read it.
Names names_of(const OpTime& row) {
  Names names(row.names.begin(), row.names.end());
  names.insert(row.passed_to.begin(), row.passed_to.end());
  return names;
}

Names names_of(const Rows& rows) {
  Names names;
  for (const OpTime* row : rows) names.merge(names_of(*row));
  return names;
}

std::string in_float(const Names& names) {
  boost::json::object entries;
  for (const std::string& name : names) entries[pattern_of(name)] = "fp32";
  return json::line(boost::json::object{{"op_name_dict", std::move(entries)}});
}

/// Rows of two models joined with one reference, by what can be told apart in both.
class Places {
 public:
  Places(const Graph& reference, const RemedyTimes& times, const Names& in_float)
      : index_(reference), groups_(reference.nodes.size()) {
    for (const auto* rows : {&times.before, &times.after}) {
      for (const OpTime& row : *rows) groups_.unite(ops_of(row));
    }
    add(times.before, &Place::before_us, in_float);
    add(times.after, &Place::after_us, in_float);
    find_neighbours(reference);
  }

  /// What it costs that this row's ops are in float, there and at ops next to them, in
  /// microseconds. What changes between two that are in float is shared by them.
  double change_us(const OpTime& row) const {
    std::set<std::size_t> groups;
    for (const std::string& name : names_of(row)) {
      if (const auto found = by_name_.find(name); found != by_name_.end()) {
        groups.insert(found->second.begin(), found->second.end());
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

  std::vector<std::size_t> ops_of(const OpTime& row) const {
    std::vector<std::size_t> ops;
    for (const std::string& op : row.ops) {
      if (const auto number = index_.producer(op)) ops.push_back(*number);
    }
    return ops;
  }

  void add(const std::vector<OpTime>& rows, double Place::*us, const Names& in_float) {
    for (const OpTime& row : rows) {
      const std::vector<std::size_t> ops = ops_of(row);
      if (ops.empty()) continue;
      const std::size_t group = groups_.find(ops.front());
      Place& place = places_[group];
      Costs costs;
      costs.add(row);
      place.*us += costs.quantized();
      for (const std::string& name : row.names) {
        by_name_[name].insert(group);
        place.in_float = place.in_float || in_float.contains(name);
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
  std::map<std::string, std::set<std::size_t>> by_name_;
};

bool gains(const RemedyTrial& trial) {
  return trial.ratio_interval[1] < 1;
}

std::string outcome(const RemedyTrial& trial, std::size_t of) {
  const std::string which = trial.ops.size() < of
                                ? fmt::format("{} of these {} ops", trial.ops.size(), of)
                                : std::string("them");
  const char* verdict = gains(trial) ? "is faster"
                        : trial.ratio_interval[0] > 1
                            ? "is slower"
                            : "is no faster, as far as these runs can tell";
  return fmt::format(
      ". Measured with {} in float, this model {}: it takes {:.3f} of its time (95 % {:.3f} to "
      "{:.3f}); they take {:.1f} us then where they took {:.1f}, and what is next to them takes "
      "{:.1f} {}",
      which, verdict, trial.ratio, trial.ratio_interval[0], trial.ratio_interval[1],
      trial.in_float_us, trial.before_us, std::abs(trial.around_us),
      trial.around_us < 0 ? "less" : "more");
}

/// One finding, and what becomes of its remedy.
class Attempts {
 public:
  Attempts(const Graph& reference, const TimeRemedy& time, const ProfileRecord& pair,
           SpeedFinding& finding)
      : reference_(reference), time_(time), pair_(pair), finding_(finding) {}

  void run() {
    const Names wanted(finding_.ops.begin(), finding_.ops.end());
    Rows rows;
    for (const OpTime& row : pair_.ops) {
      const auto is_wanted = [&](const std::string& name) { return wanted.contains(name); };
      if (std::ranges::any_of(row.names, is_wanted)) rows.push_back(&row);
    }
    const std::size_t all = names_of(rows).size();
    for (std::size_t i = 0; i < kMostTrials && !rows.empty(); ++i) {
      const std::size_t tried = rows.size();
      try {
        rows = try_once(rows);
      } catch (const Error& error) {
        if (error.code() == Errc::interrupted) throw;
        if (!finding_.trial) finding_.not_tried = error.what();
        break;
      }
      if (rows.size() == tried) break;
    }
    if (finding_.trial) finding_.because += outcome(*finding_.trial, all);
  }

 private:
  /// Gives the rows that gain.
  Rows try_once(const Rows& rows) {
    const Names names = names_of(rows);
    const std::string remedy = in_float(names);
    const RemedyTimes times = time_(remedy);
    const Places places(reference_, times, names);
    RemedyTrial trial{.ops = {names.begin(), names.end()},
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
    Rows winners;
    std::ranges::copy_if(rows, std::back_inserter(winners),
                         [&](const OpTime* row) { return places.change_us(*row) < 0; });
    return winners;
  }

  const Graph& reference_;
  const TimeRemedy& time_;
  const ProfileRecord& pair_;
  SpeedFinding& finding_;
};

}  // namespace

void try_remedies(const Graph& reference, std::uint64_t count, const TimeRemedy& time,
                  ProfileRecord& pair) {
  std::uint64_t tried = 0;
  for (SpeedFinding& finding : pair.findings) {
    if (finding.rule == "float_island") {
      finding.not_tried = "it is in float already";
      continue;
    }
    if (tried++ < count) {
      Attempts(reference, time, pair, finding).run();
    } else {
      finding.not_tried =
          fmt::format("remedies of the first {} alone were to be tried", counted(count, "finding"));
    }
    if (finding.trial) continue;
    finding.because += fmt::format(
        ". What they take in float in this model is not measured ({}): the float model's times are "
        "of ops whose neighbours are float, too",
        finding.not_tried);
  }
}

}  // namespace quantlens
