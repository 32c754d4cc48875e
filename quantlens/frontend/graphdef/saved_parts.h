// What stands in a SavedModel's saved_model.pb.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "quantlens/frontend/graphdef/source.h"

namespace quantlens::graphdef {

inline constexpr std::int64_t kResourceType = 20;  ///< by TensorFlow's number

/// An input or output of a signature.
struct SavedEnd {
  std::string key;         ///< what the signature calls it
  std::string value;       ///< in the graph, as Graph names values
  std::int64_t type = 0;   ///< of its elements, by TensorFlow's number
  std::string_view shape;  ///< a TensorShapeProto
};

/// Views of the file.
struct SavedParts {
  std::vector<std::string> tags;
  std::vector<std::string_view> nodes;                               ///< messages
  std::unordered_map<std::string_view, std::string_view> functions;  ///< by name: whole fields
  std::unordered_map<std::string_view, std::string_view> op_defs;    ///< by name: messages
  std::string_view versions;                                         ///< the whole field
  std::vector<SavedEnd> inputs, outputs;                             ///< in order of their keys
};

/// Of the graph that is served: the one tagged so, or the only one. Adds the graph's functions to
/// `source`, whose file it is. Throws Errc::bad_input and Errc::unsupported as SavedGraph does, and
/// protozero::exception where the bytes are no message.
SavedParts read_saved_parts(Source& source);

/// Of a node's results that its op calls `name` the number of the first, as the file says what the
/// op gives; nothing where it does not.
std::optional<std::size_t> first_result(const SavedParts& parts, const NodeParts& node,
                                        std::string_view name);

}  // namespace quantlens::graphdef
