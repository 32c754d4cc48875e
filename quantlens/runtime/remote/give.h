// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "quantlens/base/file_descriptor.h"
#include "quantlens/graph/model.h"
#include "quantlens/runtime/remote/messages.h"

namespace quantlens::remote {

/// Adds the model to a frame's files: its own file where that still has the bytes that were read;
/// else, and where the model was never in a file, sealed memory with them. So the worker runs what
/// was read here, whatever becomes of the path, and nothing large is copied. A model without bytes
/// (a folder) is at its path.
ModelFileText give(std::string_view format, const fs::path& path, const MappedFile& file,
                   std::vector<FileDescriptor>& files);
ModelFileText give(const Model& model, std::vector<FileDescriptor>& files);

}  // namespace quantlens::remote
