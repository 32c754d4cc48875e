// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/checkup_text.h"

#include <fmt/format.h>

namespace quantlens {

std::string checkup_text(const Checkup& checkup) {
  std::string text = fmt::format(
      "quantlens {}\n{} cores, {}\nworkspace {}\n", checkup.version, checkup.cores,
      checkup.vnni ? "8-bit dot products (VNNI or the like)"
                   : "no VNNI: weights are quantized to 7 bits, so that sums do not saturate",
      checkup.workspace);
  for (const RuntimeStatus& runtime : checkup.runtimes) {
    text += runtime.available
                ? fmt::format("{} {}: ready{}{}\n", runtime.name, runtime.version,
                              runtime.where.empty() ? "" : " ", runtime.where)
                : fmt::format("{}: not available: {}\n", runtime.name, runtime.problem);
  }
  return text;
}

}  // namespace quantlens
