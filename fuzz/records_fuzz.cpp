// SPDX-License-Identifier: Apache-2.0
// Any JSON as each of a workload's records: refused in a sentence, or read; what was read is
// written and read again as it was.
#include <cstdint>
#include <cstdlib>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/record/accuracy.h"
#include "quantlens/record/diagnosis.h"
#include "quantlens/record/files.h"
#include "quantlens/record/pairing.h"
#include "quantlens/record/plan.h"
#include "quantlens/record/ranges.h"
#include "quantlens/record/recipe.h"

using namespace quantlens;  // NOLINT(google-build-using-namespace): a program of one file

template <class Record>
static void read_as(const json::Value& value) {
  std::string stored;
  try {
    stored = json::dump(json::encode(json::decode<Record>(value, "fuzz.json")));
  } catch (const Error& error) {
    if (error.code() != Errc::bad_input) std::abort();
    return;
  }
  const auto again = json::decode<Record>(json::parse(stored, "again.json"), "again.json");
  if (json::dump(json::encode(again)) != stored) std::abort();
}

/// Those that earlier layouts wrote in another form.
template <class Record>
static void read_stored(const json::Value& value) {
  try {
    (void)json::encode(from_value<Record>(value, "fuzz.json"));
  } catch (const Error& error) {
    if (error.code() != Errc::bad_input) std::abort();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  json::Value value;
  try {
    value = json::parse({reinterpret_cast<const char*>(data), size}, "fuzz.json");
  } catch (const Error&) {
    return 0;
  }
  read_as<Recipe>(value);
  read_as<Ranges>(value);
  read_as<Plan>(value);
  read_as<Pairing>(value);
  read_as<Diagnosis>(value);
  read_as<AccuracyRecord>(value);
  read_stored<Plan>(value);
  read_stored<Pairing>(value);
  read_stored<Diagnosis>(value);
  return 0;
}
