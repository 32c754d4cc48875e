// A SavedModel without TensorFlow: what of it becomes a frozen graph once somebody has read the
// values of its variables, which takes TensorFlow (runtime/tensorflow/freeze.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens::graphdef {

/// The file in a SavedModel's folder that says what its graph is.
inline constexpr const char* kSavedModelFile = "saved_model.pb";

/// Whether these are the bytes of that file, or none and `path` is such a folder.
bool is_saved_model(Bytes bytes, const fs::path& path);

/// A variable of a SavedModel.
struct Variable {
  std::string node;         ///< that gives it, or a handle to it, in the SavedModel's graph
  std::int64_t type = 0;    ///< of its elements, by TensorFlow's number
  bool is_resource = true;  ///< the node gives a handle, as in TensorFlow 2, and not the value
};

/// The graph between the ends of a SavedModel's signature: "serving_default", or its only one.
class SavedGraph {
 public:
  /// `path`: of the folder, for messages; `file`: what is in its kSavedModelFile. Throws
  /// Errc::bad_input where that is unsound, and Errc::unsupported where there is no such signature,
  /// or no frozen graph can hold what its outputs need: tables, variables that are more than read.
  SavedGraph(const fs::path& path, MappedFile file);
  SavedGraph(const SavedGraph&) = delete;
  SavedGraph& operator=(const SavedGraph&) = delete;
  ~SavedGraph();

  /// By which TensorFlow knows the graph among those in the file.
  const std::vector<std::string>& tags() const;

  /// Those that the outputs need, in the order of the file.
  const std::vector<Variable>& variables() const;

  /// A GraphDef with the values in the variables' place. Its functions stand in the place of their
  /// calls; nodes are called as in their function where no other node is, else with the call's name
  /// in front. Inputs and outputs are called as in the signature. `values`: by Variable::node.
  /// Throws Errc::unsupported for one that TensorFlow could not read.
  std::string frozen(const std::map<std::string, Tensor>& values) const;

 private:
  class Content;
  std::unique_ptr<Content> content_;
};

}  // namespace quantlens::graphdef
