// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/record/checkup.h"

namespace quantlens {

/// quantlens, the machine, the workspace, and each runtime with what it lacks, one a line.
std::string checkup_text(const Checkup& checkup);

}  // namespace quantlens
