// TensorFlow's GraphDef without libprotobuf and without TensorFlow: frozen graphs, read by
// protozero over the mapped file. docs/tensorflow.md says what is read, and how a graph is frozen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "quantlens/base/store.h"
#include "quantlens/graph/model.h"

namespace quantlens::graphdef {

/// Whether the bytes look like a binary GraphDef (cheap; no full parse).
bool match(Bytes bytes, const fs::path& path);

/// Of bytes that are surely something else of TensorFlow's or Keras': what they are and what to do
/// instead, behind "it is"; else empty.
std::string_view problem_of(std::string_view text);
/// Likewise of a folder.
std::string_view problem_of_folder(const fs::path& folder);

/// Parses the whole graph. Nodes come in the order in which they can run; calls of functions stand
/// for their bodies, whose nodes are `<call>/<node>`; bodies of loops and branches are subgraphs.
/// Nodes that make no value (NoOp, Assert, and the like) stay in the file. Throws as
/// frontend::read.
Model read(const fs::path& path, MappedFile file);

}  // namespace quantlens::graphdef
