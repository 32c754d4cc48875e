// SPDX-License-Identifier: Apache-2.0
// Whole float networks: the oracle and ONNX Runtime agree end to end. (Quantized ones need not: a
// value that falls to the other of two codes in one layer changes the sums of all that follow.)
#include <cstdlib>

#include <gtest/gtest.h>

#include "quantlens/frontend/frontend.h"
#include "quantlens/runtime/contract/differential.h"
#include "quantlens/runtime/contract/run_kinds.h"

namespace quantlens::contract {
namespace {

fs::path testdata(const std::string& model) {
  const char* named = std::getenv("QUANTLENS_TESTDATA");
  const fs::path folder = named != nullptr ? named : QUANTLENS_SOURCE_DIR "/../shared/testdata";
  return folder / "models" / model;
}

/// One sample of random numbers; extents that the file leaves open are 16.
Batch sample_for(const Model& model) {
  TensorMap inputs;
  unsigned seed = 1;
  for (const ValueInfo& info : model.graph.inputs) {
    Shape shape;
    for (const Dim& dim : *info.shape) shape.push_back(dim.extent.value_or(shape.empty() ? 1 : 16));
    inputs.emplace(info.name, is_float(*info.dtype)
                                  ? random_floats(shape, ++seed)
                                  : random_integers(shape, ++seed, 0, 1, *info.dtype));
  }
  return batch(0, inputs);
}

void expect_whole_net_agrees(const fs::path& path) {
  const std::string missing = onnxruntime_missing();
  if (!missing.empty()) GTEST_SKIP() << missing;
  if (!fs::exists(path)) GTEST_SKIP() << path.filename() << " is not here";
  const Model model = frontend::read(path);
  expect_agreement(model, sample_for(model), {.relative = 2e-5});
}

TEST(RealNets, TheDemoAgrees) {
  expect_whole_net_agrees(QUANTLENS_SOURCE_DIR "/examples/demo/digits.onnx");
}

TEST(RealNets, MobileNetAgrees) {
  expect_whole_net_agrees(testdata("mobilenet_v1_0.25_224.onnx"));
}

TEST(RealNets, SqueezeNetAgrees) {
  expect_whole_net_agrees(testdata("squeezenet1.1.onnx"));
}

TEST(RealNets, ASmallTransformerAgrees) {
  expect_whole_net_agrees(testdata("kwt1.onnx"));
}

TEST(RealNets, ASentenceEncoderAgrees) {
  expect_whole_net_agrees(testdata("minilm_l6_v2.onnx"));
}

}  // namespace
}  // namespace quantlens::contract
