// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "quantlens/record/diagnosis.h"

namespace quantlens {

/// The first `most` findings in GitHub's Markdown, as one list under a title, with the first ops of
/// each, its remedy and what came of that; the number of those left out below. Ends in an empty
/// line. Empty where there are none.
std::string findings_markdown(const std::vector<Finding>& findings, std::size_t most);

}  // namespace quantlens
