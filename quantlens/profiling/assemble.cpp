// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/assemble.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "quantlens/profiling/attribute.h"
#include "quantlens/profiling/wall_time.h"
#include "quantlens/profiling/work.h"

namespace quantlens {
namespace {

/// Times of some nodes together.
class Timings {
 public:
  Timings(const RunTimes& samples, double event_us) : samples_(samples), event_us_(event_us) {}

  /// Of these nodes, run by run, without the timers' cost.
  std::vector<double> runs(std::span<const std::size_t> nodes) const {
    std::vector<double> sums(samples_.timed_us.size());
    for (std::size_t run = 0; run < sums.size(); ++run) {
      const std::span<const float> times = samples_.run(run);
      for (const std::size_t node : nodes) sums[run] += std::max(0.0, times[node] - event_us_);
    }
    return sums;
  }

  /// Over the middle half of these runs: an interruption hits a few nodes of many runs.
  static double mean(const std::vector<double>& runs) { return wall_time(runs).mean_us; }

  void set(NodeTime& row, std::span<const std::size_t> nodes) const {
    const std::vector<double> all = runs(nodes);
    row.total_us = std::accumulate(all.begin(), all.end(), 0.0);
    row.cpu_us = row.total_us;
    row.mean_us = mean(all);
    row.median_us = quantile(all, 0.5);
    row.p95_us = quantile(all, 0.95);
    row.runs = all.size() * nodes.size();
    row.defined = nodes.size();
  }

 private:
  const RunTimes& samples_;
  double event_us_;
};

/// Rates, and what keeps the node busy. REQUIRES: machine.
void classify(NodeTime& row, const Work& work, const Machine& machine) {
  constexpr double kBusy = 0.25;
  if (row.mean_us <= 0) return;
  if (row.bytes) row.gb_per_second = static_cast<double>(*row.bytes) / row.mean_us / 1e3;
  if (row.operations) row.gop_per_second = static_cast<double>(*row.operations) / row.mean_us / 1e3;
  if (!row.bytes) return;
  const double most = work.integer ? machine.int8_gop_per_second : machine.float_gop_per_second;
  const double arithmetic = most > 0 ? row.gop_per_second.value_or(0) / most : 0;
  const double traffic = *row.gb_per_second / machine.gb_per_second;
  if (std::max(arithmetic, traffic) < kBusy) {
    row.bound = Bound::overhead;
  } else {
    row.bound = arithmetic >= traffic ? Bound::compute : Bound::memory;
  }
}

std::vector<std::string> texts(const std::vector<std::string>& values, const RunTimes& samples) {
  std::vector<std::string> result;
  result.reserve(values.size());
  for (const std::string& value : values) {
    result.push_back(type_text(value, samples.graph, samples.types));
  }
  return result;
}

NodeTime row_of(const Node& node, const Attributed& attributed, const Model& file,
                const RunTimes& samples) {
  NodeTime row;
  row.name = op_name(node);
  row.type = full_type(node);
  if (file.format != "graphdef") row.provider = "CPUExecutionProvider";  // TensorFlow has none
  row.role = attributed.role;
  for (const std::size_t op : attributed.ops) {
    row.ops.push_back(ref_of(file.graph.nodes[op]));
  }
  row.inputs = texts(node.inputs, samples);
  row.outputs = texts(node.outputs, samples);
  return row;
}

void sort_by_total(std::vector<NodeTime>& rows) {
  std::ranges::stable_sort(rows, std::ranges::greater(), &NodeTime::total_us);
}

/// 0 where nothing was run.
double share_of(double us, const WallTime& wall) {
  return wall.median_us > 0 ? us / wall.median_us : 0;
}

/// One row a type. `all`: rows of the nodes, by their numbers.
std::vector<NodeTime> by_type(const std::vector<NodeTime>& all, const Timings& timings,
                              const WallTime& wall) {
  std::map<std::string, std::vector<std::size_t>> types;
  for (std::size_t i = 0; i < all.size(); ++i) types[all[i].type].push_back(i);
  std::vector<NodeTime> rows;
  for (const auto& [type, nodes] : types) {
    NodeTime row;
    row.name = type;
    row.type = type;
    row.provider = all[nodes.front()].provider;
    row.role = all[nodes.front()].role;
    timings.set(row, nodes);
    row.mean_us = 0;  // as the nodes say: these add up
    for (const std::size_t node : nodes) row.mean_us += all[node].mean_us;
    row.share = share_of(row.mean_us, wall);
    rows.push_back(std::move(row));
  }
  sort_by_total(rows);
  return rows;
}

}  // namespace

Profile assemble(const Model& file, const RunTimes& samples, const RunTimes* single,
                 const ProfileFrame& frame) {
  Profile profile;
  profile.model = file.path.string();
  profile.source = ProfileSource::quantlens;
  profile.threads = frame.threads;
  profile.batch_size = frame.batch_size;
  profile.wall = wall_time(samples.wall_us);
  profile.event_us = frame.event.inside_us;
  profile.machine = frame.machine;
  const Timings timings(samples, frame.event.inside_us);
  std::optional<Timings> alone;
  if (single != nullptr && single->graph.nodes.size() == samples.graph.nodes.size()) {
    alone.emplace(*single, frame.event.inside_us);
  }
  const std::vector<Attributed> attributed = attribute(samples.graph, file.graph);
  for (std::size_t i = 0; i < samples.graph.nodes.size(); ++i) {
    const Node& node = samples.graph.nodes[i];
    NodeTime row = row_of(node, attributed[i], file, samples);
    row.position = i;
    const std::size_t self[] = {i};
    timings.set(row, self);
    row.share = share_of(row.mean_us, profile.wall);
    if (alone && row.mean_us > 0) row.scaling = Timings::mean(alone->runs(self)) / row.mean_us;
    const Work work = work_of(node, samples.graph, samples.types);
    row.bytes = work.bytes;
    row.operations = work.operations;
    if (frame.machine) classify(row, work, *frame.machine);
    profile.nodes_us += row.mean_us;
    profile.nodes.push_back(std::move(row));
  }
  std::vector<double> outside = samples.timed_us;
  for (std::size_t run = 0; run < outside.size(); ++run) {
    for (const float node : samples.run(run)) outside[run] -= node;
  }
  profile.outside_us =
      std::max(0.0, Timings::mean(outside) -
                        static_cast<double>(profile.nodes.size()) * frame.event.outside_us);
  profile.explained = share_of(profile.nodes_us + profile.outside_us, profile.wall);
  profile.types = by_type(profile.nodes, timings, profile.wall);
  sort_by_total(profile.nodes);
  return profile;
}

}  // namespace quantlens
