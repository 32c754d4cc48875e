// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "quantlens/base/progress.h"
#include "quantlens/base/store.h"
#include "quantlens/base/words.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens {
namespace flow {

/// What a stored run is written as (docs/export.md).
enum class ExportFormat { csv, model_explorer, netron, perfetto };

struct ExportOptions {
  ExportFormat format = ExportFormat::csv;
  fs::path output;  ///< empty: a name of its own in the current folder
  /// Of netron alone: which model is copied; absent: the quantized one where the run has one.
  std::optional<ModelRole> model;
  bool histograms = true;  ///< of csv alone: also histograms.csv, the largest of all
};

/// Writes it, all or nothing, and returns what was written: a file, or a folder, which must not be
/// there before. Nothing is run. `id`: as Workspace::find has it. Throws Errc::usage for a run that
/// has not ended and for an output that is there, Errc::unsupported for a run that holds nothing of
/// the kind, Errc::not_found and Errc::bad_input where a model is gone or changed or records are
/// damaged.
fs::path export_run(Store& store, const Workspace& workspace, const std::string& id,
                    const ExportOptions& options, Progress& progress);

}  // namespace flow

/// As `--as` takes them.
template <>
struct EnumWords<flow::ExportFormat> {
  static std::span<const std::string_view> get() {
    static constexpr std::array<std::string_view, 4> kWords{"csv", "model-explorer", "netron",
                                                            "perfetto"};
    return kWords;
  }
};

}  // namespace quantlens
