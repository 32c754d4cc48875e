// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantlens/record/pairing.h"
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

/// Every table of a run, but for those without rows. `pairing`: null where there is none.
std::vector<NamedTable> all_tables(const RunRecords& records, const Pairing* pairing);

}  // namespace quantlens
