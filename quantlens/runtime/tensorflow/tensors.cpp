// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/tensorflow/tensors.h"

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/base/error.h"
#include "quantlens/base/store.h"
#include "quantlens/frontend/graphdef/graphdef.h"

namespace quantlens::tensorflow {
namespace {

StringHandle* string_at(void* data, std::size_t number) {
  return reinterpret_cast<StringHandle*>(static_cast<std::byte*>(data) + number * kStringBytes);
}

Shape shape_of(const Api& api, const TensorHandle* handle) {
  Shape shape;
  for (int axis = 0; axis < api.rank(handle); ++axis) shape.push_back(api.extent(handle, axis));
  return shape;
}

TensorHandle* allocate(const Api& api, const Tensor& tensor, DataType type, std::size_t bytes) {
  TensorHandle* handle = api.allocate_tensor(type, tensor.shape().data(),
                                             static_cast<int>(tensor.shape().size()), bytes);
  if (handle == nullptr) {
    throw Error(Errc::failed, "TensorFlow has no memory for an input; use a smaller --batch-size");
  }
  return handle;
}

/// What a text lies in outside of the tensor is its own.
TensorPtr strings_of(const Api& api, const Tensor& tensor) {
  const std::size_t count = tensor.strings().size();
  TensorHandle* const raw = allocate(api, tensor, DataType::string, count * kStringBytes);
  void* const data = api.tensor_data(raw);
  for (std::size_t i = 0; i < count; ++i) api.string_init(string_at(data, i));
  TensorPtr handle(raw, [&api, data, count](TensorHandle* last) {
    for (std::size_t i = 0; i < count; ++i) api.string_dealloc(string_at(data, i));
    api.delete_tensor(last);
  });
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& text = tensor.strings()[i];
    api.string_copy(string_at(data, i), text.data(), text.size());
  }
  return handle;
}

}  // namespace

std::optional<DType> dtype_of(DataType type) {
  return graphdef::dtype_of_number(static_cast<int>(type));
}

TensorPtr handle_of(const Api& api, const Tensor& tensor, DataType type) {
  if (tensor.dtype() == DType::string) return strings_of(api, tensor);
  const Bytes bytes = tensor.bytes();
  TensorPtr handle(allocate(api, tensor, type, bytes.size()), api.delete_tensor);
  if (!bytes.empty()) std::memcpy(api.tensor_data(handle.get()), bytes.data(), bytes.size());
  return handle;
}

Tensor tensor_of(const Api& api, TensorPtr handle) {
  const DType dtype = dtype_of(api.tensor_type(handle.get())).value();
  Shape shape = shape_of(api, handle.get());
  void* const data = api.tensor_data(handle.get());
  if (dtype == DType::string) {
    std::vector<std::string> texts(api.tensor_bytes(handle.get()) / kStringBytes);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const StringHandle* text = string_at(data, i);
      texts[i].assign(api.string_data(text), api.string_size(text));
    }
    return Tensor::from_strings(std::move(shape), std::move(texts));
  }
  const Bytes bytes(static_cast<const std::byte*>(data), api.tensor_bytes(handle.get()));
  return {dtype, std::move(shape), bytes, std::move(handle)};
}

}  // namespace quantlens::tensorflow
