// SPDX-License-Identifier: Apache-2.0
// Bytes that claim to be rows are refused with an Error, or give as many rows, whole or by pages.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "quantlens/base/error.h"
#include "quantlens/record/rows.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quantlens;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const RowsReader reader(bytes, "fuzz");
    if (reader.columns().empty()) return 0;
    const std::uint64_t rows = reader.size();
    if (reader.rows(0, rows).size() != rows) std::abort();
    if (reader.rows(rows / 2, 3).size() != std::min<std::uint64_t>(3, rows - rows / 2))
      std::abort();
    if (reader.column(reader.columns().front(), 0, rows).size() != rows) std::abort();
  } catch (const Error&) {  // refused in words
  }
  return 0;
}
