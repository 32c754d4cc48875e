// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantlens/record/pairing.h"
#include "quantlens/record/prices.h"
#include "quantlens/record/ranges.h"
#include "quantlens/record/run_records.h"
#include "quantlens/report/table.h"

namespace quantlens {

/// A table and the file that it goes to.
struct NamedTable {
  std::string file;  ///< "activations.csv"
  Table table;
};

/// **Trials**: each of a search with what came of it.
Table trials_table(const Study& study);

/// What else is stored of a run that has tables, as far as it is.
struct SideRecords {
  std::optional<Pairing> pairing = {};
  std::optional<Ranges> ranges = {};
  std::optional<Prices> prices = {};
};

/// Every table of a run, but for those without rows.
std::vector<NamedTable> all_tables(const RunRecords& records, const SideRecords& side);

}  // namespace quantlens
