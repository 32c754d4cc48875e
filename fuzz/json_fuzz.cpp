// SPDX-License-Identifier: Apache-2.0
// Any bytes as JSON: refused, or read, and what was read survives being printed and read again.
#include <cstdint>
#include <cstdlib>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"

namespace {

struct Record {
  std::string text;
  std::optional<float> number;
  std::vector<std::int8_t> codes;
  std::map<std::string, std::vector<double>> values;
};
BOOST_DESCRIBE_STRUCT(Record, (), (text, number, codes, values))

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quantlens;
  json::Value value;
  try {
    value = json::parse({reinterpret_cast<const char*>(data), size}, "fuzz.json");
  } catch (const Error&) {
    return 0;
  }
  const std::string printed = json::dump(value);
  if (json::dump(json::parse(printed, "printed.json")) != printed) std::abort();
  try {
    (void)json::encode(json::decode<Record>(value, "fuzz.json"));
  } catch (const Error&) {
  }
  return 0;
}
