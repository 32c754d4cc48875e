// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/base/store.h"
#include "quantlens/base/text.h"

namespace quantlens::flow {

/// A record of an earlier run; nothing where there is none. Throws Errc::bad_input, naming the
/// file, for a damaged one.
template <class Record>
std::optional<Record> stored(const Store& store, const fs::path& path) {
  const std::string where = printable(path.string());
  try {
    const MappedFile file = store.read(path);
    return json::decode<Record>(json::parse(file.text(), where), where);
  } catch (const Error& error) {
    if (error.code() == Errc::not_found) return std::nullopt;
    throw;
  }
}

}  // namespace quantlens::flow
