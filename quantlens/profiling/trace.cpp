// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/trace.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "quantlens/base/json.h"
#include "quantlens/base/store.h"

namespace quantlens {
namespace {

using boost::json::array;
using boost::json::object;

constexpr int kRunThread = 1;
constexpr int kNodesThread = 2;

/// A process of the trace.
struct Traced {
  const Profile& profile;
  std::string_view label;  ///< after the model's name
};

object named(std::string_view what, int process, int thread, std::string_view name) {
  return {{"name", what},
          {"ph", "M"},
          {"pid", process},
          {"tid", thread},
          {"args", object{{"name", name}}}};
}

object slice(std::string_view name, std::string_view category, double start_us, double us) {
  return {{"name", name}, {"cat", category}, {"ph", "X"}, {"ts", start_us}, {"dur", us}};
}

object args_of(const NodeTime& node) {
  return {{"type", node.type},
          {"role", json::encode(node.role)},
          {"provider", node.provider},
          {"position", node.position},
          {"ops", json::encode(names_of(node.ops))},
          {"inputs", json::encode(node.inputs)},
          {"outputs", json::encode(node.outputs)},
          {"share", node.share},
          {"median_us", node.median_us},
          {"p95_us", node.p95_us},
          {"runs", node.runs}};
}

std::vector<const NodeTime*> in_order(const Profile& profile) {
  std::vector<const NodeTime*> nodes;
  for (const NodeTime& node : profile.nodes) nodes.push_back(&node);
  std::ranges::stable_sort(nodes, {}, &NodeTime::position);
  return nodes;
}

void add_process(array& events, int process, const Traced& traced) {
  const Profile& profile = traced.profile;
  const std::string model = fs::path(profile.model).filename().string() + std::string(traced.label);
  events.push_back(named("process_name", process, 0, model));
  events.push_back(named("thread_name", process, kRunThread, "one run"));
  events.push_back(named("thread_name", process, kNodesThread, "nodes, mean of each"));
  const auto add = [&](object event, int thread, object args) {
    event["pid"] = process;
    event["tid"] = thread;
    event["args"] = std::move(args);
    events.push_back(std::move(event));
  };
  if (profile.wall.runs > 0) {
    add(slice("one run", "run", 0, profile.wall.mean_us), kRunThread,
        {{"median_us", profile.wall.median_us}, {"runs", profile.wall.runs}});
  }
  double start_us = 0;
  for (const NodeTime* node : in_order(profile)) {
    const json::Value role = json::encode(node->role);
    add(slice(node->name, role.as_string(), start_us, node->mean_us), kNodesThread, args_of(*node));
    start_us += node->mean_us;
  }
}

std::string trace_of(std::span<const Traced> processes) {
  array events;
  int process = 0;
  for (const Traced& traced : processes) add_process(events, ++process, traced);
  return json::dump(object{{"displayTimeUnit", "ns"},
                           {"otherData", object{{"source", "quantlens"}}},
                           {"traceEvents", std::move(events)}});
}

}  // namespace

std::string trace_json(const Profile& profile) {
  return trace_of(std::vector<Traced>{{profile, ""}});
}

std::string trace_json(const ProfileRecord& profile) {
  if (!profile.quantized) return trace_json(profile.reference);
  return trace_of(std::vector<Traced>{{profile.reference, " (reference)"},
                                      {*profile.quantized, " (quantized)"}});
}

}  // namespace quantlens
