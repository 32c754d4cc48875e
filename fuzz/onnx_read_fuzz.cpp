// SPDX-License-Identifier: Apache-2.0
// Any bytes as an ONNX file: refused in a sentence, or read; what was read is copied byte for byte
// and can be merged with itself or is refused.
#include <cstdlib>

#include "quantlens/base/error.h"
#include "quantlens/frontend/onnx/onnx.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quantlens;
  const fs::path path = "/nonexistent/fuzz.onnx";  // no external data are ever found
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    const Model model = onnx::read(path, MappedFile::from_bytes(bytes));
    std::string copy;
    onnx::write(model, {}, {}, [&](Bytes part) {
      copy.append(reinterpret_cast<const char*>(part.data()), part.size());
    });
    if (copy != bytes) std::abort();
    const std::string both = onnx::merge(model, {}, model, {}, "q/", {});
    if (onnx::read(path, MappedFile::from_bytes(both)).graph.nodes.size() !=
        2 * model.graph.nodes.size()) {
      std::abort();
    }
  } catch (const Error& error) {
    if (error.code() == Errc::io) std::abort();
  }
  return 0;
}
