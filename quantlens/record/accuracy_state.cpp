// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/accuracy_state.h"

#include <algorithm>

#include "quantlens/base/json.h"
#include "quantlens/record/binary_record.h"
#include "quantlens/stats/bytes.h"

// The bytes of accuracy_state.bin, all integers little-endian:
//   magic      kMagic
//   head       u32 length, the JSON of a Head
//   samples    a SampleSet
//   reference  u64 length and a metric's state, where the head says that it is there
//   quantized  likewise, always
// Nothing follows.

namespace quantlens {
namespace {

constexpr RecordMagic kMagic{
    .text = std::string_view("QLACCU\r\n", 8), .version = 1, .what = "accuracies"};

struct Head {
  std::string metric;
  bool reference = false;
  std::uint64_t both_right = 0, both_wrong = 0, lost = 0, gained = 0;
  std::vector<Flip> flips;
};
BOOST_DESCRIBE_STRUCT(Head, (), (metric, reference, both_right, both_wrong, lost, gained, flips))

/// Whether each sample answers in one of the four ways, or none does; and which flips are kept.
void check_counts(const AccuracyState& state) {
  const std::uint64_t samples = state.samples.size();
  std::uint64_t left = samples;
  for (const std::uint64_t count : {state.both_right, state.both_wrong, state.lost, state.gained}) {
    if (count > left) refuse_bytes("more samples are right or wrong than there are");
    left -= count;
  }
  if (left != 0 && left != samples) refuse_bytes("some samples are neither right nor wrong");
  if (state.flips.size() != std::min<std::uint64_t>(state.lost + state.gained, kFlipsKept)) {
    refuse_bytes("it has other flips than are lost and gained");
  }
  for (std::size_t i = 0; i < state.flips.size(); ++i) {
    if (!state.samples.contains(state.flips[i].sample) ||
        (i > 0 && state.flips[i].sample <= state.flips[i - 1].sample)) {
      refuse_bytes("flips are out of order, or of no sample that was scored");
    }
  }
}

AccuracyState take_state(std::string_view in) {
  take_magic(kMagic, in);
  auto head = json::decode<Head>(json::parse(take_name(in), "its head"), "its head");
  AccuracyState state{.metric = std::move(head.metric),
                      .samples = SampleSet::take_from(in),
                      .reference = {},
                      .quantized = {},
                      .both_right = head.both_right,
                      .both_wrong = head.both_wrong,
                      .lost = head.lost,
                      .gained = head.gained,
                      .flips = std::move(head.flips)};
  if (head.reference) state.reference = take_chunk(in);
  state.quantized = take_chunk(in);
  if (!in.empty()) refuse_bytes("something follows them");
  check_counts(state);
  return state;
}

}  // namespace

std::string to_bytes(const AccuracyState& state) {
  std::string out;
  append_magic(kMagic, out);
  append_name(out, json::dump(json::encode(Head{.metric = state.metric,
                                                .reference = state.reference.has_value(),
                                                .both_right = state.both_right,
                                                .both_wrong = state.both_wrong,
                                                .lost = state.lost,
                                                .gained = state.gained,
                                                .flips = state.flips})));
  state.samples.append_to(out);
  if (state.reference) append_chunk(*state.reference, out);
  append_chunk(state.quantized, out);
  return out;
}

AccuracyState accuracy_state_from_bytes(std::string_view bytes, std::string_view where) {
  return naming(where, [&] { return take_state(bytes); });
}

}  // namespace quantlens
