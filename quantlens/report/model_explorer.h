// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantlens/graph/outline.h"
#include "quantlens/report/node_figures.h"

namespace quantlens {

/// A file of Model Explorer's node data: one figure of all nodes.
struct NodeDataFile {
  std::string name;  ///< "sqnr_db.json"
  std::string json;
};

/// The ids that Model Explorer's ONNX adapter (model-explorer-onnx 0.4) gives the nodes: their
/// names; a node without one is called "node", and a name that is there already gets "_1" and so
/// on. As many as ops of the graph.
std::vector<std::string> model_explorer_ids(const GraphOutline& graph);

/// One file a figure that any node has, for the outermost graph, whatever its name is: node data
/// without the id of a graph are taken for the one that is shown. Bad is red. Figures that are not
/// finite are left out, since JSON has no word for them. Source of the form: Model Explorer 0.1.34,
/// node_data_builder.py.
std::vector<NodeDataFile> model_explorer_files(const GraphOutline& graph,
                                               const std::vector<NodeFigures>& figures);

}  // namespace quantlens
