// SPDX-License-Identifier: Apache-2.0
// Any bytes as a .npz file: every array's first and last row can be read, or a sentence says why
// not.
#include <cstdlib>
#include <string>

#include "quantlens/base/error.h"
#include "quantlens/dataset/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quantlens;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto samples = open_npz(MappedFile::from_bytes(bytes), {}, {}, {.where = "fuzz.npz"});
    for (const std::uint64_t index : {std::uint64_t{0}, samples->size() - 1}) {
      const Sample sample = samples->read(index);
      for (const auto& [name, tensor] : sample.inputs) {
        if (to_float32(tensor).size() != tensor.size()) std::abort();
      }
    }
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
