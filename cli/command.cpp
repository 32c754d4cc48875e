// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "quantlens/base/cores.h"
#include "quantlens/base/error.h"

namespace quantlens::cli {

void LongOptions::add_to(CLI::App& verb, bool with_data) {
  if (with_data) {
    verb.add_option("--data", data_,
                    "samples: a .npz or .npy file, a folder of images, a YAML or JSON document, or "
                    "the word random "
                    "(docs/data.md)")
        ->required()
        ->group("Data");
    verb.add_option("--limit", limit_, "use at most this many samples")
        ->check(CLI::PositiveNumber)
        ->group("Data");
    verb.add_option("--batch-size", batch_size_, "samples a step (default: the document's, else 1)")
        ->check(CLI::PositiveNumber)
        ->group("Data");
    verb.add_option("--seed", seed_, "of random data")->group("Data");
    verb.add_flag("--strict", strict_, "a sample that cannot be read ends the run")->group("Data");
  }
  verb.add_option("--workspace", workspace_,
                  "where runs are kept (default: $QUANTLENS_WORKSPACE, else your data folder)")
      ->group("Run");
  verb.add_option("--name", name_, "of this run in the workspace")->group("Run");
  verb.add_option("--threads", threads_, "cores to use (default: all)")
      ->check(CLI::Range(1, 1024))
      ->group("Run");
  verb.add_option("--progress", progress_, "how progress is told on standard error")
      ->check(CLI::IsMember({"auto", "bar", "json", "none"}))
      ->group("Run");
  verb.add_flag("-q,--quiet", quiet_, "no progress and no notes")->group("Run");
}

TerminalProgress LongOptions::make_progress() const {
  ProgressStyle style = ProgressStyle::automatic;
  if (progress_ == "bar") style = ProgressStyle::bar;
  if (progress_ == "json") style = ProgressStyle::json;
  if (progress_ == "none") style = ProgressStyle::none;
  return {style, quiet_};
}

flow::Session LongOptions::session(Store& store, Progress& progress,
                                   const std::vector<std::string>& arguments) const {
  return {.store = store,
          .progress = progress,
          .workspace = workspace_,
          .name = name_,
          .arguments = arguments,
          .threads = threads_ > 0 ? threads_ : available_cores(),
          .strict = strict_};
}

flow::DataChoice LongOptions::data() const {
  return {.data = data_, .options = {.limit = limit_, .batch_size = batch_size_, .seed = seed_}};
}

void TableOptions::add_to(CLI::App& verb) {
  verb.add_option("--output", format_, "what is printed on standard output")
      ->check(CLI::IsMember({"table", "json", "csv", "markdown"}))
      ->group("Output");
  verb.add_flag("--wide", wide_, "tables with all their columns, however wide")->group("Output");
  verb.add_flag("--all", all_, "tables with all their rows")->group("Output");
}

void TableOptions::add_sort_to(CLI::App& verb) {
  const std::map<std::string, ActivationOrder> orders{
      {"sqnr", ActivationOrder::sqnr},
      {"mse", ActivationOrder::mse},
      {"range", ActivationOrder::range},
      {"cosine", ActivationOrder::cosine},
      {"max_abs_error", ActivationOrder::max_abs_error},
      {"clip_rate", ActivationOrder::clip_rate}};
  verb.add_option("--sort", order_,
                  "order of the activations, worst first: sqnr (default), mse, range, cosine, "
                  "max_abs_error or clip_rate")
      ->transform(CLI::CheckedTransformer(orders).description(""))
      ->type_name("KEY")
      ->group("Output");
}

void TableOptions::print(const Table& table) const {
  if (format_ == "csv") {
    print_out(to_csv(table));
  } else if (format_ == "markdown") {
    print_out(to_markdown(table));
  } else {
    constexpr std::size_t kNoLimit = 1'000'000;
    print_out(to_text(table, {.width = wide_ ? kNoLimit : output_width(),
                              .rows = all_ ? std::size_t{0} : 20,
                              .how_to_see_all = "--all, --wide or the CSV file"}));
  }
}

void print_out(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error(Errc::io,
                fmt::format("standard output: cannot write: {}; the results are in the workspace",
                            std::strerror(errno)));
  }
}

}  // namespace quantlens::cli
