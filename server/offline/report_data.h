// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/base/progress.h"
#include "server/api/api.h"

namespace quantlens::server {

/// What was asked of a run, for the pages to say first.
struct ToldGate {
  std::string workload;  ///< id
  std::string asks;      ///< "SQNR >= 20 dB"
  bool reached = true;
  std::string because;  ///< a sentence; empty where it is reached
};
BOOST_DESCRIBE_STRUCT(ToldGate, (), (workload, asks, reached, because))

struct ReportData {
  std::vector<std::string> ids;  ///< whole ones, of runs that have ended
  std::string made;              ///< when, in ISO 8601
  std::string version;           ///< of quantlens
  std::vector<ToldGate> gates;
  bool compared = false;  ///< the pages first say what is different in the second run
};

/// What of a run a report does not show, since it is missing or damaged.
struct LeftOut {
  std::string workload;  ///< id
  std::string because;   ///< "<id>/graph.ops.rows: is missing; run the command again"
};
BOOST_DESCRIBE_STRUCT(LeftOut, (), (workload, because))

/// What the pages would ask a server about these runs, and its answers, as one JSON text that
/// ui/src/api/stored.ts reads; `out` takes it in pieces. Reals have six digits, those
/// of channels three, histograms have fewer bins where there are many, what people noted of a run
/// is left out, and a run that stores nothing of a kind has nothing of it here. What is missing or
/// damaged besides is left out, and that is said in it and returned. It takes the memory of one
/// answer. Throws Errc::not_found for an unknown id, and as `progress` is asked to stop.
std::vector<LeftOut> write_report_data(Api& api, const Store& store, const ReportData& report,
                                       Progress& progress,
                                       const std::function<void(std::string_view)>& out);

}  // namespace quantlens::server
