// SPDX-License-Identifier: Apache-2.0
// What each address of the server takes for a run of 10,000 ops: made anew, out of the cache, and
// where the client has it. Sockets are not in it. The goal is a p99 of 20 ms with 32 clients at 300
// requests a second, so that what is made anew may take longer only where it is rare.
#include <benchmark/benchmark.h>

#include "bench/stored_run.h"
#include "server/api/api.h"

namespace quantlens::bench {
namespace {

using server::Pairs;
using server::Request;
using server::Response;

/// The stored run behind an API.
struct Served {
  explicit Served(std::size_t cached)
      : workspace(stored().workspace()), api(store, workspace, events, {cached}) {}
  DiskStore store;
  Workspace workspace;
  server::Events events;
  server::Api api;
};

struct Asked {
  const char* name;
  std::string path;
  Pairs query = {};
};

std::vector<Asked> all_asked() {
  const std::string run = "/api/v1/workloads/last";
  const std::string model = "/models/net.onnx";
  return {
      {"workloads", "/api/v1/workloads"},
      {"workload", run},
      {"record", run + "/records/diagnosis"},
      {"page", run + "/tables/diagnosis.activations", {{"limit", "50"}}},
      {"twelve_columns",
       run + "/tables/diagnosis.activations",
       {{"columns",
         "op.name,type,sqnr_db,mse,local_sqnr_db,output_share,cosine,max_abs_error,clip_rate,min,"
         "max,side"},
        {"limit", "10000"},
        {"digits", "4"}}},
      {"drawn_graph",
       run + "/tables/graph.ops",
       {{"columns", "op,name,type,kind,inputs,outputs"}, {"limit", "10000"}}},
      {"op", run + "/ops", {{"op", tensor(5000)}}},
      {"histograms", run + "/histograms", {{"limit", "10000"}}},
      {"histogram",
       run + "/histograms/pair",
       {{"reference", tensor(5000)}, {"quantized", tensor(5000) + "_QuantizeLinear_Output"}}},
      {"old_op_list", "/api/diagnosis/op_list", {{"workload_id", "last"}}},
      {"old_op_details",
       "/api/diagnosis/op_details",
       {{"workload_id", "last"}, {"op_name", op_of(5000).name}}},
      {"old_histogram",
       "/api/diagnosis/histogram",
       {{"workload_id", "last"}, {"op_name", op_of(5000).name}, {"type", "activation"}}},
      {"openapi", "/api/v1/openapi.json"},
  };
}

void ask(benchmark::State& state, Served& served, const Asked& asked, Pairs headers) {
  const Request request{.method = "GET",
                        .path = asked.path,
                        .query = asked.query,
                        .headers = std::move(headers),
                        .body = {}};
  std::size_t bytes = 0;
  for (auto _ : state) {
    const Response response = served.api.answer(request);
    if (response.status != 200 && response.status != 304)
      state.SkipWithError(response.body ? response.body->c_str() : "no answer");
    bytes = response.body ? response.body->size() : 0;
  }
  state.counters["bytes"] = static_cast<double>(bytes);
}

std::string tag_of(Served& served, const Asked& asked) {
  const Response response =
      served.api.answer({.method = "GET", .path = asked.path, .query = asked.query});
  for (const auto& [name, value] : response.headers) {
    if (name == "ETag") return value;
  }
  return "";
}

void add(const Asked& asked) {
  const Pairs zipped = {{"accept-encoding", "gzip"}};
  const std::string name = asked.name;
  const auto run = [asked](std::size_t cached, Pairs headers, bool has_tag) {
    return [=](benchmark::State& state) {
      Served served(cached);
      Pairs all = headers;
      if (has_tag) all.emplace_back("if-none-match", tag_of(served, asked));
      ask(state, served, asked, all);
    };
  };
  constexpr std::size_t kCache = std::size_t{32} << 20;
  const auto unit = benchmark::kMicrosecond;
  benchmark::RegisterBenchmark((name + "/plain").c_str(), run(0, {}, false))->Unit(unit);
  benchmark::RegisterBenchmark((name + "/gzip").c_str(), run(0, zipped, false))->Unit(unit);
  benchmark::RegisterBenchmark((name + "/cached").c_str(), run(kCache, zipped, false))->Unit(unit);
  benchmark::RegisterBenchmark((name + "/known").c_str(), run(kCache, {}, true))->Unit(unit);
}

const bool kAdded = [] {
  for (const Asked& asked : all_asked()) add(asked);
  return true;
}();

}  // namespace
}  // namespace quantlens::bench
