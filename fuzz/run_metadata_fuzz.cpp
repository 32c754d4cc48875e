// SPDX-License-Identifier: Apache-2.0
// Any bytes as what TensorFlow tells of a run: refused in a sentence, or a graph and times of it
// that can be.
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>

#include "quantlens/base/error.h"
#include "quantlens/runtime/tensorflow/node_times.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quantlens;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    const Graph graph = tensorflow::graph_that_ran(bytes, "fuzz.pb");
    tensorflow::NodeTimes times(graph, "fuzz.pb");
    const RunTime time = times.read(bytes, {.begin_ns = 1000, .ns = 1'000'000});
    const auto sum = std::accumulate(time.nodes.begin(), time.nodes.end(), std::uint64_t{0});
    if (time.nodes.size() != graph.nodes.size() || sum > time.whole || time.whole > 1'000'000)
      std::abort();
    (void)times.types(bytes);
  } catch (const Error& error) {
    if (error.code() != Errc::failed) std::abort();
  }
  return 0;
}
