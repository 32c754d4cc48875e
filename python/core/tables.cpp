// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "python/core/to_python.h"
#include "quantlens/report/all_tables.h"

namespace quantlens::python {
namespace {

nb::object cell_to_python(const Cell& cell) {
  struct Visitor {
    nb::object operator()(const std::string& text) const { return to_python(text); }
    nb::object operator()(std::int64_t number) const { return nb::int_(number); }
    nb::object operator()(double number) const { return nb::float_(number); }
    nb::object operator()(const Estimate& estimate) const { return nb::float_(estimate.value); }
    nb::object operator()(const Rank& rank) const { return nb::int_(rank.place); }
  };
  return std::visit(Visitor(), cell);
}

}  // namespace

nb::dict columns_of(const Table& table) {
  nb::dict columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    nb::list cells;
    for (const auto& row : table.rows) cells.append(cell_to_python(row[c]));
    columns[table.columns[c].title.c_str()] = cells;
  }
  return columns;
}

nb::dict tables_to_python(const std::vector<NamedTable>& tables) {
  nb::dict all;
  for (const NamedTable& one : tables)
    all[one.file.substr(0, one.file.rfind('.')).c_str()] = columns_of(one.table);
  return all;
}

}  // namespace quantlens::python
