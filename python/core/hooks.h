// The caller's own samples and metrics, called back from other threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include <nanobind/nanobind.h>

#include "quantlens/accuracy/metric.h"
#include "quantlens/flow/session.h"

namespace quantlens::python {

namespace nb = nanobind;

/// The caller's own code while a verb runs. All with the GIL held.
class CalledBack {
 public:
  /// The first that it raised is told as the cause of the verb's error.
  void take(nb::python_error&& error);
  /// Nothing was raised: null.
  nb::object raised() const;

  /// Around each call, on the thread that makes it. `enter` throws Errc::interrupted once it is.
  void enter();
  void leave();
  bool is_inside() const { return !inside_.empty(); }
  /// Has all that is inside raise KeyboardInterrupt as soon as it is Python that runs there.
  void interrupt();
  bool is_interrupted() const { return is_interrupted_; }

 private:
  std::optional<nb::python_error> first_;
  std::map<unsigned long, bool> inside_;  ///< by thread: whether it was told to end
  bool is_interrupted_ = false;
};

/// Once the interpreter ends, a thread that was left behind must not take the GIL any more: Python
/// would unwind it. Such a thread waits here for the end of the process.
void wait_if_python_ends();
/// From now on it does.
void python_ends();

/// A str as `--data` takes it, or an object of quantlens.data.Samples: its `read(index)` gives the
/// inputs by name and the label. Null members of `asked` keep their defaults.
flow::DataChoice data_choice(nb::handle data, nb::dict asked, std::shared_ptr<CalledBack> called);

/// A str as `--metric` takes it, or an object of quantlens.metrics.Own.
MetricSpec metric_spec(nb::handle metric, std::shared_ptr<CalledBack> called);

}  // namespace quantlens::python
