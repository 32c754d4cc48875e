// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/profile.h"

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/remedy_use.h"
#include "cli/commands/render.h"
#include "quantlens/base/json.h"
#include "quantlens/report/profile_tables.h"

namespace quantlens::cli {
namespace {

struct Arguments {
  flow::ProfileVerbOptions options;
  bool by_type = false;
  LongOptions common;
  TableOptions table;
};

boost::json::object object_of(const flow::ProfileResult& result) {
  boost::json::object object{{"workload", result.workload}};
  const auto add = [&](const boost::json::value& record) {
    for (const auto& field : record.as_object()) object[field.key()] = field.value();
  };
  if (result.pair) {
    add(json::encode(*result.pair));
    object["verdict"] = result.verdict;
    object["nodes"] = object["quantized"].as_object()["nodes"];
    object["wall_us"] = result.pair->quantized.wall.median_us;
    object["explained"] = result.pair->quantized.explained;
  } else {
    add(json::encode(result.profile));
    object["wall_us"] = result.profile.wall.median_us;
  }
  return object;
}

int run(const Arguments& arguments, const std::vector<std::string>& command_line) {
  DiskStore store;
  flow::ProfileVerbOptions options = arguments.options;
  options.data = arguments.common.data();
  TerminalProgress progress = arguments.common.make_progress();
  const flow::ProfileResult result =
      flow::profile(options, arguments.common.session(store, progress, command_line));
  if (arguments.table.is_json()) {
    print_object(object_of(result));
    return kDone;
  }
  const ProfileRows rows = arguments.by_type ? ProfileRows::types : ProfileRows::nodes;
  arguments.table.print(result.pair ? joined_table(*result.pair, rows)
                                    : profiling_table(result.profile, rows));
  if (arguments.table.is_csv()) return kDone;
  if (result.pair) {
    print_out(speed_text(*result.pair, result.verdict));
    if (const auto number = first_remedy(*result.pair)) {
      const Compared compared{.reference = options.model,
                              .quantized = *options.other,
                              .data = options.data,
                              .is_ours = result.is_ours};
      print_out(anew_with_remedy(compared, result.folder, *number));
    }
    print_out(profile_text(result.pair->reference, "float: "));
    print_out(profile_text(result.pair->quantized, "int8: "));
  } else {
    print_out(profile_text(result.profile));
  }
  print_out(fmt::format("workload: {}  ({})\n", result.workload, result.folder.string()));
  return kDone;
}

}  // namespace

void add_profile(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "profile",
      "Where a model's time goes, node by node; of two models, what int8 saves and costs");
  auto arguments = std::make_shared<Arguments>();
  flow::ProfileVerbOptions& options = arguments->options;
  verb->add_option("MODEL", options.model,
                   "the model to time; or a profile that ONNX Runtime or TensorFlow wrote")
      ->required();
  verb->add_option("OTHER", options.other, "its quantized form: both, joined op by op");
  verb->add_option("--warmup", options.profile.warm_up,
                   "runs that do not count, after each loading")
      ->check(whole_number(0, 1'000'000));
  verb->add_option("--iterations", options.profile.iterations,
                   "runs that count (default: until the median is known to 1 %)")
      ->check(whole_number(1, 10'000'000));
  verb->add_option("--verify", options.verify,
                   "of two models: time the remedies of the first so many findings in the "
                   "quantized model (0: none of them is told)")
      ->check(whole_number(0, 100))
      ->capture_default_str();
  verb->add_option("--trace", options.trace,
                   "writes the nodes of one run there, for ui.perfetto.dev or chrome://tracing")
      ->check(not_empty())
      ->group("Output");
  arguments->common.add_to(*verb, DataOption::optional);
  arguments->table.add_to(*verb);
  verb->add_flag("--by-type", arguments->by_type, "a row a type instead of a node or an op")
      ->group("Output");
  verb->footer(
      "Without --data the inputs are random, of the shapes that the model names.\n"
      "Example:\n  quantlens profile kwt1.onnx kwt1.int8.onnx --data kwt.yaml --threads 1");
  verb->callback([=, &chosen] { chosen = [=] { return run(*arguments, command_line); }; });
}

}  // namespace quantlens::cli
