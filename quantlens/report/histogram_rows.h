// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/record/tap_state.h"

namespace quantlens {

/// The first line of a long table of histograms, in CSV: Reference, Quantized, Side, Low, High,
/// Count.
std::string histogram_header();

/// One tensor's lines, a line a bin that holds elements: of the reference, then of the quantized
/// side. Of floats Low and High are the bin's ends; of codes both are the code's place, 0 to 255
/// from the least code.
std::string histogram_rows(const PairedStats& pair);

}  // namespace quantlens
