// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of records, and as a record: every sample is read, or a sentence says why
// not.
#include <string>

#include "quantlens/base/error.h"
#include "quantlens/dataset/example.h"
#include "quantlens/dataset/records.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quantlens;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    for (const std::string_view name : feature_names(bytes, "fuzz"))
      if (!find_feature(bytes, name, "fuzz")) __builtin_trap();
  } catch (const Error&) {  // no Example
  }
  try {
    const Records records(MappedFile::from_bytes(bytes), "fuzz");
    for (std::uint64_t i = 0; i < records.size(); ++i) records.read(i);
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
