// quantlens._core: what quantlens/*.py is made of. Its functions take and give what those hand on;
// nobody else calls them. SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <new>
#include <string>

#include <nanobind/nanobind.h>

#include "python/core/compared.h"
#include "python/core/run.h"
#include "python/core/run_verb.h"
#include "quantlens/base/error.h"
#include "quantlens/flow/version.h"

namespace {

/// What is no error of quantlens becomes one, whatever function it came from; what nanobind knows
/// better (memory) stays as it is.
void translate(const std::exception_ptr& thrown, void*) {
  using quantlens::Errc;
  using quantlens::Error;
  try {
    std::rethrow_exception(thrown);
  } catch (const nanobind::cast_error&) {
    quantlens::python::set_raised(
        Error(Errc::usage,
              "an argument is of a type that makes no sense there; see help() of the "
              "function"));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const Error& error) {
    quantlens::python::set_raised(error);
  } catch (const std::exception& error) {
    quantlens::python::set_raised(Error(
        Errc::failed, std::string(error.what()) + "; this is a fault of quantlens: report it"));
  }
}

}  // namespace

NB_MODULE(_core, module) {
  nanobind::register_exception_translator(translate);
  module.attr("version") = quantlens::kVersion;
  module.attr("demo_folder") = QUANTLENS_DEMO_HINT;  // of a package that is not installed
  quantlens::python::bind_images(module);
  quantlens::python::bind_run(module);
  quantlens::python::bind_compared(module);
  quantlens::python::bind_verbs(module);
  quantlens::python::bind_stored_runs(module);
}
