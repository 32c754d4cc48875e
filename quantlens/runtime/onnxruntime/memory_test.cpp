// SPDX-License-Identifier: Apache-2.0
// That no value is kept for its taps: on a long chain in bytes, and on all nets by the order in
// which the runtime runs its nodes.
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/onnxruntime/tap_ops.h"
#include "quantlens/runtime/onnxruntime/testing_nets.h"
#include "quantlens/runtime/testing/onnx_graphs.h"

namespace quantlens::onnxruntime {
namespace {

class OnnxMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!status().available) GTEST_SKIP() << status().problem;
  }
};

constexpr int kLinks = 60;

/// v0 = x + 1, v1 = v0 + 1, ... of 4 MB each.
Graph chain() {
  Graph graph;
  graph.inputs = {info("x", DType::float32, {std::nullopt, 1 << 20})};
  graph.weights = {{"one", Tensor::scalar(1.0f)}};
  for (int i = 0; i < kLinks; ++i) {
    const std::string from = i == 0 ? "x" : "v" + std::to_string(i - 1);
    graph.nodes.push_back(op("Add", {from, "one"}, "v" + std::to_string(i)));
  }
  graph.outputs = {info("v" + std::to_string(kLinks - 1), DType::float32, {std::nullopt, 1 << 20})};
  return graph;
}

std::vector<Tap> taps_on_all(const Graph& graph) {
  std::vector<Tap> taps;
  for (const Node& node : graph.nodes)
    taps.push_back({.value = node.outputs[0], .histogram = false});
  return taps;
}

enum class Chain { bare, tapped, kept };

/// Steps 3 times through the chain, then tells its process' peak of memory and ends it.
[[noreturn]] void step_through(Chain how) {
  Graph graph = chain();
  TapSpec spec;
  if (how != Chain::bare) spec.taps = taps_on_all(graph);
  if (how == Chain::kept) {
    graph.outputs.clear();
    for (const Tap& tap : spec.taps) {
      graph.outputs.push_back(info(tap.value, DType::float32, {std::nullopt, 1 << 20}));
    }
  }
  const Model model = model_of(graph);
  const auto run = onnxruntime::open(model, nullptr, spec, {});
  for (std::uint64_t i = 0; i < 3; ++i) {
    Batch batch;
    batch.samples = {i};
    batch.inputs.emplace("x", Tensor::from<float>({1, 1 << 20}, std::vector<float>(1 << 20)));
    run->step(batch);
  }
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) std::fprintf(stderr, "%s\n", line.c_str());
  }
  std::_Exit(0);
}

/// The peak of a process that does nothing else. It is started anew rather than forked: what other
/// tests of this program left in memory is no part of it.
long peak_kb(Chain how) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  long peak = 0;
  const auto read_peak = [&](const std::string& output) {
    const std::size_t at = output.find("VmHWM:");
    if (at == std::string::npos) return false;
    peak = std::stol(output.substr(at + 6));
    return true;
  };
  EXPECT_EXIT(step_through(how), ::testing::ExitedWithCode(0), ::testing::Truly(read_peak));
  return peak;
}

TEST_F(OnnxMemory, IsThatOfABareRunWhateverIsTapped) {
  // The measure is what keeping all values would take, not a number of bytes: under a sanitizer, a
  // value that a tap has read takes several times its size. All are measured before anything is
  // claimed, as each child comes this way, too.
  const long bare = peak_kb(Chain::bare);
  const long tapped = peak_kb(Chain::tapped);
  const long kept = peak_kb(Chain::kept);
  ASSERT_GT(kept - bare, (kLinks - 10) * 4096L) << "keeping all values was not noticed";
  EXPECT_LT(tapped - bare, (kept - bare) * 5 / kLinks) << "more than 5 values were kept";
}

bool is_tap(const Node& node) {
  return node.domain == kTapDomain;
}

/// The most values that are there at once when the nodes run in the order of the file. A dump has
/// them in the order in which the runtime runs them, where it changed anything.
std::size_t most_values(const fs::path& dump) {
  const Model model = onnx::read(dump, MappedFile::open(dump));
  const GraphIndex index(model.graph);
  std::map<std::string, std::size_t> last_use;
  for (std::size_t i = 0; i < model.graph.nodes.size(); ++i) {
    for (const std::string& input : model.graph.nodes[i].inputs) last_use[input] = i;
  }
  std::set<std::string> there;
  std::size_t most = 0;
  for (std::size_t i = 0; i < model.graph.nodes.size(); ++i) {
    const Node& node = model.graph.nodes[i];
    if (!is_tap(node)) {
      for (const std::string& output : node.outputs) {
        if (!output.empty() && !index.constant(output)) there.insert(output);
      }
    }
    most = std::max(most, there.size());
    std::erase_if(there, [&](const std::string& value) {
      return !index.is_output(value) && (!last_use.contains(value) || last_use[value] <= i);
    });
  }
  return most;
}

/// Taps all values that are quantized, alone and in pairs. Of a pair, the first to be there waits
/// for the other, and where they are images both are shown with channels last: hence 4 more.
void expect_no_waiting(const Model& reference, const Model& quantized) {
  const Folder folder;
  const Batch batch = batch_for(reference, 1);
  const std::vector<PairTap> pairs = pairs_by_name(reference, quantized);
  const auto values_of = [&](const TapSpec& spec, const Model* second, const std::string& name) {
    const fs::path dump = folder.path / name;
    onnxruntime::open(reference, second, spec, {.optimized_dump = dump})->step(batch);
    return most_values(dump);
  };
  const std::size_t bare = values_of({}, &quantized, "bare");
  const std::size_t bare_quantized = most_values(folder.path / "bare.quantized");
  const std::size_t tapped = values_of({.taps = taps_of(pairs), .pairs = {}}, nullptr, "tapped");
  EXPECT_LE(tapped, bare + 1);
  const std::size_t compared = values_of({.taps = {}, .pairs = pairs}, &quantized, "compared");
  EXPECT_LE(compared, bare + bare_quantized + 4);
}

TEST_F(OnnxMemory, OfASmallNetHoldsNoValueForItsTaps) {
  expect_no_waiting(model_of(small_net()), model_of(small_net_quantized()));
}

TEST_F(OnnxMemory, OfBranchesHoldsNoValueForItsTaps) {
  expect_no_waiting(model_of(branching_net()), model_of(branching_net_quantized()));
}

TEST_F(OnnxMemory, OfMobileNetHoldsNoValueForItsTaps) {
  const auto models =
      testdata_models("mobilenet_v1_0.75_224.onnx", "mobilenet_v1_0.75_quark_qdq.onnx");
  if (!models) GTEST_SKIP() << "shared/testdata is not there";
  expect_no_waiting(models->first, models->second);
}

TEST_F(OnnxMemory, OfSqueezeNetHoldsNoValueForItsTaps) {
  const auto models = testdata_models("squeezenet1.1.onnx", "squeezenet1.1_ort_qdq.onnx");
  if (!models) GTEST_SKIP() << "shared/testdata is not there";
  expect_no_waiting(models->first, models->second);
}

TEST_F(OnnxMemory, OfATransformerHoldsNoValueForItsTaps) {
  const auto models = testdata_models("kwt1.onnx", "kwt1_ort_qdq.onnx");
  if (!models) GTEST_SKIP() << "shared/testdata is not there";
  expect_no_waiting(models->first, models->second);
}

}  // namespace
}  // namespace quantlens::onnxruntime
