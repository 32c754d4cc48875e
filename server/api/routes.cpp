// SPDX-License-Identifier: Apache-2.0
// The table of routes: who answers what, and what the OpenAPI document says.
#include "server/api/compare_routes.h"
#include "server/api/file_routes.h"
#include "server/api/histogram_routes.h"
#include "server/api/job_routes.h"
#include "server/api/op_routes.h"
#include "server/api/own_routes.h"
#include "server/api/picture_routes.h"
#include "server/api/predecessor/diagnosis_routes.h"
#include "server/api/predecessor/model_routes.h"
#include "server/api/predecessor/workload_routes.h"
#include "server/api/record_routes.h"
#include "server/api/record_table.h"
#include "server/api/route.h"
#include "server/api/run_routes.h"
#include "server/api/what_if_routes.h"

namespace quantlens::server {
namespace {

constexpr Parameter kWorkloadId{"workload_id", "string", "id of a workload, or last", true};
constexpr Parameter kOpName{"op_name", "string", "name of an op, as people see it", true};
constexpr Parameter kPath{"path", "string", "path of a model that a workload names", true};
constexpr Parameter kOffsetField{"offset", "integer", "how many to leave out first"};
constexpr Parameter kLimitField{"limit", "integer", "how many at most"};

// The predecessors answer GET and POST alike.
Route both(std::string_view path, std::string_view summary, std::vector<Parameter> parameters,
           decltype(Route::schema) schema, decltype(Route::answer) answer) {
  return {"GET POST", path, summary, std::move(parameters), schema, "", answer};
}

std::vector<Route> predecessors() {
  namespace old = predecessor;
  const Parameter group{"group", "string", "a group that is expanded; may come several times"};
  const Parameter pattern{"pattern", "string", "types of ops in order; may come several times"};
  const Parameter type{"type", "string", "weights or activation", true};
  return {
      both("/api/workloads", "All workloads, the first made first", {}, old::workloads_schema,
           old::workloads),
      {"POST",
       "/api/workloads/delete",
       "Removes a workload and its files",
       {kWorkloadId},
       old::deleted_schema,
       "",
       old::delete_workload},
      both("/api/profiling", "Times of a workload's nodes", {kWorkloadId}, old::profiling_schema,
           old::profiling),
      both("/api/profiling/result", "Times of a workload's nodes", {kWorkloadId},
           old::profiling_schema, old::profiling),
      both("/api/model/graph", "A model's graph, its groups collapsed", {kPath, group},
           old::graph_schema, old::model_graph),
      both("/api/model/graph/highlight_pattern", "A model's graph with an op's pattern marked",
           {kPath, kOpName, pattern}, old::highlighted_schema, old::highlight_pattern),
      both("/api/model/summary", "A summary in words, which no ONNX model has", {kWorkloadId},
           old::summary_schema, old::model_summary),
      both("/api/diagnosis/op_list", "Error and range of each op's activation", {kWorkloadId},
           old::op_list_schema, old::op_list),
      both("/api/diagnosis/op_details", "How an op is quantized", {kWorkloadId, kOpName},
           old::op_details_schema, old::op_details),
      both("/api/diagnosis/histogram", "How an op's weights or activations are spread",
           {kWorkloadId, kOpName, type}, old::histograms_schema, old::histogram),
  };
}

std::vector<Route> of_runs() {
  return {
      {"GET",
       "/api/v1/workloads",
       "A page of the workloads, newest first",
       {{"q", "string", "text in id, name, message, paths of models, tags or note"},
        {"verb", "string", "quantize, diagnose, ..."},
        {"state", "string", "new, wip, success, failure"},
        {"tag", "string", "a tag that it has"},
        kOffsetField,
        kLimitField},
       run_list_schema,
       "",
       list_runs},
      {"GET",
       "/api/v1/workloads/{id}",
       "A workload, its files, and what its verb found",
       {},
       shown_run_schema,
       "",
       show_run},
      {"DELETE",
       "/api/v1/workloads/{id}",
       "Removes a workload and its files",
       {{"confirm", "string", "the whole id once more", true}},
       removed_schema,
       "",
       remove_run},
      {"PUT",
       "/api/v1/workloads/{id}/labels",
       "Sets what people say of a workload",
       {},
       labels_schema,
       "",
       label_run,
       labels_schema},
      {"GET",
       "/api/v1/workloads/{id}/events",
       "What a workload reported on its way",
       {{"after", "integer", "how many events to leave out first"}, kLimitField},
       event_list_schema,
       "",
       run_events},
      {"GET",
       "/api/v1/workloads/{id}/files/{name}",
       "A file of a workload's folder, to be saved",
       {},
       nullptr,
       "application/octet-stream",
       run_file},
  };
}

std::vector<Route> of_records() {
  return {
      {"GET",
       "/api/v1/workloads/{id}/records/{record}",
       "A record as it is stored, its long lists left where they are",
       {},
       record_schema,
       "",
       show_record},
      {"GET",
       "/api/v1/workloads/{id}/tables/{table}",
       "Columns of a record's list, as diagnosis.activations",
       {{"columns", "string", "names with commas between; else all that hold single cells"},
        kOffsetField,
        kLimitField,
        {"digits", "integer", "how many digits reals have at most, 1 to 17"}},
       table_schema,
       "",
       show_table},
      {"GET",
       "/api/v1/workloads/{id}/histograms",
       "Which values and weights were counted",
       {kOffsetField, kLimitField},
       histogram_list_schema,
       "",
       list_histograms},
      {"GET",
       "/api/v1/workloads/{id}/histograms/pair",
       "Counts of both sides between equal edges",
       {{"reference", "string", "name in the reference", true},
        {"quantized", "string", "name in the quantized model", true},
        {"bins", "integer", "how many, 1000 at most"},
        {"channel", "integer", "of this channel alone"}},
       histogram_schema,
       "",
       show_histogram},
      {"GET",
       "/api/v1/workloads/{id}/histograms/channels",
       "Extremes, moments and errors of a pair's channels",
       {{"reference", "string", "name in the reference", true},
        {"quantized", "string", "name in the quantized model", true},
        kOffsetField,
        kLimitField},
       channels_schema,
       "",
       show_channels},
  };
}

std::vector<Route> of_ops_and_runs() {
  return {
      {"GET",
       "/api/v1/workloads/{id}/ops",
       "All that is stored of one op",
       {{"op", "string", "its id or its name", true}},
       op_schema,
       "",
       show_op},
      {"GET",
       "/api/v1/workloads/{id}/compare",
       "What is different in another run, by what both stored",
       {{"other", "string", "the other run's id", true}},
       comparison_schema,
       "",
       compare_runs},
      {"GET",
       "/api/v1/workloads/{id}/samples/{sample}/picture",
       "The JPEG or PNG picture of a sample that a record names, by its number",
       {},
       nullptr,
       "image/*",
       show_picture},
      {"POST",
       "/api/v1/workloads/{id}/what-if",
       "What other codes of some ops would cost, by what is stored",
       {},
       what_if_schema,
       "",
       what_if,
       what_if_body},
      {"GET",
       "/api/v1/events",
       "Server-sent events: workloads that change",
       {},
       nullptr,
       "text/event-stream",
       subscribe},
      {"GET", "/api/v1/openapi.json", "This document", {}, document_schema, "", show_openapi},
  };
}

}  // namespace

const std::vector<Route>& routes() {
  static const std::vector<Route> kRoutes = [] {
    std::vector<Route> all = predecessors();
    for (const auto& more : {of_runs(), of_records(), of_ops_and_runs(), job_routes()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return kRoutes;
}

}  // namespace quantlens::server
