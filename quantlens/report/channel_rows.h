// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "quantlens/record/tap_state.h"

namespace quantlens {

/// The first line of a long table of channels, in CSV.
std::string channel_header();

/// One tensor's lines, one for each channel that was told apart: what the reference has there, and
/// the error, reference - quantized. Empty where no channels were.
std::string channel_rows(const PairedStats& pair);

}  // namespace quantlens
