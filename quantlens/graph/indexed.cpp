// SPDX-License-Identifier: Apache-2.0
#include "quantlens/graph/indexed.h"

#include <utility>

namespace quantlens {

Indexed::Indexed(const Model& of, TensorMap computed)
    : model(of), constants(std::move(computed)), index(of.graph, constants) {}

}  // namespace quantlens
