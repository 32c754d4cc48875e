// SPDX-License-Identifier: Apache-2.0
// Bytes that claim to be statistics are refused with an Error, or are exactly what to_bytes writes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "quantlens/base/error.h"
#include "quantlens/record/tap_state.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const quantlens::TapState state = quantlens::tap_state_from_bytes(bytes, "fuzz");
    if (quantlens::to_bytes(state) != bytes) std::abort();
  } catch (const quantlens::Error&) {  // refused in words
  }
  return 0;
}
