// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/frontend/graphdef/edit.h"
#include "quantlens/frontend/patch.h"

namespace quantlens::graphdef {

/// What a patch changes in a graph's file. REQUIRES: `file`, the patch and the model that its nodes
/// are copies of outlive what is returned. Throws Errc::unsupported for a value that is not the
/// first result of a node, a node of a function, and codes that TensorFlow does not have.
Edit patch_edit(const GraphFile& file, const Patch& patch);

}  // namespace quantlens::graphdef
