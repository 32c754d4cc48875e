// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/base/store.h"

namespace quantlens::tensorflow {

/// Writes a Keras file as a SavedModel into this folder, which Python does: the one that
/// $QUANTLENS_TENSORFLOW_PYTHON names, else the first python3 in $PATH. Code in the file is not
/// run: Keras' safe mode is on, and a Keras whose safe mode lets some through is refused. Throws
/// Errc::not_found where there is no such Python or it has no Keras with TensorFlow,
/// Errc::unsupported where that is too old, Errc::bad_input where it refuses the file.
void export_keras(const fs::path& file, const fs::path& folder);

}  // namespace quantlens::tensorflow
