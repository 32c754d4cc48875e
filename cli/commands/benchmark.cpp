// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/benchmark.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/commands/render.h"

namespace quantlens::cli {
namespace {

std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts(1);
  for (const char c : list) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// Numbers with commas between them.
CLI::Validator whole_numbers(std::uint64_t least, std::uint64_t most) {
  const auto check = [one = whole_number(least, most)](const std::string& list) {
    for (std::string& part : parts_of(list)) {
      if (std::string sentence = one(part); !sentence.empty()) return sentence;
    }
    return std::string();
  };
  return {check, ""};
}

struct Arguments {
  flow::BenchmarkOptions options;
  LongOptions common;
  TableOptions table;
};

flow::BenchmarkOptions options_of(const Arguments& arguments) {
  flow::BenchmarkOptions options = arguments.options;
  return options;
}

int run(const Arguments& arguments, const std::vector<std::string>& command_line) {
  DiskStore store;
  TerminalProgress progress = arguments.common.make_progress();
  const flow::BenchmarkOutcome outcome = flow::benchmark(
      options_of(arguments), arguments.common.session(store, progress, command_line));
  print_run(outcome, arguments.table, workload_line(outcome, outcome.folder));
  return kDone;
}

void add_run_options(CLI::App& verb, flow::BenchmarkOptions& options) {
  constexpr std::uint64_t kMostRuns = 10'000'000;
  constexpr std::uint64_t kMostRounds = 10'000;
  constexpr std::uint64_t kMostProcesses = 4096;
  verb.add_option("--warmup", options.round.warmup,
                  "Run the model this often in each round before the clock counts (default: 10)")
      ->check(whole_number(0, kMostRuns))
      ->group("Benchmark");
  verb.add_option("--iterations", options.round.iterations,
                  "Time this many runs of a model in each round (default: at least 50 and for 1 "
                  "s; of slow models at least 10 and for 5 s)")
      ->check(whole_number(1, kMostRuns))
      ->group("Benchmark");
  verb.add_option("--rounds", options.rounds,
                  "Load the models anew and time them this often (default: 10)")
      ->check(whole_number(1, kMostRounds))
      ->group("Benchmark");
  verb.add_option("--instances", options.instances,
                  "Run the model in this many processes at the same time, each on cores of its own "
                  "(default: in this process alone, on any core)")
      ->check(whole_number(1, kMostProcesses))
      ->group("Benchmark");
  verb.add_option("--cores-per-instance", options.cores_per_instance,
                  "Bind each of these processes to this many cores (default: all cores shared "
                  "out)")
      ->check(whole_number(1, kMostProcesses))
      ->group("Benchmark");
}

void add_data_options(CLI::App& verb, flow::BenchmarkOptions& options) {
  constexpr std::uint64_t kMostBatch = 1U << 20U;
  options.data.data = "random";
  verb.add_option("--data", options.data.data,
                  "Read samples from here (docs/data.md; default: random, of the model's shapes)")
      ->check(offers_files({"random"}))
      ->check(not_empty())
      ->group("Data");
  verb.add_option_function<std::string>(
          "--batch-size",
          [&options](const std::string& list) {
            for (const std::string& part : parts_of(list)) {
              options.batch_sizes.push_back(std::stoull(part));
            }
          },
          "Run this many samples at once, or each of a list such as 1,8,32 (default: the "
          "document's, else 1)")
      ->check(whole_numbers(1, kMostBatch))
      ->type_name("N[,N...]")
      ->group("Data");
  verb.add_option("--seed", options.data.options.seed,
                  "Seed random data with this number (default: 0)")
      ->check(whole_number(0, kMostCount))
      ->group("Data");
}

}  // namespace

void add_benchmark(CLI::App& program, const std::vector<std::string>& command_line,
                   Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "benchmark", "Measure latency and throughput of a model, or of two side by side");
  auto arguments = std::make_shared<Arguments>();
  flow::BenchmarkOptions& options = arguments->options;
  verb->add_option("MODEL", options.model, "The model to time")->check(offers_files())->required();
  verb->add_option("OTHER", options.other, "Another model; its time is given as a ratio to MODEL's")
      ->check(offers_files());
  arguments->common.add_ends(*verb);
  add_data_options(*verb, options);
  add_run_options(*verb, options);
  arguments->common.add_to(*verb, DataOption::none);
  arguments->common.add_isolation_to(*verb);
  options.round.threads = 0;
  verb->get_option("--threads")->each([&options](const std::string& text) {
    options.round.threads = static_cast<unsigned>(std::stoul(text));
  });
  arguments->table.add_to(*verb);
  verb->footer(
      "Example:\n  quantlens benchmark mobilenet.onnx mobilenet.int8.onnx --threads 1\n"
      "  quantlens benchmark mobilenet.int8.onnx --batch-size 1,8 --instances 4 "
      "--cores-per-instance 2");
  verb->callback([=, &chosen] {
    flow::check_options(arguments->options);
    chosen = [=] { return run(*arguments, command_line); };
  });
}

void add_benchmark_instance(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "benchmark-instance", "Time models for quantlens benchmark, which starts this by itself");
  verb->group("");  // people have no use for it
  verb->footer("Example:\n  quantlens benchmark mobilenet.onnx --instances 2");
  verb->callback([&chosen] {
    chosen = [] {
      // The program that started it decides when it ends: nobody here asks whether to stop.
      uninstall_interrupt_handler();
      flow::serve_benchmark_instance(STDIN_FILENO);
      return kDone;
    };
  });
}

}  // namespace quantlens::cli
