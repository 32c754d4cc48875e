// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace quantlens {

/// What a rule is about, in one sentence: of those of docs/rules.md and of a profile, and of gates
/// as "gate/sqnr". A rule that is not known is told by its name.
std::string rule_text(std::string_view rule);

}  // namespace quantlens
