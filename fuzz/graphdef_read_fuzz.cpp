// SPDX-License-Identifier: Apache-2.0
// Any bytes as a frozen graph of TensorFlow: refused in a sentence, or read; what was read is
// drawn.
#include <cstdlib>

#include "quantlens/base/error.h"
#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/graph/outline.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quantlens;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  (void)graphdef::problem_of(bytes);
  (void)graphdef::match({reinterpret_cast<const std::byte*>(data), size}, "fuzz.pb");
  try {
    const Model model = graphdef::read("fuzz.pb", MappedFile::from_bytes(bytes));
    const GraphOutline drawn = outline(model.graph);
    if (drawn.ops.size() < model.graph.nodes.size()) std::abort();
  } catch (const Error& error) {
    if (error.code() != Errc::bad_input) std::abort();
  }
  return 0;
}
