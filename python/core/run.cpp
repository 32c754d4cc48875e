// SPDX-License-Identifier: Apache-2.0
#include "python/core/run.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/core/asked.h"
#include "python/core/record_types.h"
#include "quantlens/flow/merge.h"
#include "quantlens/record/checkup.h"
#include "quantlens/record/comparison.h"
#include "quantlens/record/inspection.h"
#include "quantlens/record/listed_run.h"
#include "quantlens/report/all_tables.h"
#include "quantlens/report/gate.h"
#include "quantlens/report/report_findings.h"
#include "quantlens/report/run_markdown.h"
#include "quantlens/report/run_text.h"

namespace quantlens::python {
namespace {

nb::object record_of(const PythonRun& run, const std::string& name) {
  const RunRecords& of = run.records;
  if (name == "run") return to_python(of.run);
  if (name == "plan") return to_python(of.plan);
  if (name == "float_edit") return to_python(of.float_edit);
  if (name == "diagnosis") return to_python(of.diagnosis);
  if (name == "accuracy") return to_python(of.accuracy);
  if (name == "study") return to_python(of.study);
  if (name == "times") return to_python(of.times);
  if (name == "profile") return to_python(of.profile);
  if (name == "benchmark") return to_python(of.benchmark);
  if (name == "statistics") return to_python(of.statistics);
  throw nb::attribute_error(name.c_str());
}

/// Of the tables that `export --as csv` writes.
nb::dict tables_of_run(const PythonRun& run) {
  return tables_to_python(all_tables(run.records, {}));
}

/// Why the run's activations do not keep as much of their signal; empty: they do.
std::string missed_by(const PythonRun& run, double least_db) {
  return raising([&] { return sqnr_gate(run.records, least_db).because; });
}

std::string text_of_run(const PythonRun& run, bool is_markdown, bool all) {
  RunView view{.markdown = is_markdown};
  if (all) view.text = {.width = 0, .rows = 0};
  return run_text(run.records, view);
}

std::string types_text() {
  RecordTypes types;
  types.add<Workload>();
  types.add<ListedRun>();
  types.add<Plan>();
  types.add<FloatEdit>();
  types.add<Diagnosis>();
  types.add<AccuracyRecord>();
  types.add<Study>();
  types.add<StudyTimes>();
  types.add<ProfileRecord>();
  types.add<Benchmark>();
  types.add<StatisticsSummary>();
  types.add<Inspection>();
  types.add<Checkup>();
  types.add<Comparison>();
  types.add<flow::MergeResult>();
  return types.text();
}

}  // namespace

nb::object record_class(const std::string& name) {
  return nb::module_::import_("quantlens.records").attr(name.c_str());
}

nb::object json_to_python(const json::Value& value) {
  switch (value.kind()) {
    case boost::json::kind::bool_:
      return nb::bool_(value.get_bool());
    case boost::json::kind::int64:
      return nb::int_(value.get_int64());
    case boost::json::kind::uint64:
      return nb::int_(value.get_uint64());
    case boost::json::kind::double_:
      return nb::float_(value.get_double());
    case boost::json::kind::string:
      return nb::str(value.get_string().data(), value.get_string().size());
    case boost::json::kind::array: {
      nb::list list;
      for (const json::Value& one : value.get_array()) list.append(json_to_python(one));
      return list;
    }
    case boost::json::kind::object: {
      nb::dict dict;
      for (const auto& member : value.get_object())
        dict[nb::str(member.key().data(), member.key().size())] = json_to_python(member.value());
      return dict;
    }
    case boost::json::kind::null:
      break;
  }
  return nb::none();
}

void bind_run(nb::module_& module) {
  nb::class_<PythonRun>(module, "Run")
      .def_ro("folder", &PythonRun::folder)
      .def_ro("output", &PythonRun::output)
      .def_prop_ro("id", [](const PythonRun& run) { return run.records.run.id; })
      .def_prop_ro("verdict", [](const PythonRun& run) { return verdict_line(run.records); })
      .def("record", &record_of)
      .def("tables", &tables_of_run)
      .def("text", &text_of_run)
      .def("histograms", &histograms_of_run)
      .def("missed", &missed_by)
      .def("to_dict",
           [](const PythonRun& run) { return json_to_python(json::Value(run_json(run.records))); });
  module.def("record_types", &types_text);
}

}  // namespace quantlens::python
