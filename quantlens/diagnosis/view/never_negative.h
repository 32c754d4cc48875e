// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "quantlens/diagnosis/view/float_view.h"

namespace quantlens {

/// Whether an op's function never gives a negative number, whatever the model's inputs are: a Relu,
/// a Clip from 0 on, a Sigmoid, a Softmax; pools and joins of such values, too.
bool never_negative(const FloatView& view, std::size_t value);

}  // namespace quantlens
