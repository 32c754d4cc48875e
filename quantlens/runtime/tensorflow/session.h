// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/runtime/inputs.h"
#include "quantlens/runtime/tensorflow/c_api.h"
#include "quantlens/runtime/tensorflow/tensors.h"

namespace quantlens::tensorflow {

/// A graph that TensorFlow has read.
class ImportedGraph {
 public:
  /// `where`: for messages. Throws Errc::bad_input where TensorFlow refuses the bytes.
  ImportedGraph(Bytes bytes, std::string where);

  const Api& api() const { return api_; }
  const std::string& where() const { return where_; }
  GraphHandle* get() const { return graph_.get(); }
  /// Null where there is none.
  Operation* operation(const std::string& name) const;
  /// A value as the frontend names it: "node", or "node:1" of a further result. Throws
  /// Errc::bad_input where there is none.
  ValueHandle value(const std::string& name) const;
  DataType type(const std::string& value) const { return api_.output_type(this->value(value)); }

 private:
  const Api& api_;
  std::string where_;
  std::shared_ptr<GraphHandle> graph_;
};

/// A model as it is loaded.
struct SessionModel {
  std::vector<std::string> inputs;   ///< values that are fed, as the frontend names them
  std::vector<std::string> outputs;  ///< values that are wanted; those of no DType are left out
  std::string number;                ///< one that is fed with a number for each run; empty: none is
  std::vector<std::string> targets;  ///< nodes that are run whatever the outputs need
};

/// As its graph's ends say.
SessionModel session_model(const Model& model);

/// Inputs in TensorFlow's memory.
struct Fed {
  std::vector<TensorPtr> held;
  std::vector<TensorHandle*> tensors;  ///< of each, in the order of SessionModel::inputs
};

using BufferPtr = std::unique_ptr<Buffer, void (*)(Buffer*)>;

/// What a run is asked to tell of itself (a RunOptions), and where it does (a RunMetadata).
struct Trace {
  const Buffer* wanted = nullptr;
  Buffer* told = nullptr;
};

/// One loaded graph; several threads may run it at once. A run uses the thread that calls it, and
/// `threads - 1` others within its ops.
class LoadedGraph {
 public:
  /// Throws Errc::bad_input where the graph has no value of a name, Errc::unsupported where no
  /// output is a tensor.
  LoadedGraph(ImportedGraph graph, const SessionModel& model, unsigned threads);
  LoadedGraph(const LoadedGraph&) = delete;
  LoadedGraph& operator=(const LoadedGraph&) = delete;
  ~LoadedGraph();

  const std::vector<std::string>& output_names() const { return output_names_; }

  /// REQUIRES: one tensor for each input, in that order.
  Fed feed(const NamedTensors& inputs) const;

  /// All outputs, in the order of their names; `number` is fed where the model has one. Throws
  /// Errc::failed where TensorFlow fails.
  std::vector<TensorPtr> run(const Fed& fed, TensorHandle* number = nullptr,
                             const Trace& trace = {}) const;
  TensorMap outputs(const Fed& fed, TensorHandle* number = nullptr,
                    const Trace& trace = {}) const;  ///< likewise, by name

 private:
  void start(unsigned threads);

  ImportedGraph graph_;
  const Api& api_;
  SessionHandle* session_ = nullptr;
  std::vector<ValueHandle> inputs_;  // the number last
  std::vector<DataType> input_types_;
  std::vector<std::string> output_names_;
  std::vector<ValueHandle> outputs_;
  std::vector<const Operation*> targets_;
};

}  // namespace quantlens::tensorflow
