// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/passes.h"

#include "quantlens/base/json.h"
#include "quantlens/record/binary_record.h"
#include "quantlens/record/earlier_ops.h"
#include "quantlens/stats/bytes.h"

// The bytes of passes.bin, all integers little-endian:
//   magic     kMagic
//   head      u32 length, the JSON of a Head
//   states    each u64 length and a TapState: those of ops, weights and inputs that the head says
//             are there; then for each part of `outputs` that of the files, and one for each of its
//             lists of ops
// Nothing follows.

namespace quantlens {
namespace {

constexpr RecordMagic kMagic{
    .text = std::string_view("QLPASS\r\n", 8), .version = 3, .what = "passes"};

/// All that is no TapState.
struct Head {
  bool ops = false;
  bool weights = false;
  bool inputs = false;
  std::vector<std::vector<std::vector<OpRef>>> outputs;  ///< lists of ops of each part
  Observation observation;
  std::vector<SampleName> samples;
  std::string caveat;
};
BOOST_DESCRIBE_STRUCT(Head, (), (ops, weights, inputs, outputs, observation, samples, caveat))

void append(const TapState& state, std::string& out) {
  append_chunk(to_bytes(state), out);
}

/// As a diagnosis reads the errors of ops: of channels, errors alone.
void append_ops(TapState state, std::string& out) {
  for (PairedStats& pair : state.pairs) pair.reference_channels = {};
  append(state, out);
}

/// As a diagnosis reads what rounded weights or inputs make of ops: sums over all samples, without
/// intervals.
void append_sums(TapState state, std::string& out) {
  for (PairedStats& pair : state.pairs) pair.pairs.join_blocks();
  append(state, out);
}

TapState take_state(std::string_view& in) {
  return tap_state_from_bytes(take_chunk(in), "a pass");
}

std::optional<TapState> take_state_if(bool is_there, std::string_view& in) {
  return is_there ? std::optional(take_state(in)) : std::nullopt;
}

/// In version 1 ops had their names alone.
void renew_head(json::Value& head) {
  auto* object = head.if_object();
  if (object == nullptr) return;
  if (json::Value* observation = object->if_contains("observation")) {
    for (const char* list : {"unseen", "untried"}) {
      auto* members = observation->if_object();
      if (json::Value* ops = members != nullptr ? members->if_contains(list) : nullptr) {
        renew_names(*ops);
      }
    }
  }
  json::Value* outputs = object->if_contains("outputs");
  if (outputs == nullptr || !outputs->is_array()) return;
  for (json::Value& part : outputs->get_array()) {
    if (!part.is_array()) continue;
    for (json::Value& ops : part.get_array()) renew_names(ops);
  }
}

Head take_head(std::string_view& in) {
  const std::uint32_t version = take_magic(kMagic, in);
  json::Value head = json::parse(take_name(in), "their head");
  if (version < 2) renew_head(head);
  return json::decode<Head>(head, "their head");
}

Passes take_passes(std::string_view in) {
  Head head = take_head(in);
  Passes passes;
  passes.local = {.ops = take_state_if(head.ops, in),
                  .weights = take_state_if(head.weights, in),
                  .inputs = take_state_if(head.inputs, in)};
  for (std::vector<std::vector<OpRef>>& lists : head.outputs) {
    MeasuredPart& part = passes.outputs.emplace_back();
    part.as_they_are = take_state(in);
    for (std::vector<OpRef>& ops : lists) {
      part.in_float.push_back({.ops = std::move(ops), .errors = take_state(in)});
    }
  }
  if (!in.empty()) refuse_bytes("something follows them");
  passes.observation = std::move(head.observation);
  passes.samples = std::move(head.samples);
  passes.caveat = std::move(head.caveat);
  return passes;
}

}  // namespace

std::string to_bytes(const Passes& passes) {
  Head head{.ops = passes.local.ops.has_value(),
            .weights = passes.local.weights.has_value(),
            .inputs = passes.local.inputs.has_value(),
            .outputs = {},
            .observation = passes.observation,
            .samples = passes.samples,
            .caveat = passes.caveat};
  for (const MeasuredPart& part : passes.outputs) {
    std::vector<std::vector<OpRef>>& lists = head.outputs.emplace_back();
    for (const OutputsInFloat& one : part.in_float) lists.push_back(one.ops);
  }
  std::string out;
  append_magic(kMagic, out);
  append_name(out, json::dump(json::encode(head)));
  const LocalStates& local = passes.local;
  if (local.ops) append_ops(*local.ops, out);
  if (local.weights) append_sums(*local.weights, out);
  if (local.inputs) append_sums(*local.inputs, out);
  for (const MeasuredPart& part : passes.outputs) {
    append(part.as_they_are, out);
    for (const OutputsInFloat& one : part.in_float) append(one.errors, out);
  }
  return out;
}

Passes passes_from_bytes(std::string_view bytes, std::string_view where) {
  return naming(where, [&] { return take_passes(bytes); });
}

}  // namespace quantlens
