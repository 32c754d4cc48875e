// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/passes.h"

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/stats/bytes.h"

// The bytes of passes.bin, all integers little-endian:
//   magic     8 bytes, kMagic (its last two show a transfer that changed line ends)
//   version   u32, kVersion
//   head      u32 length, the JSON of a Head
//   states    each u64 length and a TapState: those of ops, weights and inputs that the head says
//             are there; of the outputs, likewise; then one for each list of ops in the head
// Nothing follows.

namespace quantlens {
namespace {

constexpr std::string_view kMagic("QLPASS\r\n", 8);
constexpr std::uint32_t kVersion = 1;

/// All that is no TapState.
struct Head {
  bool ops = false;
  bool weights = false;
  bool inputs = false;
  bool outputs = false;
  std::vector<std::vector<std::string>> in_float;
  Observation observation;
  std::vector<SampleName> samples;
  std::string caveat;
};
BOOST_DESCRIBE_STRUCT(Head, (),
                      (ops, weights, inputs, outputs, in_float, observation, samples, caveat))

void append(const TapState& state, std::string& out) {
  const std::string bytes = to_bytes(state);
  append_u64(out, bytes.size());
  out += bytes;
}

void append(const std::optional<TapState>& state, std::string& out) {
  if (state) append(*state, out);
}

TapState take_state(std::string_view& in) {
  const std::uint64_t size = take_u64(in);
  if (size > in.size()) refuse_bytes("they end in a pass");
  TapState state = tap_state_from_bytes(in.substr(0, size), "a pass");
  in.remove_prefix(size);
  return state;
}

std::optional<TapState> take_state_if(bool is_there, std::string_view& in) {
  return is_there ? std::optional(take_state(in)) : std::nullopt;
}

Passes take_passes(std::string_view in) {
  if (!in.starts_with(kMagic)) refuse_bytes("they do not begin as those of passes");
  in.remove_prefix(kMagic.size());
  if (const std::uint32_t version = take_u32(in); version > kVersion) {
    throw Error(Errc::unsupported,
                fmt::format("these passes are of version {}, and this quantlens reads up to {}",
                            version, kVersion));
  }
  auto head = json::decode<Head>(json::parse(take_name(in), "their head"), "their head");
  Passes passes;
  passes.local = {.ops = take_state_if(head.ops, in),
                  .weights = take_state_if(head.weights, in),
                  .inputs = take_state_if(head.inputs, in)};
  passes.outputs = take_state_if(head.outputs, in);
  for (std::vector<std::string>& ops : head.in_float) {
    passes.in_float.push_back({.ops = std::move(ops), .errors = take_state(in)});
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
            .outputs = passes.outputs.has_value(),
            .in_float = {},
            .observation = passes.observation,
            .samples = passes.samples,
            .caveat = passes.caveat};
  for (const OutputsInFloat& one : passes.in_float) head.in_float.push_back(one.ops);
  std::string out(kMagic);
  append_u32(out, kVersion);
  append_name(out, json::dump(json::encode(head)));
  for (const auto* state :
       {&passes.local.ops, &passes.local.weights, &passes.local.inputs, &passes.outputs}) {
    append(*state, out);
  }
  for (const OutputsInFloat& one : passes.in_float) append(one.errors, out);
  return out;
}

Passes passes_from_bytes(std::string_view bytes, std::string_view where) {
  return naming(where, [&] { return take_passes(bytes); });
}

}  // namespace quantlens
