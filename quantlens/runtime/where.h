// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/base/text.h"
#include "quantlens/graph/model.h"

namespace quantlens {

/// How messages name a model.
inline std::string where(const Model& model) {
  return model.path.empty() ? "the model" : printable(model.path.string());
}

}  // namespace quantlens
