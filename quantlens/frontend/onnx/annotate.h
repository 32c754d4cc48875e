// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/frontend/annotations.h"

namespace quantlens::onnx {

/// As frontend::write_annotated: notes of nodes are NodeProto.metadata_props, those of the model
/// ModelProto.metadata_props.
void write_annotated(const fs::path& model, const MappedFile& file, const Annotations& notes,
                     Store& store, const fs::path& path);

}  // namespace quantlens::onnx
