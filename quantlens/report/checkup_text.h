// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/record/checkup.h"
#include "quantlens/report/table.h"

namespace quantlens {

/// quantlens, the machine, the workspace, and each runtime with what it lacks, one a line.
std::string checkup_text(const Checkup& checkup);

/// **Runtimes**: name, version, whether it is ready, and where it is or what it lacks.
Table runtimes_table(const Checkup& checkup);

/// The first lines of the text, and that table.
std::string checkup_markdown(const Checkup& checkup);

}  // namespace quantlens
