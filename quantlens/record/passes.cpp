// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/passes.h"

#include "quantlens/base/gzip.h"
#include "quantlens/base/json.h"
#include "quantlens/record/binary_record.h"
#include "quantlens/record/earlier_ops.h"
#include "quantlens/record/pass_state.h"
#include "quantlens/stats/bytes.h"

// The bytes of passes.bin, all integers little-endian:
//   magic     kPassesMagic; all else is packed by gzip since version 5
//   head      u32 length, the JSON of a PassesHead
//   passes    each u64 length and what `append_pass` writes: those of ops, weights and inputs that
//             the head says are there
//   outputs   each u64 length and a TapState: for each part of `outputs` that of the files, and one
//             for each of its lists of ops
// Nothing follows.

namespace quantlens {
namespace {

constexpr RecordMagic kPassesMagic{
    .text = std::string_view("QLPASS\r\n", 8), .version = 5, .what = "passes"};

/// All that was not gathered by taps.
struct PassesHead {
  bool ops = false;
  bool weights = false;
  bool inputs = false;
  std::vector<std::vector<std::vector<OpRef>>> outputs;  ///< lists of ops of each part
  Observation observation;
  std::vector<SampleName> samples;
  std::string caveat;
};
BOOST_DESCRIBE_STRUCT(PassesHead, (), (ops, weights, inputs, outputs, observation, samples, caveat))

void append(const TapState& state, std::string& out) {
  append_chunk(to_bytes(state), out);
}

void append_if(const std::optional<TapState>& pass, PassBlocks blocks, std::string& out) {
  if (!pass) return;
  std::string bytes;
  append_pass(*pass, blocks, bytes);
  append_chunk(bytes, out);
}

TapState take_taps(std::string_view& in) {
  return tap_state_from_bytes(take_chunk(in), "a pass");
}

/// Before version 4 all was a TapState.
std::optional<TapState> take_pass_if(bool is_there, std::uint32_t version, std::string_view& in) {
  if (!is_there) return std::nullopt;
  return version < 4 ? take_taps(in) : pass_from(take_chunk(in));
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

PassesHead take_head(std::uint32_t version, std::string_view& in) {
  json::Value head = json::parse(take_name(in), "their head");
  if (version < 2) renew_head(head);
  return json::decode<PassesHead>(head, "their head");
}

Passes take_gathered(std::uint32_t version, std::string_view in) {
  PassesHead head = take_head(version, in);
  Passes passes;
  passes.local = {.ops = take_pass_if(head.ops, version, in),
                  .weights = take_pass_if(head.weights, version, in),
                  .inputs = take_pass_if(head.inputs, version, in)};
  for (std::vector<std::vector<OpRef>>& lists : head.outputs) {
    MeasuredPart& part = passes.outputs.emplace_back();
    part.as_they_are = take_taps(in);
    for (std::vector<OpRef>& ops : lists) {
      part.in_float.push_back({.ops = std::move(ops), .errors = take_taps(in)});
    }
  }
  if (!in.empty()) refuse_bytes("something follows them");
  passes.observation = std::move(head.observation);
  passes.samples = std::move(head.samples);
  passes.caveat = std::move(head.caveat);
  return passes;
}

Passes take_passes(std::string_view in) {
  const std::uint32_t version = take_magic(kPassesMagic, in);
  if (version < 5) return take_gathered(version, in);
  return take_gathered(version, gunzip(in, "their bytes"));
}

}  // namespace

std::string to_bytes(const Passes& passes) {
  PassesHead head{.ops = passes.local.ops.has_value(),
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
  append_name(out, json::dump(json::encode(head)));
  append_if(passes.local.ops, PassBlocks::apart, out);
  append_if(passes.local.weights, PassBlocks::joined, out);
  append_if(passes.local.inputs, PassBlocks::joined, out);
  for (const MeasuredPart& part : passes.outputs) {
    append(part.as_they_are, out);
    for (const OutputsInFloat& one : part.in_float) append(one.errors, out);
  }
  constexpr int kBestLevel = 9;
  std::string bytes;
  append_magic(kPassesMagic, bytes);
  return bytes + gzip(out, kBestLevel);
}

Passes passes_from_bytes(std::string_view bytes, std::string_view where) {
  return naming(where, [&] { return take_passes(bytes); });
}

}  // namespace quantlens
