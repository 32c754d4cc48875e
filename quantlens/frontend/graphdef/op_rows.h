// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace quantlens::graphdef {

/// Outputs are "name:type", in order: the type is an attribute, behind `|` what it is where the
/// node does not say it, behind `=` the type itself. "name*N:type" are as many as the attribute N
/// says, "name[types]" one for each of a list of types.
struct OpRow {
  std::string_view type;
  std::string_view outputs;
};

/// Sorted by type.
std::span<const OpRow> op_rows();

}  // namespace quantlens::graphdef
