// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "quantlens/runtime/tensorflow/c_api.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens::tensorflow {

/// What elements of TensorFlow's type are here; codes (qint8, ...) are the integers that hold them.
std::optional<DType> dtype_of(DataType type);

using TensorPtr = std::shared_ptr<TensorHandle>;

/// A copy in TensorFlow's memory, of elements of `type`: what the graph calls the tensor's dtype.
/// Throws Errc::failed where there is no memory for it.
TensorPtr handle_of(const Api& api, const Tensor& tensor, DataType type);

/// What TensorFlow gave, in its own memory. REQUIRES: its type has a DType.
Tensor tensor_of(const Api& api, TensorPtr handle);

}  // namespace quantlens::tensorflow
