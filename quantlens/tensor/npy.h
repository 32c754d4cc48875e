// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "quantlens/base/store.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens {

/// Header of a .npy file (format 1.0 to 3.0): element type, shape, and where the data begin.
struct NpyHeader {
  DType dtype = DType::float32;
  Shape shape;
  bool fortran_order = false;
  std::size_t data_offset = 0;
};

/// Of a file's beginning, the header's end among them.
inline constexpr std::size_t kMostNpyHeaderBytes = (std::size_t{1} << 16U) + 12;

/// Reads the header; throws Errc::bad_input naming `where` for anything but a sound little-endian
/// numeric array (objects, structs, big-endian and unicode types are refused with their reason).
NpyHeader read_npy_header(Bytes file, std::string_view where);

/// The whole array, C order (Fortran order is transposed). Views `file` where it can.
Tensor read_npy(const MappedFile& file, std::string_view where);
/// The same of a file that `owner` keeps; of C order, only its header is looked at.
Tensor read_npy(Bytes file, const std::shared_ptr<const void>& owner, std::string_view where);

/// A version 1.0 file of the tensor.
std::string write_npy(const Tensor& tensor);

}  // namespace quantlens
