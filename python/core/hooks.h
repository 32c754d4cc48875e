// The caller's own samples and metrics, called back from other threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include <nanobind/nanobind.h>

#include "quantlens/accuracy/metric.h"
#include "quantlens/flow/session.h"

namespace quantlens::python {

namespace nb = nanobind;

/// What Python code raised while a verb ran: the first one is told as the cause of the verb's
/// error.
class RaisedFirst {
 public:
  void take(nb::python_error&& error);
  /// With the GIL held. Nothing was raised: null.
  nb::object value() const;

 private:
  mutable std::mutex mutex_;
  std::optional<nb::python_error> first_;
};

/// A str as `--data` takes it, or an object of quantlens.data.Samples: its `read(index)` gives the
/// inputs by name and the label. Null members of `asked` keep their defaults.
flow::DataChoice data_choice(nb::handle data, nb::dict asked, std::shared_ptr<RaisedFirst> raised);

/// A str as `--metric` takes it, or an object of quantlens.metrics.Own.
MetricSpec metric_spec(nb::handle metric, std::shared_ptr<RaisedFirst> raised);

}  // namespace quantlens::python
