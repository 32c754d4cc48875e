// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/cores.h"
#include "quantlens/base/error.h"

namespace quantlens::cli {
namespace {

constexpr const char* kNotEmpty = "is empty; give it a value or leave it out";

CLI::Validator seconds() {
  const auto check = [](const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value > 0) return std::string();
    return fmt::format("'{}' is no number above 0", shortened(text));
  };
  return {check, ""};
}

}  // namespace

std::string shortened(const std::string& text) {
  constexpr std::size_t kShown = 60;
  return text.size() <= kShown ? text : text.substr(0, kShown) + "...";
}

CLI::Validator share() {
  const auto read = [](std::string& text) {
    if (!text.ends_with('%')) return std::string();
    double percent = 0;
    const char* end = text.data() + text.size() - 1;
    const auto [stop, error] = std::from_chars(text.data(), end, percent);
    if (error == std::errc() && stop == end) text = fmt::format("{}", percent / 100);
    return std::string();
  };
  return {read, ""};
}

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const auto check = [=](const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most)
      return std::string();
    return fmt::format("'{}' is no whole number from {} to {}", shortened(text), least, most);
  };
  return {check, ""};
}

CLI::Validator not_empty() {
  return {[](const std::string& text) { return text.empty() ? kNotEmpty : std::string(); }, ""};
}

CLI::Validator number() {
  const auto check = [](const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value))
      return std::string();
    return fmt::format("'{}' is no finite number", shortened(text));
  };
  return {check, ""};
}

CLI::Validator one_of(std::vector<std::string> words) {
  const auto check = [words](const std::string& text) {
    if (std::ranges::find(words, text) != words.end()) return std::string();
    return fmt::format("there is no '{}'; known: {}", shortened(text), fmt::join(words, ", "));
  };
  CLI::Validator validator(check, "");
  return with_offer(validator, {.words = std::move(words)});
}

TerminalProgress ProgressOptions::make() const {
  ProgressStyle style = ProgressStyle::automatic;
  if (word_ == "bar") style = ProgressStyle::bar;
  if (word_ == "json") style = ProgressStyle::json;
  if (word_ == "none") style = ProgressStyle::none;
  return {style, quiet_};
}

void ProgressOptions::add_to(CLI::App& verb) {
  verb.add_option("--progress", word_,
                  "Show progress on standard error: auto, bar, json or none (default: auto, a bar "
                  "on a terminal)")
      ->check(one_of({"auto", "bar", "json", "none"}))
      ->group("Run");
  verb.add_flag("-q,--quiet", quiet_, "Show no progress and no notes")->group("Run");
}

void StoredRunOptions::add_to(CLI::App& verb) {
  verb.add_option("--workspace", folder_,
                  "Look for runs in this folder (default: $QUANTLENS_WORKSPACE, else quantlens in "
                  "$XDG_DATA_HOME or ~/.local/share)")
      ->check(offers_folders())
      ->group("Run");
  progress_.add_to(verb);
}

void LongOptions::add_to(CLI::App& verb, DataOption data) {
  if (data != DataOption::none) {
    verb.add_option("--data", data_,
                    "Read samples from here: a .npz, .npy or TFRecord file, a folder of images, a "
                    "YAML or JSON document, or the word random (docs/data.md)")
        ->check(offers_files({"random"}))
        ->required(data == DataOption::required)
        ->check(not_empty())
        ->group("Data");
    verb.add_option("--limit", limit_, "Use at most this many samples (default: all)")
        ->check(whole_number(1, kMostCount))
        ->group("Data");
    verb.add_option("--batch-size", batch_size_,
                    "Run this many samples at once (default: what the document or the model says, "
                    "else 1)")
        ->check(whole_number(1, kMostCount))
        ->group("Data");
    verb.add_option("--seed", seed_,
                    "Seed random data and random searches with this number (default: 0)")
        ->check(whole_number(0, kMostCount))
        ->group("Data");
    verb.add_flag("--strict", strict_,
                  "End the run at a sample that cannot be read (default: skip it and say so)")
        ->group("Data");
    add_isolation_to(verb);
  }
  verb.add_option("--workspace", workspace_,
                  "Keep runs in this folder (default: $QUANTLENS_WORKSPACE, else quantlens in "
                  "$XDG_DATA_HOME or ~/.local/share)")
      ->check(offers_folders())
      ->group("Run");
  verb.add_option("--name", name_,
                  "Name this run in the workspace (default: the model's file name)")
      ->group("Run");
  verb.add_option("--threads", threads_, "Use this many cores (default: all)")
      ->check(whole_number(1, 1024))
      ->group("Run");
  progress_.add_to(verb);
}

void LongOptions::add_isolation_to(CLI::App& verb) {
  CLI::Option* isolate =
      verb.add_flag("--isolate", isolate_,
                    "Run the models in a process of their own, so that a crash of the runtime is "
                    "reported and does not end quantlens (default: in this process)")
          ->group("Run");
  verb.add_option("--isolate-timeout", isolate_timeout_,
                  "End that process when it has been silent for this many seconds (default: 600)")
      ->check(seconds())
      ->needs(isolate)
      ->type_name("SECONDS")
      ->group("Run");
}

TerminalProgress LongOptions::make_progress() const {
  return progress_.make();
}

flow::Session LongOptions::session(Store& store, Progress& progress,
                                   const std::vector<std::string>& arguments) const {
  return {.store = store,
          .progress = progress,
          .workspace = workspace_,
          .name = name_,
          .arguments = arguments,
          .threads = threads_ > 0 ? threads_ : available_cores(),
          .strict = strict_,
          .isolation = isolation(),
          .workers = workers(progress),
          .ends = ends()};
}

std::optional<Isolation> LongOptions::isolation() const {
  if (!isolate_) return {};
  return Isolation{.program = kThisProgram, .timeout_seconds = isolate_timeout_};
}

/// None is started before it is asked.
std::shared_ptr<Workers> LongOptions::workers(Progress& progress) const {
  return std::make_shared<Workers>(Isolation{
      .program = kThisProgram, .timeout_seconds = isolate_timeout_, .stop_requested = [&progress] {
        return progress.stop_requested();
      }});
}

flow::DataChoice LongOptions::data() const {
  return {.data = data_, .options = {.limit = limit_, .batch_size = batch_size_, .seed = seed_}};
}

void LongOptions::add_calibration_data(CLI::App& verb) {
  verb.add_option("--calibration-data", calibration_data_,
                  "Calibrate with these samples instead of the first of --data")
      ->check(offers_files({"random"}))
      ->check(not_empty())
      ->group("Data");
}

std::optional<flow::DataChoice> LongOptions::calibration_data() const {
  if (!calibration_data_) return std::nullopt;
  return flow::DataChoice{.data = *calibration_data_, .options = {}};
}

void EndsOptions::add_to(CLI::App& verb) {
  const auto add = [&](const char* option, std::vector<std::string>& names, const char* told) {
    verb.add_option(option, names, told)
        ->delimiter(',')
        ->take_all()
        ->expected(1)
        ->type_name("NAME[,NAME...]")
        ->check(not_empty())
        ->group("Model");
  };
  add("--inputs", ends_.inputs,
      "Begin at these values, or at what these nodes give: what is only before them is left out "
      "(default: the model's inputs)");
  add("--outputs", ends_.outputs,
      "End at these values, or at what these nodes give (default: the model's outputs)");
}

void TableOptions::add_form_to(CLI::App& verb) {
  verb.add_option("--output", format_,
                  "Print this form on standard output: table, json, csv or markdown (default: "
                  "table)")
      ->check(one_of({"table", "json", "csv", "markdown"}))
      ->group("Output");
}

void TableOptions::add_to(CLI::App& verb) {
  add_form_to(verb);
  verb.add_flag("--wide", wide_,
                "Print all columns of the tables, however wide (default: those that fit)")
      ->group("Output");
  verb.add_flag("--all", all_, "Print all rows of the tables (default: 20)")->group("Output");
}

void TableOptions::add_sort_to(CLI::App& verb) {
  const std::map<std::string, ActivationOrder> orders{
      {"sqnr", ActivationOrder::sqnr},
      {"drop", ActivationOrder::sqnr_drop},
      {"local", ActivationOrder::local},
      {"share", ActivationOrder::share},
      {"mse", ActivationOrder::mse},
      {"range", ActivationOrder::range},
      {"cosine", ActivationOrder::cosine},
      {"max_abs_error", ActivationOrder::max_abs_error},
      {"clip_rate", ActivationOrder::clip_rate}};
  std::vector<std::string> names;
  names.reserve(orders.size());
  for (const auto& [name, order] : orders) names.push_back(name);
  verb.add_option_function<std::string>(
          "--sort", [this, orders](const std::string& name) { order_ = orders.at(name); },
          "Sort the activations by this key, worst first: sqnr, drop (where SQNR falls), "
          "local (the op alone), share (of the outputs' error), mse, range, cosine, "
          "max_abs_error or clip_rate (default: sqnr)")
      ->check(one_of(names))
      ->type_name("KEY")
      ->group("Output");
}

RunView TableOptions::view() const {
  constexpr std::size_t kNoLimit = 1'000'000;
  const char* how = wide_  ? "--all shows all rows"
                    : all_ ? "--wide shows these columns"
                           : "--wide shows more columns, --all all rows";
  return {.order = order_,
          .markdown = is_markdown(),
          .text = {.width = wide_ ? kNoLimit : output_width(),
                   .rows = all_ ? std::size_t{0} : 20,
                   .how_to_see_all = how}};
}

void TableOptions::print(const Table& table) const {
  if (format_ == "csv") {
    print_out(to_csv(table));
  } else {
    print_out(shown(table, view()));
  }
}

void TableOptions::tell(std::string_view lines) const {
  if (is_text() || is_markdown()) print_out(told(lines, view()));
}

void print_out(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error(Errc::io,
                fmt::format("standard output: cannot write: {}; check where it goes. What a run "
                            "has found is in its workspace",
                            std::strerror(errno)));
  }
}

}  // namespace quantlens::cli
