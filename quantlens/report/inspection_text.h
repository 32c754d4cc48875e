// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/record/inspection.h"
#include "quantlens/report/run_view.h"

namespace quantlens {

/// What a model holds, what of it would be quantized, and why the rest would not.
std::string inspection_text(const Inspection& inspection, const RunView& view);

/// What its ops are, or would be, computed in.
Table inspection_table(const Inspection& inspection);

}  // namespace quantlens
