// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/report/run_view.h"

namespace quantlens {

/// Both tables of a diagnosis, what stands out in them, and what could not be paired.
std::string compared_text(const Diagnosis& diagnosis, const RunView& view);

/// The same and the findings, behind them on a terminal and before them in Markdown, where there is
/// no verdict: it stands above all else (run_markdown.h).
std::string diagnosis_text(const Diagnosis& diagnosis, const RunView& view);

}  // namespace quantlens
