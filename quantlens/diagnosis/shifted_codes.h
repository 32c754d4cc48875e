// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "quantlens/diagnosis/float_view.h"
#include "quantlens/diagnosis/match_structure.h"

namespace quantlens {

/// Codes with another zero point than the file's other codes of their kind have.
struct ShiftedCodes {
  std::size_t value = 0;      ///< of the reference
  std::size_t quantized = 0;  ///< value of the quantized model
  std::string because;        ///< in words, with the figures
};

/// Makers leave nothing to chance here: codes of what is never negative begin at 0, and codes of a
/// symmetric scheme are centred on it. Which of them a file's maker does is read off the file: nine
/// in ten values must agree, two others at least (eight where values may be negative). Told is what
/// is off by more than two codes, unless the codes are shared with a value of the other kind.
std::vector<ShiftedCodes> shifted_codes(const FloatView& reference, const FloatView& quantized,
                                        const StructureMatch& match);

}  // namespace quantlens
