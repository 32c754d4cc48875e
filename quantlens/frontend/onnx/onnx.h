// ONNX without libprotobuf: read by protozero over the mapped file, written by copying byte ranges.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/frontend/patch.h"
#include "quantlens/graph/model.h"
#include "quantlens/record/plan.h"

namespace quantlens::onnx {

/// Whether the bytes look like an ONNX ModelProto (cheap; no full parse).
bool match(Bytes bytes, const fs::path& path);

/// Parses the whole graph, subgraphs included (at most 32 deep); external data are mapped too
/// (paths confined to the model's folder). Throws as frontend::read.
Model read(const fs::path& path, MappedFile file);

/// Where the model in these bytes has external data, as it names the files, wherever in it a tensor
/// may stand. Throws Errc::bad_input, naming `path`, where the bytes are no protobuf, or
/// have no graph.
std::set<std::string> locations_in(const fs::path& path, std::string_view message);

/// A change to a model file, applied by `write`. Node numbers are those of `Graph::nodes`.
/// Whatever is not named here is copied byte for byte, unknown fields included.
struct Edit {
  std::set<std::size_t> removed;  ///< nodes
  /// New names for inputs and outputs of a node, by position; a position past the end appends
  /// (in between, empty names). Unknown fields and attributes of the node stay.
  std::map<std::size_t, std::map<std::size_t, std::string>> inputs;
  std::map<std::size_t, std::map<std::size_t, std::string>> outputs;
  std::map<std::size_t, std::string> names;  ///< of nodes
  /// New names for outer values that the subgraphs of a node read (`captured_values`).
  std::map<std::size_t, std::map<std::string, std::string>> captured;
  /// New nodes (without subgraphs), each written just before the node of this number (nodes.size():
  /// at the end).
  std::multimap<std::size_t, Node> inserted;
  std::set<std::string> removed_weights;                ///< with the graph inputs of that name
  std::vector<std::pair<std::string, Tensor>> weights;  ///< new initializers
  std::vector<ValueInfo> outputs_added;                 ///< graph outputs (dtype or shape optional)
  std::set<std::string> values_dropped;                 ///< value_info entries to leave out
  std::map<std::string, std::int64_t> opsets;           ///< added, or raised to at least this
  std::map<std::string, std::string> metadata;          ///< added or replaced
};

/// Which weights leave the file: those for which `outside` returns true are written as
/// external-data stubs (location "quantlens", offset 0) that the runtime fills from memory by name.
/// It is asked of the top graph's weights, by the name that they will have in the file.
struct WriteOptions {
  std::function<bool(const std::string& name, const Tensor& weight)> outside;
  bool keep_external = false;  ///< external data stay in the files beside the model
};

/// Receives the bytes of a written model in order.
using Sink = std::function<void(Bytes)>;

/// What is written stands alone: external data come into it, except for the weights outside, unless
/// the options keep them where they are.
/// REQUIRES: `model` came from `read` (format "onnx").
void write(const Model& model, const Edit& edit, const WriteOptions& options, const Sink& sink);

/// One model file that holds two: `first`, edited, and `second`, edited, with every name of the
/// second (values, nodes, weights, subgraphs' inner names) prefixed by `prefix`, except its graph
/// inputs, which become the first's inputs of the same position. Outputs of the second are
/// appended. Edits of the second use its own names (they are prefixed too), but a name in an
/// inserted node that begins with '\1' is taken literally, without it: so a node may read values of
/// both; such nodes may stand anywhere, the nodes of the merged graph are put in topological order.
/// Throws Errc::unsupported where opsets, local functions or inputs do not agree, and where the
/// merged graph has a cycle (naming a value of it).
std::string merge(const Model& first, const Edit& edit_first, const Model& second,
                  const Edit& edit_second, const std::string& prefix, const WriteOptions& options);

/// The Edit that a Plan means, in its format. Names: `<value>_QuantizeLinear_Output`,
/// `<value>_DequantizeLinear_Output`, `<weight>_quantized`, made unique where taken; a graph output
/// keeps its name on the dequantized value.
Edit edit_for(const Model& model, const Plan& plan);

/// frontend::edited for ONNX. REQUIRES: `model` came from `read`.
Model edited(const Model& model, const Plan& plan,
             const std::map<std::string, std::string>& metadata);

/// frontend::files_of for ONNX.
std::vector<fs::path> files_of(const Model& model);

/// Where `apply` to `path` puts external data.
fs::path data_path_of(const fs::path& path);

/// frontend::apply for ONNX.
std::vector<std::string> apply(const Model& model, const Plan& plan,
                               const std::map<std::string, std::string>& metadata, Store& store,
                               const fs::path& path);

/// frontend::write_patched for ONNX.
void write_patched(const Model& model, const Patch& patch, Store& store, const fs::path& path);

/// One TensorProto, ModelProto, … as bytes, for tests and generated models: a whole model of a
/// Graph.
std::string serialize(const Graph& graph, const std::map<std::string, std::int64_t>& opsets,
                      const std::map<std::string, std::string>& metadata = {});

}  // namespace quantlens::onnx
