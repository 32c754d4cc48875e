// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/error/ties.h"

#include <algorithm>

namespace quantlens {

void add_ranks(std::span<Compared> rows) {
  const bool any_tells = std::ranges::any_of(
      rows, [](const Compared& one) { return has_enough_blocks(one.sqnr_db.blocks); });
  if (!any_tells) return;
  std::size_t first = 0;  // of the rank
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].row.tied_with_previous = i > 0 && is_tied(rows[i - 1].sqnr_db, rows[i].sqnr_db);
    if (!is_tied(rows[first].sqnr_db, rows[i].sqnr_db)) first = i;
    rows[i].row.rank = first + 1;
  }
}

}  // namespace quantlens
