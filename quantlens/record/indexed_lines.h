// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "quantlens/base/json.h"

namespace quantlens {

// Files of parts that are found by an index, so that one is read without the others: parts packed
// by gzip one by one, the index on a line of JSON, and behind it where that begins
// (docs/format.md, "Rows").

/// Such a part. `json`: what it holds.
std::string packed_part(std::string_view json);

/// The file of these parts. `index`: an object; it gets the word by which `has_packed_parts` knows
/// them.
std::string with_index(std::string parts, boost::json::object index);

/// Where the index begins. Throws Errc::bad_input, naming `where`, where the bytes do not say it.
std::uint64_t index_begin(std::string_view bytes, std::string_view where);

/// The line that begins at `offset`, without its end. Throws Errc::bad_input where there is none.
std::string_view line_at(std::string_view bytes, std::uint64_t offset, std::string_view where);

/// Whether parts are packed; before layout 9 they were not. Throws Errc::bad_input where they are
/// of a form that is not known.
bool has_packed_parts(const json::Value& index, std::string_view where);

/// Throws Errc::bad_input: the file has this problem.
[[noreturn]] void refuse_file(std::string_view where, std::string_view problem);

}  // namespace quantlens
