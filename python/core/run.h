// A run as Python has it: its records stay in C++ until they are asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "quantlens/record/run_records.h"

namespace quantlens::python {

namespace nb = nanobind;

struct PythonRun {
  RunRecords records;
  std::string folder;
  std::string output;  ///< empty: it wrote no model
};

/// Of each tensor that was compared, or of those of these values: tag, both names, (edges, counts)
/// of either side. Raises quantlens.BadInput for damaged records.
nb::list histograms_of_run(const PythonRun& run, const std::vector<std::string>& values);

void bind_images(nb::module_& module);
void bind_run(nb::module_& module);
void bind_verbs(nb::module_& module);
void bind_stored_runs(nb::module_& module);

}  // namespace quantlens::python
