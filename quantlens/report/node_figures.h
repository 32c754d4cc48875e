// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/graph/outline.h"
#include "quantlens/record/pairing.h"
#include "quantlens/record/run_records.h"

namespace quantlens {

/// A finding as a node shows it.
struct NodeFinding {
  Severity severity = Severity::note;
  std::string rule;
};

/// What a run found of one node of a network: what viewers of models show beside it.
struct NodeFigures {
  std::string output;  ///< a value that the node makes, in the outermost graph
  std::optional<double> sqnr_db, local_sqnr_db, output_share, mse, scale;
  std::optional<std::int64_t> zero_point;
  std::optional<double> microseconds;  ///< of one run; of the quantized model its kernels alone
  std::string precision;               ///< "int8"; empty: not known
  std::vector<NodeFinding> findings;
};

/// What is known of a run's nodes; null where that is not stored.
struct FigureSources {
  const RunRecords& records;
  const Pairing* pairing = nullptr;
  const GraphOutline* quantized = nullptr;
};

/// Of the reference's nodes or the quantized model's, in the order in which records first name
/// them. Where an op has several rows, its worst one counts. In the quantized model the node of the
/// op's own name has them, where it is the only one, else the one that makes the value which was
/// compared. `of`: edited means reference.
std::vector<NodeFigures> node_figures(const FigureSources& from, ModelRole of);

/// "warning outlier-channel, note rounding"
std::string findings_of_node(const NodeFigures& node);

/// The figures as keys and values: "quantlens.sqnr_db", "12.3"; those that are known.
std::vector<std::pair<std::string, std::string>> notes_of_figures(const NodeFigures& node);

}  // namespace quantlens
