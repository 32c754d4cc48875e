// SPDX-License-Identifier: Apache-2.0
// Any bytes as an accuracy_state.bin: refused as damaged, or an accuracy within its bounds, whose
// state can be merged again.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "quantlens/accuracy/evaluate.h"
#include "quantlens/base/error.h"

using namespace quantlens;  // NOLINT(google-build-using-namespace): a program of one file

static void check_bounds(const Accuracy& accuracy) {
  if (accuracy.is_rate && !(accuracy.value >= 0 && accuracy.value <= 1)) std::abort();
}

static void merge_again(const AccuracyState& state) {
  const MetricSpec metric = metric_of(state);
  if (state.reference) {
    AccuracyPairSink sink(metric, {});
    sink.merge(state);
    check_bounds(sink.result().reference.value());
    AccuracyPairSink(metric, {}).merge(sink.state());
  } else {
    AccuracySink sink(metric);
    sink.merge(state);
    check_bounds(sink.result());
    AccuracySink(metric).merge(sink.state());
  }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    merge_again(accuracy_state_from_bytes(bytes, "fuzz"));
  } catch (const Error& error) {
    if (error.code() != Errc::bad_input && error.code() != Errc::unsupported) std::abort();
  }
  return 0;
}
