// What Python hands to a function: a dict of what the caller gave, so that all defaults are those
// of C++. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "python/core/run_verb.h"
#include "quantlens/base/error.h"
#include "quantlens/base/store.h"

namespace quantlens::python {

/// Throws Errc::usage for what is of another type than the option.
class Asked {
 public:
  Asked(nb::dict given, std::shared_ptr<Work> work)
      : given_(std::move(given)), work_(std::move(work)) {}

  bool has(const char* name) const { return given_.contains(name) && !given_[name].is_none(); }
  nb::object at(const char* name) const {
    return has(name) ? nb::object(given_[name]) : nb::object(nb::none());
  }
  nb::dict dict() const { return given_; }
  const std::shared_ptr<Work>& work() const { return work_; }

  template <class T>
  void set(const char* name, T& option) const {
    if (!has(name)) return;
    try {
      option = nb::cast<T>(given_[name]);
    } catch (const nb::cast_error&) {
      refuse(name);
    }
  }
  template <class T>
  void set(const char* name, std::optional<T>& option) const {
    if (has(name)) set(name, option.emplace());
  }
  void set(const char* name, fs::path& option) const {
    std::string text;
    set(name, text);
    if (has(name)) option = text;
  }
  template <WordEnum E>
  void set(const char* name, E& option) const {
    std::string text;
    set(name, text);
    if (has(name)) option = chosen<E>(name, text);
  }
  /// Of one that must be given.
  template <class T>
  T get(const char* name) const {
    T value{};
    set(name, value);
    return value;
  }

 private:
  [[noreturn]] void refuse(const char* name) const {
    throw Error(Errc::usage, fmt::format("{}={} makes no sense here", name,
                                         nb::cast<std::string>(nb::str(nb::repr(given_[name])))));
  }

  nb::dict given_;
  std::shared_ptr<Work> work_;
};

/// Usage errors before anything runs are raised as those of verbs.
template <class Work>
auto raising(Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    raise(error);
  }
}

/// A function of the module that takes such a dict.
template <auto function>
void bind(nb::module_& module, const char* name) {
  using Result = decltype(function(std::declval<const Asked&>()));
  module.def(name, [](nb::dict given) {
    return nb::typed<nb::object, Result>(beside(std::move(given), [](const Asked& asked) {
      return raising([&]() -> nb::object { return nb::cast(function(asked)); });
    }));
  });
}

}  // namespace quantlens::python
