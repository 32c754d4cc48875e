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

class Asked;
class Work;

/// Calls `verb` on a thread of its own, and every 50 ms `given["progress"]`'s `update(step, done,
/// total)` and `note(sentence)` on this one, where that is not None. Raises what `verb` throws,
/// KeyboardInterrupt where the user stopped it, and what the progress raises. Code of the caller's
/// that does not come back from the system is left behind a second after Ctrl-C, with all that it
/// uses.
nb::object beside(nb::dict given, nb::object (*verb)(const Asked& asked));

/// What such a verb does without the GIL. Raises the class of quantlens.errors for what it throws,
/// caused by what the caller's own code raised.
void run_verb(Work& work, const std::function<void(Progress&)>& verb);

/// The caller's own code, of a verb.
std::shared_ptr<CalledBack> called_back(const Work& work);

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
