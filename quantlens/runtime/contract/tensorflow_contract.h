// What the tests of TensorFlow in its worker share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quantlens/frontend/graphdef/small_graphs.h"
#include "quantlens/runtime/formats.h"
#include "quantlens/runtime/locate.h"
#include "quantlens/runtime/tensorflow/tensorflow.h"
#include "quantlens/runtime/workers.h"

namespace quantlens::contract {

/// Skipped, with the reason, where there is no TensorFlow.
class TensorflowContract : public testing::Test {
 protected:
  void SetUp() override {
    const RuntimeStatus status = tensorflow::found();
    if (!status.available) GTEST_SKIP() << status.problem;
  }
  std::unique_ptr<quantlens::Run> open(const Model& model, const Model* other = nullptr,
                                       RunOptions options = {.watch = {}},
                                       const TapSpec& spec = {}) {
    options.workers = &workers_;
    return Formats(&workers_).open(model, other, spec, options);
  }
  std::unique_ptr<TimedRun> open_timed(const Model& model, TimedOptions options = {}) {
    options.workers = &workers_;
    return Formats(&workers_).open_timed(model, options);
  }

  Workers workers_{Isolation{.program = QUANTLENS_TEST_WORKER, .stop_requested = {}}};
};

inline graphdef::GraphBytes& constant(graphdef::GraphBytes& graph, const std::string& name,
                                      std::int64_t type, const std::string& message) {
  return graph.node(name, "Const", {},
                    {{"value", graphdef::tensor(message)}, {"dtype", graphdef::type(type)}});
}

inline std::vector<float> floats_of(const Tensor& tensor) {
  return {tensor.data<float>().begin(), tensor.data<float>().end()};
}

inline graphdef::GraphBytes& constant(graphdef::GraphBytes& graph, const std::string& name,
                                      const Tensor& floats) {
  return constant(graph, name, graphdef::kFloat,
                  graphdef::floats(floats.shape(), floats_of(floats)));
}

}  // namespace quantlens::contract
