// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/text.h"
#include "quantlens/report/tables.h"

namespace quantlens {

std::string float_edit_text(const FloatEdit& edit, const std::string& path) {
  std::string text = fmt::format("edited float model, {}: {}\n",
                                 edit.exact ? "exact" : "an approximation", printable(path));
  for (const OutputDifference& one : edit.outputs) {
    text += fmt::format("  {}: {:.1f} dB, cosine {:.6f} against the original over {}\n",
                        printable(one.output), one.sqnr_db, one.cosine,
                        counted(edit.samples, "sample"));
  }
  return edit.accuracy ? text + "  " + accuracy_text(*edit.accuracy) : text;
}

}  // namespace quantlens
