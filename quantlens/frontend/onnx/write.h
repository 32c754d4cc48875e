// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/frontend/onnx/rewrite.h"

namespace quantlens::onnx {

/// What writing may need besides an Edit.
struct Additions {
  std::vector<NewWeight> weights;  ///< like Edit::weights, made one at a time
  std::function<std::optional<External>(const NewWeight&)> place;  ///< nothing: in the model file
  std::set<std::string> dropped_inputs;                            ///< of the graph
  bool weights_are_inputs = false;  ///< new ones too: formats before 4 want it
};

/// A model and all that changes as it is written.
struct EditedModel {
  const Model& model;
  const Edit& edit;
  const WriteOptions& options;
  const Additions& additions;
  const Rewriter& rewriter;
};

/// Hands over each field of the edited graph, tag and all, in the order of the file. `number` is 0
/// for fields that writing does not look into.
using FieldSink = std::function<void(std::uint32_t number, Pieces field)>;
void write_graph(const EditedModel& edited, const FieldSink& sink);

/// The whole file.
Pieces written(const Model& model, const Edit& edit, const WriteOptions& options,
               Additions additions, const Relocate& relocate);

/// The files that a model was read from.
Source source_of(const Model& model);

/// Brings external data into the model file. REQUIRES: `source` outlives what is written.
Relocate embed(Source& source);

/// Nodes as they will be written, in that order: names only. What their subgraphs read counts as
/// inputs.
std::vector<Node> edited_nodes(const Graph& graph, const Edit& edit, const Renaming& names);

/// What the edited graph's nodes, and its outputs, read, and how often.
std::unordered_map<std::string, std::size_t> read_counts(const Graph& graph, const Edit& edit);

}  // namespace quantlens::onnx
