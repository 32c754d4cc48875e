// What changes in a graph as it is written. Whatever does not is a range of the old file, so
// unknown fields and their order stay.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "quantlens/frontend/graphdef/encode.h"
#include "quantlens/frontend/graphdef/source.h"
#include "quantlens/graph/order.h"

namespace quantlens::graphdef {

/// The nodes of a file, by name; those of its functions are not among them.
class GraphFile {
 public:
  /// Of a model that `read` has read; it has to outlive this.
  explicit GraphFile(const Model& model);

  const Model& model() const { return model_; }
  /// In the file's order.
  const std::vector<NodeParts>& nodes() const { return nodes_; }
  const NodeParts* find(std::string_view name) const;
  /// What a node reads but for control edges, as Graph names values.
  std::vector<std::string> values_read(const NodeParts& node) const;
  Reference reference(std::string_view text) const { return read_reference(source_, text); }

 private:
  const Model& model_;
  Source source_;
  std::vector<NodeParts> nodes_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
};

/// Nodes are named as in the file.
struct Edit {
  std::set<std::string, std::less<>> removed;
  std::map<std::string, std::string, std::less<>> renamed;  ///< what they are called from now on
  /// By node, and by the number of what it reads (control edges not counted): what it reads now.
  std::map<std::string, std::map<std::size_t, std::string>, std::less<>> inputs;
  /// New nodes by the one in whose place, or in front of which, they stand.
  std::map<std::string, std::vector<NewNode>, std::less<>> inserted;
  /// By removed node: what waits for it waits for this one. Else nothing waits.
  std::map<std::string, std::string, std::less<>> stands_for;
  std::map<std::string, std::string> metadata;  ///< added to the graph's own
};

/// What a node of the file reads from now on, control edges included.
std::vector<std::string> inputs_after(const Edit& edit, const NodeParts& node);
/// The same of a new node.
std::vector<std::string> inputs_after(const Edit& edit, const NewNode& node);

/// Of each node's name, how often others read it or wait for it in the edited graph.
std::unordered_map<std::string, std::size_t> read_counts(const GraphFile& file, const Edit& edit);

/// Removes those of these nodes that nobody reads in the edited graph, and what only they read: not
/// graph inputs and outputs, and ops that are of use unread.
void drop_unread(const GraphFile& file, const GraphIndex& index, std::vector<std::string> nodes,
                 Edit& edit);

/// The whole file. REQUIRES: the model outlives it.
Pieces written(const GraphFile& file, const Edit& edit);

/// The node of a graph that keeps a model's key/value properties: GraphDefs have none.
inline constexpr const char* kMetadataNode = "quantlens/metadata";
/// What such a node says, among these messages.
std::map<std::string, std::string> metadata_of(const Source& source,
                                               const std::vector<std::string_view>& nodes);

}  // namespace quantlens::graphdef
