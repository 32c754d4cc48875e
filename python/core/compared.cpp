// SPDX-License-Identifier: Apache-2.0
#include "python/core/compared.h"

#include <nanobind/stl/string.h>

#include "python/core/to_python.h"
#include "quantlens/report/comparison_gate.h"
#include "quantlens/report/comparison_text.h"

namespace quantlens::python {
namespace {

/// Those that have rows, and all ops as "ops".
nb::dict tables_of_comparison(const PythonComparison& compared) {
  nb::dict all = tables_to_python(comparison_tables(compared.comparison));
  all["ops"] = columns_of(compared_ops_table(compared.comparison));
  return all;
}

}  // namespace

void bind_compared(nb::module_& module) {
  nb::class_<PythonComparison>(module, "Comparison")
      .def("record", [](const PythonComparison& of) { return to_python(of.comparison); })
      .def("text",
           [](const PythonComparison& of, bool is_markdown) {
             return comparison_text(of.comparison, {.markdown = is_markdown});
           })
      .def("tables", &tables_of_comparison)
      .def("worse", [](const PythonComparison& of) { return worse_gate(of.comparison).because; })
      .def("to_dict", [](const PythonComparison& of) {
        return json_to_python(json::Value(comparison_json(of.comparison)));
      });
}

}  // namespace quantlens::python
