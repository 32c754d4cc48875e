// SPDX-License-Identifier: Apache-2.0
#include "server/offline/write_comparison.h"

#include <algorithm>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/report/comparison_text.h"
#include "quantlens/workspace/read_run.h"
#include "server/offline/report_file.h"

namespace quantlens::server {
namespace {

/// What the file is made of.
struct ToWrite {
  Store& store;
  Workspace& workspace;
  const Comparison& comparison;
  const ComparisonFile& file;
  Progress& progress;
};

std::string comparison_html(const ToWrite& from) {
  std::vector<RunRecords> runs;
  for (const std::string& id : {from.comparison.a.id, from.comparison.b.id}) {
    if (runs.empty() || runs.front().run.id != id)
      runs.push_back(read_run(from.store, from.workspace, id));
  }
  return report_file(from.store, from.workspace,
                     {.runs = runs,
                      .gates = {},
                      .version = from.file.version,
                      .compared = true,
                      .assets = from.file.assets},
                     from.progress);
}

struct ComparisonFormat {
  std::string_view ending;
  std::string (*write)(const ToWrite& from);
};
constexpr ComparisonFormat kComparisonFormats[] = {
    {".html", comparison_html},
    {".md", [](const ToWrite& from) { return comparison_markdown(from.comparison); }},
    {".json", [](const ToWrite& from) { return json::dump(comparison_json(from.comparison)); }},
    {".csv", [](const ToWrite& from) { return to_csv(compared_ops_table(from.comparison)); }}};

const ComparisonFormat& format_of(const fs::path& output) {
  const auto* format =
      std::ranges::find(kComparisonFormats, output.extension().string(), &ComparisonFormat::ending);
  if (format != std::end(kComparisonFormats)) return *format;
  throw Error(Errc::usage,
              fmt::format("{}: comparisons end in .html, .md, .json or .csv; name such a file "
                          "with -o",
                          printable(output.string())));
}

}  // namespace

void check_comparison_file(const fs::path& output) {
  format_of(output);
}

void write_comparison(Store& store, Workspace& workspace, const Comparison& comparison,
                      const ComparisonFile& file, Progress& progress) {
  write_atomic(store, file.output,
               format_of(file.output)
                   .write({.store = store,
                           .workspace = workspace,
                           .comparison = comparison,
                           .file = file,
                           .progress = progress}));
}

}  // namespace quantlens::server
