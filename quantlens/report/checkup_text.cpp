// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/checkup_text.h"

#include <fmt/format.h>

#include "quantlens/report/markdown_prose.h"

namespace quantlens {

namespace {

std::string machine_lines(const Checkup& checkup) {
  return fmt::format("quantlens {}\n{} cores, {}\nworkspace {}\n", checkup.version, checkup.cores,
                     checkup.vnni
                         ? "8-bit dot products (VNNI or the like)"
                         : "no VNNI: weights are quantized to 7 bits, so that sums do not saturate",
                     checkup.workspace);
}

}  // namespace

std::string checkup_text(const Checkup& checkup) {
  std::string text = machine_lines(checkup);
  for (const RuntimeStatus& runtime : checkup.runtimes) {
    text += runtime.available
                ? fmt::format("{} {}: ready{}{}\n", runtime.name, runtime.version,
                              runtime.where.empty() ? "" : " ", runtime.where)
                : fmt::format("{}: not available: {}\n", runtime.name, runtime.problem);
  }
  return text;
}

Table runtimes_table(const Checkup& checkup) {
  Table table{.title = "Runtimes",
              .columns = {{"Runtime"}, {"Version"}, {"State"}, {"Where"}, {"Problem"}},
              .rows = {}};
  for (const RuntimeStatus& runtime : checkup.runtimes) {
    table.rows.push_back({runtime.name, runtime.version,
                          std::string(runtime.available ? "ready" : "not available"), runtime.where,
                          runtime.problem});
  }
  return table;
}

std::string checkup_markdown(const Checkup& checkup) {
  return markdown_lines(machine_lines(checkup)) + to_markdown(runtimes_table(checkup));
}

}  // namespace quantlens
