// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "quantlens/diagnosis/view/float_view.h"

namespace quantlens {

/// For each value of the view the first one that is surely equal to it: computed by an op of the
/// same type, with the same attributes and constants, from equal values. Often itself.
std::vector<std::size_t> first_equals(const FloatView& view);

}  // namespace quantlens
