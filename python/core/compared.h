// Two stored runs beside each other, as Python has them. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include "quantlens/record/comparison.h"

namespace quantlens::python {

namespace nb = nanobind;

struct PythonComparison {
  Comparison comparison;
};

void bind_compared(nb::module_& module);

}  // namespace quantlens::python
