// quantlens._core: what quantlens/*.py is made of. Its functions take and give what those hand on;
// nobody else calls them. SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>

#include "python/core/run.h"
#include "quantlens/flow/version.h"

NB_MODULE(_core, module) {
  module.attr("version") = quantlens::kVersion;
  module.attr("demo_folder") = QUANTLENS_DEMO_HINT;  // of a package that is not installed
  quantlens::python::bind_images(module);
  quantlens::python::bind_run(module);
  quantlens::python::bind_verbs(module);
  quantlens::python::bind_stored_runs(module);
}
