// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "quantlens/runtime/oracle/call.h"

namespace quantlens::oracle {

/// Evaluates one model's nodes in order. Views the model, which must outlive it.
class Interpreter {
 public:
  /// Sees every graph input and every output of a node, once, as soon as it is there.
  using Observer = std::function<void(const std::string& value, const Tensor& tensor)>;

  /// Throws Errc::unsupported naming the op or weight that the oracle does not know, and
  /// Errc::bad_input for a value that is read and never made.
  explicit Interpreter(const Model& model);

  /// The graph outputs for these inputs, given by position; a tensor is freed after its last use.
  /// Throws Errc::bad_input naming the input, shapes and dtypes where one does not fit.
  TensorMap run(std::span<const Tensor> inputs, const Observer& seen) const;

  /// Whether it is a graph input or an output of a node.
  bool makes(const std::string& value) const;
  std::vector<std::string> values() const;  ///< all that it makes
  const Model& model() const { return model_; }

 private:
  struct Step {
    const Node* node = nullptr;
    Kernel kernel = nullptr;
    std::int64_t opset = 0;
    std::vector<std::optional<std::size_t>> inputs, outputs;  // slots
    std::vector<std::size_t> last_used;                       // slots to free after it
  };

  std::size_t slot_of_made(const std::string& value);
  std::size_t slot_of_read(const Node& node, const std::string& value) const;
  void add_step(const Node& node);
  void plan_freeing();
  void evaluate(const Step& step, std::vector<std::optional<Tensor>>& slots,
                const Observer& seen) const;

  const Model& model_;
  std::unordered_map<std::string, std::size_t> slots_;
  std::vector<std::optional<Tensor>> weights_;  // by slot
  std::vector<Step> steps_;
};

/// The version of the operator set that a node belongs to.
std::int64_t opset_of(const Model& model, const Node& node);

/// "float32 [N,3,?]": what a model says of a value.
std::string described(const ValueInfo& info);

}  // namespace quantlens::oracle
