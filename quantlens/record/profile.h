// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/base/json.h"
#include "quantlens/record/op_refs.h"
#include "quantlens/record/statement.h"

namespace quantlens {

/// What wrote a profile.
BOOST_DEFINE_ENUM_CLASS(ProfileSource, quantlens, onnxruntime, tensorflow)

/// What a node of the runtime's graph is there for. quantize, dequantize: float to codes and back;
/// reorder: another layout of the same elements that the runtime wants; transpose, cast: likewise,
/// put there by the runtime, not by the model.
BOOST_DEFINE_ENUM_CLASS(NodeRole, op, quantize, dequantize, reorder, transpose, cast)

/// What a node keeps busy: its arithmetic or its memory traffic reaches a quarter of what this
/// machine can do, or neither does and it is the cost of running a node at all.
BOOST_DEFINE_ENUM_CLASS(Bound, compute, memory, overhead)

/// A node that the runtime ran, and how long. Times are in microseconds, of one run unless said
/// otherwise; the cost of taking them is subtracted where it is known.
struct NodeTime {
  std::string name;      ///< in the runtime's graph; `<type>:<output>` where it has none
  std::string type;      ///< "Conv"; with its domain where that is not the format's own
  std::string provider;  ///< "CPUExecutionProvider"; empty: not known
  NodeRole role = NodeRole::op;
  std::uint64_t position = 0;  ///< in the order of execution
  /// Of the profiled file, that it computes. Of an import: the node's own name, without an id.
  std::vector<OpRef> ops;
  std::vector<std::string> inputs;   ///< type and shape of each: "float32[1,64]"; may be unknown
  std::vector<std::string> outputs;  ///< likewise
  double total_us = 0;               ///< over all `runs`
  double accelerator_us = 0;         ///< of that, on a device that is no CPU
  double cpu_us = 0;                 ///< the rest
  double mean_us = 0;                ///< over the middle half of its runs
  double median_us = 0;              ///< over all runs
  double p95_us = 0;
  double share = 0;                    ///< mean_us of the wall time's median, 0..1
  std::uint64_t runs = 0;              ///< times that it ran
  std::uint64_t defined = 1;           ///< nodes that this row stands for
  std::optional<double> scaling;       ///< mean_us with one thread over mean_us with all
  std::optional<std::uint64_t> bytes;  ///< read and written in one run, if each is touched once
  std::optional<std::uint64_t> operations;  ///< in one run; a multiplication with its addition is 2
  std::optional<double> gb_per_second;
  std::optional<double> gop_per_second;
  std::optional<Bound> bound;
};
BOOST_DESCRIBE_STRUCT(NodeTime, (),
                      (name, type, provider, role, position, ops, inputs, outputs, total_us,
                       accelerator_us, cpu_us, mean_us, median_us, p95_us, share, runs, defined,
                       scaling, bytes, operations, gb_per_second, gop_per_second, bound))

/// Percentiles of the wall times of single runs, in microseconds.
struct WallTime {
  std::uint64_t runs = 0;
  double mean_us = 0;  ///< over the middle half of the runs
  double median_us = 0;
  std::array<double, 2> median_interval{};  ///< 95 %, of order statistics
  double p90_us = 0;
  double p95_us = 0;
  double p99_us = 0;
};
BOOST_DESCRIBE_STRUCT(WallTime, (),
                      (runs, mean_us, median_us, median_interval, p90_us, p95_us, p99_us))

/// What this machine can do at most with this many threads, measured beside the profile.
struct Machine {
  double gb_per_second = 0;         ///< reading and writing main memory
  double float_gop_per_second = 0;  ///< of a large matrix product in float
  double int8_gop_per_second = 0;   ///< and in int8
};
BOOST_DESCRIBE_STRUCT(Machine, (), (gb_per_second, float_gop_per_second, int8_gop_per_second))

/// Where the time of one model goes.
struct Profile {
  std::string model;  ///< path, for people
  ProfileSource source = ProfileSource::quantlens;
  unsigned threads = 0;  ///< 0: not known
  std::uint64_t batch_size = 0;
  WallTime wall;          ///< of unobserved runs; of an import, of its own
  double nodes_us = 0;    ///< sum of the nodes' mean_us
  double outside_us = 0;  ///< entering and leaving the runtime
  double event_us = 0;    ///< cost of timing one node, which is subtracted from each
  double explained = 0;   ///< nodes_us and outside_us of the median, 0..1 or a little above;
                          ///< of an import, of its mean
  std::optional<Machine> machine;
  std::vector<NodeTime> nodes;  ///< by total, longest first
  std::vector<NodeTime> types;  ///< one row a type, likewise: `defined` nodes each
};
BOOST_DESCRIBE_STRUCT(Profile, (),
                      (model, source, threads, batch_size, wall, nodes_us, outside_us, event_us,
                       explained, machine, nodes, types))

/// Ops of the reference that both runtimes' graphs compute as a unit, and what that takes in each.
struct OpTime {
  std::vector<OpRef> ops;    ///< in the order of the reference
  std::string type;          ///< of the op that computes: the costliest of them
  double reference_us = 0;   ///< of the reference's run, its conversions and layouts too
  double quantized_us = 0;   ///< of the quantized run, its kernels alone
  double conversion_us = 0;  ///< Q and DQ that it causes in the quantized run
  double layout_us = 0;      ///< reorders, transposes and casts that it causes there
  double gain_us = 0;        ///< reference_us minus these three; below 0: it is slower in int8
  std::vector<std::string> reference_nodes;  ///< types of the nodes, in order
  std::vector<std::string> quantized_nodes;
  bool quantized = false;  ///< computed in codes
  bool wrapped = false;    ///< the quantized file has it between quantizers, to be computed in int8
  /// Of a maximum pool in codes: the ops that read it. Whichever side of it the file has quantizers
  /// on, it stays in codes while these are.
  std::vector<OpRef> passed_to;
};
BOOST_DESCRIBE_STRUCT(OpTime, (),
                      (ops, type, reference_us, quantized_us, conversion_us, layout_us, gain_us,
                       reference_nodes, quantized_nodes, quantized, wrapped, passed_to))

/// The quantized model with some ops in float, timed in turn with it as it is.
struct RemedyTrial {
  std::vector<OpRef> ops;                  ///< in float
  double ratio = 0;                        ///< of wall times: with them in float over as it is
  std::array<double, 2> ratio_interval{};  ///< 95 %, of interleaved runs
  double gain_ms = 0;                      ///< below 0: the model is slower with them in float
  std::array<double, 2> gain_interval{};   ///< 95 %, in milliseconds, the lower end first
  double before_us = 0;    ///< these ops in the model as it is: kernels, conversions, layouts
  double in_float_us = 0;  ///< the same in float, in this model
  double around_us = 0;    ///< that ops next to them take more then; below 0: less
};
BOOST_DESCRIBE_STRUCT(RemedyTrial, (),
                      (ops, ratio, ratio_interval, gain_ms, gain_interval, before_us, in_float_us,
                       around_us))

/// Why an op, or ops alike, are no faster in int8 (docs/profiling.md).
BOOST_DEFINE_ENUM_CLASS(SpeedRule, broken_fusion, conversions, float_island, lost_kernel,
                        slow_kernel)

/// Ops that are no faster in int8.
struct SpeedFinding {
  SpeedRule rule = SpeedRule::slow_kernel;
  std::vector<OpRef> ops;
  Statements reasons;  ///< why, with the figures, and what came of the remedy
  /// A fragment of a recipe, an object, with which the model was timed and is faster; null: none is
  /// known.
  json::Value remedy;
  double milliseconds = 0;           ///< that it costs beside the float model
  std::optional<RemedyTrial> trial;  ///< of the remedy, or of the best that gained nothing
  Statements not_tried;              ///< why there is no trial; empty where there is one
};
BOOST_DESCRIBE_STRUCT(SpeedFinding, (),
                      (rule, ops, reasons, remedy, milliseconds, trial, not_tried))

/// profile.json: of one model, or of two beside each other. What takes two is absent of one.
struct ProfileRecord {
  Profile reference;  ///< of one, whether it is quantized or not
  std::optional<Profile> quantized;
  std::optional<double> ratio;                          ///< quantized over reference, of wall times
  std::optional<std::array<double, 2>> ratio_interval;  ///< 95 %, of interleaved runs
  std::vector<OpTime> ops;                              ///< by what quantization costs, worst first
  std::vector<SpeedFinding> findings;                   ///< by milliseconds, most first
  Statements conclusions;                               ///< how the two compare: a paragraph
};
BOOST_DESCRIBE_STRUCT(ProfileRecord, (),
                      (reference, quantized, ratio, ratio_interval, ops, findings, conclusions))

}  // namespace quantlens
