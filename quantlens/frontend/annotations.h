// Notes that viewers of models show, added to a copy of a model file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/base/store.h"

namespace quantlens {

/// Keys and values that viewers show, in order.
using NotesOfNode = std::vector<std::pair<std::string, std::string>>;

/// What a copy of a model is to say of itself; it changes nothing that is computed.
struct Annotations {
  std::map<std::string, NotesOfNode> nodes;  ///< by a value that the node makes, outermost graph
  NotesOfNode model;                         ///< in place of what the file has under these keys
};

namespace frontend {

/// Writes a copy of the model in `file` with these notes to `path`, all or nothing; whatever else
/// is in it, also where it says that its external data are, is copied byte for byte; but notes of
/// nodes that an earlier copy has from quantlens are gone. `model`: what
/// messages call it. Throws Errc::bad_input where it is no model or damaged.
void write_annotated(const fs::path& model, const MappedFile& file, const Annotations& notes,
                     Store& store, const fs::path& path);

}  // namespace frontend
}  // namespace quantlens
