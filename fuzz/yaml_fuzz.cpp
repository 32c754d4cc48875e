// SPDX-License-Identifier: Apache-2.0
// Any bytes as YAML: refused in a sentence, or read as what JSON can hold, whatever aliases say.
#include <cstdint>
#include <cstdlib>

#include "quantlens/base/error.h"
#include "quantlens/base/yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quantlens;
  json::Value value;
  try {
    value = parse_yaml({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
  } catch (const Error& error) {
    if (error.code() != Errc::usage) std::abort();
    return 0;
  }
  const std::string printed = json::dump(value);
  if (json::dump(json::parse(printed, "printed.json")) != printed) std::abort();
  return 0;
}
