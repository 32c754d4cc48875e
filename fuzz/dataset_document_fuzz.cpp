// SPDX-License-Identifier: Apache-2.0
// Any bytes as a data document: read, or refused with a sentence.
#include <cstddef>
#include <cstdint>

#include "quantlens/base/error.h"
#include "quantlens/dataset/document.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    quantlens::parse_data_document(text, "fuzz.yaml");
  } catch (const quantlens::Error&) {
    return 0;
  }
  return 0;
}
