// SPDX-License-Identifier: Apache-2.0
// Any bytes as a .npy file: read soundly or refused; what was read survives being written again.
#include <algorithm>
#include <cstdlib>

#include "quantlens/base/error.h"
#include "quantlens/tensor/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quantlens;
  Tensor tensor;
  try {
    const std::string file(reinterpret_cast<const char*>(data), size);
    tensor = read_npy(MappedFile::from_bytes(file), "fuzz.npy");
  } catch (const Error&) {
    return 0;
  }
  if (to_float32(tensor).size() != tensor.size()) std::abort();
  const Tensor again = read_npy(MappedFile::from_bytes(write_npy(tensor)), "again.npy");
  if (again.shape() != tensor.shape() || again.dtype() != tensor.dtype()) std::abort();
  if (!std::ranges::equal(again.bytes(), tensor.bytes())) std::abort();
  return 0;
}
