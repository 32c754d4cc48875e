// Runs a verb beside the thread that called it, so that Ctrl-C works and progress is told there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include "python/core/hooks.h"
#include "quantlens/base/error.h"
#include "quantlens/base/progress.h"
#include "quantlens/base/words.h"

namespace quantlens::python {

/// Calls `work` on a thread of its own without the GIL, and every 50 ms `told(step, done, total)`,
/// `told.note(sentence)` on this one, where `told` is not None. Raises the class of
/// quantlens.errors for what it throws, caused by what `raised` has; KeyboardInterrupt where the
/// user stopped it, and what `told` raises.
void run_verb(nb::handle told, const std::shared_ptr<RaisedFirst>& raised,
              const std::function<void(Progress&)>& work);

/// The enumerator of a word. Throws Errc::usage, naming all, for what is none.
template <WordEnum E>
E chosen(const char* name, const std::string& text) {
  if (const std::optional<E> found = from_word<E>(text)) return *found;
  throw Error(Errc::usage, fmt::format("{}: there is no '{}'; known: {}", name, text,
                                       fmt::join(words<E>(), ", ")));
}

/// Has Python raise the class of quantlens.errors for it, caused by `cause`.
void set_raised(const Error& error, const nb::object& cause = {});

/// The same by an exception.
[[noreturn]] void raise(const Error& error, const nb::object& cause = {});

}  // namespace quantlens::python
