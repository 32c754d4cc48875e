// TensorFlow's GraphDef without libprotobuf and without TensorFlow: frozen graphs, read by
// protozero over the mapped file, and written with their int8 ops. docs/tensorflow.md says what is
// read and written, and how a graph is frozen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/frontend/patch.h"
#include "quantlens/graph/model.h"
#include "quantlens/record/plan.h"

namespace quantlens::graphdef {

/// Whether the bytes look like a binary GraphDef (cheap; no full parse).
bool match(Bytes bytes, const fs::path& path);

/// Of bytes that are surely something else of TensorFlow's or Keras': what they are and what to do
/// instead, behind "it is"; else empty.
std::string_view problem_of(std::string_view text);
/// Likewise of a folder.
std::string_view problem_of_folder(const fs::path& folder);

/// Whether the bytes are a Keras file: an archive, or HDF5.
bool is_keras(Bytes bytes, const fs::path& path);

/// What elements of a type are here, by TensorFlow's number of it (types.proto); codes (qint8, ...)
/// are the integers that hold them. Nothing of complex numbers, handles and what is not known.
std::optional<DType> dtype_of_number(std::int64_t number);

/// Parses the whole graph. Nodes come in the order in which they can run; calls of functions stand
/// for their bodies, whose nodes are `<call>/<node>`; bodies of loops and branches are subgraphs.
/// Nodes that make no value (NoOp, Assert, and the like) stay in the file. Throws as
/// frontend::read.
Model read(const fs::path& path, MappedFile file);

/// As frontend::edited and frontend::apply. Key/value properties stand in a node of their own.
/// Throw Errc::unsupported where TensorFlow has no int8 op for what the plan asks, and where an op
/// lies in a function.
Model edited(const Model& model, const Plan& plan,
             const std::map<std::string, std::string>& metadata);
std::vector<std::string> apply(const Model& model, const Plan& plan,
                               const std::map<std::string, std::string>& metadata, Store& store,
                               const fs::path& path);

/// frontend::write_patched for GraphDefs.
void write_patched(const Model& model, const Patch& patch, Store& store, const fs::path& path);

/// frontend::stand_in for GraphDefs. REQUIRES: an input, and tensors alone.
Model stand_in(const Model& model);

}  // namespace quantlens::graphdef
