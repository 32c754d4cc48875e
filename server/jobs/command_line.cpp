// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/command_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/error.h"
#include "quantlens/base/json_line.h"
#include "quantlens/record/files.h"
#include "server/control.h"
#include "server/jobs/data_paths.h"
#include "server/jobs/fields.h"
#include "server/jobs/model_paths.h"
#include "server/jobs/refusal.h"
#include "server/shown.h"

namespace quantlens::server {
namespace {

using boost::json::object;

constexpr std::size_t kMostText = 4096;
constexpr std::size_t kMostRecipe = std::size_t{64} << 10;
constexpr std::uintmax_t kMostRecipeFile = std::uintmax_t{1} << 20;
constexpr std::size_t kMostItems = 16;
constexpr std::size_t kMostShown = 80;
/// All but command:PROGRAM, which runs what it is told.
constexpr std::string_view kMetrics = "top1 top5 accuracy f1 mse mae rmse map spearman_cosine";

[[noreturn]] void refuse(const Field& field, std::string_view problem) {
  throw Refusal(kWrongRequest, fmt::format("{}: {}", field.name, problem));
}

std::string text_of(const Field& field, const json::Value& value) {
  const auto* text = value.if_string();
  if (text == nullptr) refuse(field, "must be a text");
  if (text->empty() || text->size() > kMostText || has_control(*text) || valid_utf8(*text) != *text)
    refuse(field, fmt::format("must be 1 to {} bytes of text on one line", kMostText));
  return std::string(*text);
}

std::uint64_t count_of(const Field& field, const json::Value& value) {
  const auto* number = value.if_int64();
  const bool fits = number != nullptr && *number >= 0 &&
                    static_cast<std::uint64_t>(*number) >= field.least &&
                    static_cast<std::uint64_t>(*number) <= field.most;
  if (!fits) {
    refuse(field, fmt::format("must be a whole number from {} to {}", field.least, field.most));
  }
  return static_cast<std::uint64_t>(*number);
}

std::string counts_of(const Field& field, const json::Value& value) {
  if (!value.is_array()) return std::to_string(count_of(field, value));
  if (value.get_array().empty() || value.get_array().size() > kMostItems)
    refuse(field, fmt::format("must have 1 to {} numbers", kMostItems));
  std::vector<std::uint64_t> counts;
  for (const json::Value& one : value.get_array()) counts.push_back(count_of(field, one));
  return fmt::format("{}", fmt::join(counts, ","));
}

std::string real_of(const Field& field, const json::Value& value) {
  if (value.is_int64()) return std::to_string(value.get_int64());
  if (!value.is_double() || !std::isfinite(value.get_double())) refuse(field, "must be a number");
  return exact_number(value.get_double());
}

/// "2/4", "0:50".
std::string part_of(const Field& field, const json::Value& value) {
  std::string text = text_of(field, value);
  std::size_t marks = 0;
  const bool is_part = std::ranges::all_of(text, [&](char c) {
    const bool is_mark = c == field.words.front();
    marks += is_mark ? 1 : 0;
    return is_mark || (c >= '0' && c <= '9');
  });
  if (!is_part || marks != 1)
    refuse(field, fmt::format("must be two numbers with '{}' between them", field.words));
  return text;
}

std::string metric_of(const Field& field, const json::Value& value) {
  std::string text = text_of(field, value);
  const std::string_view name = std::string_view(text).substr(0, text.find(':'));
  if (name == "command") {
    throw Refusal(kForbidden,
                  "metric: command:PROGRAM runs a program, which no job does; start "
                  "quantlens on the command line for it");
  }
  if (!has_word(kMetrics, name)) {
    refuse(field, fmt::format("there is no '{}'; known: {}", shown(name, kMostShown),
                              fmt::join(words_in(kMetrics), ", ")));
  }
  return text;
}

/// A document is read as a whole; a model that has a recipe in it is not.
void check_size(const Field& field, const fs::path& recipe) {
  std::error_code ignored;
  const bool is_document = recipe.extension() != ".onnx" && recipe.extension() != ".pb" &&
                           fs::is_regular_file(recipe, ignored);
  if (is_document && fs::file_size(recipe, ignored) > kMostRecipeFile)
    refuse(field, "is longer than 1 MB, which no recipe is");
}

/// Turns one request into words.
class Maker {
 public:
  Maker(const object& asked, const JobPlace& place) : asked_(asked), place_(place) {}
  CommandLine made();

 private:
  std::string_view verb_of() const;
  void check_names() const;
  void add(const Field& field, const json::Value& value);
  void add_option(const Field& field, const std::string& value);
  std::string path_of(const Field& field, const json::Value& value) const;
  json::Value add_recipe(const Field& field, const json::Value& value);
  void add_recipes(const Field& field, const json::Value& value);
  void add_output(const Field& field, const json::Value& value);
  std::string usual_name() const;
  void add_usual_output();
  void add_cores();
  Workload workload_of(const Field& field, std::string_view id) const;
  std::string earlier_run(const Field& field, std::string_view id) const;

  const object& asked_;
  const JobPlace& place_;
  CommandLine line_;
};

std::string_view Maker::verb_of() const {
  const auto* value = asked_.if_contains("verb");
  const auto* text = value != nullptr ? value->if_string() : nullptr;
  const auto verbs = job_verbs();
  if (text == nullptr || std::ranges::find(verbs, std::string_view(*text)) == verbs.end()) {
    throw Refusal(kWrongRequest,
                  fmt::format("verb: say what is to be done: {}", fmt::join(verbs, ", ")));
  }
  return *text;
}

void Maker::check_names() const {
  std::vector<std::string> known{"verb"};
  for (const Field& field : job_fields()) {
    if (!is_taken_by(field, line_.verb)) continue;
    known.emplace_back(field.name);
    if (is_needed_by(field, line_.verb) && !asked_.contains(field.name))
      throw Refusal(kWrongRequest,
                    fmt::format("{}: {} needs it: {}", field.name, line_.verb, field.meaning));
  }
  for (const auto& member : asked_) {
    const std::string name(member.key());
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string hint = did_you_mean(name, known);
    throw Refusal(
        kWrongRequest,
        fmt::format("{} takes no '{}'; {}", line_.verb, shown(name, kMostShown),
                    hint.empty() ? fmt::format("it takes {}", fmt::join(known, ", ")) : hint));
  }
}

void Maker::add_option(const Field& field, const std::string& value) {
  if (field.option.empty() || field.option.size() == 2) {
    // Behind no '=' nothing may stand that could be an option; a path never is one.
    if (!value.starts_with('/')) refuse(field, "must be an absolute path");
    if (!field.option.empty()) line_.arguments.emplace_back(field.option);
    line_.arguments.push_back(value);
  } else {
    line_.arguments.push_back(fmt::format("{}={}", field.option, value));
  }
}

std::string Maker::path_of(const Field& field, const json::Value& value) const {
  std::string text = text_of(field, value);
  if (has_word(field.words, text)) return text;
  if (field.kind == FieldKind::model) return checked_model(text, field.name, place_.roots).string();
  if (field.kind == FieldKind::data) return checked_data(text, field.name, place_.roots).string();
  return place_.roots.input(text, field.name).string();
}

Workload Maker::workload_of(const Field& field, std::string_view id) const {
  try {
    return place_.workspace.find(std::string(id));
  } catch (const Error& error) {
    if (error.code() != Errc::not_found) throw Refusal(kNotThere, error.what());
    throw Refusal(kNotThere,
                  fmt::format("{}: there is no workload '{}'", field.name, shown(id, kMostShown)));
  }
}

/// Of the same verb: no other goes on with it.
std::string Maker::earlier_run(const Field& field, std::string_view id) const {
  Workload run = workload_of(field, id);
  if (run.verb == line_.verb) return std::move(run.id);
  throw Refusal(kWrongRequest, fmt::format("{}: {} was written by '{}', not by {}", field.name,
                                           run.id, shown(run.verb, kMostShown), line_.verb));
}

/// Returns what is kept of it: the same recipe, whatever is the last workload later on.
json::Value Maker::add_recipe(const Field& field, const json::Value& value) {
  if (value.is_object()) {
    const std::string text = json::line(value);
    if (text.size() > kMostRecipe) refuse(field, "is too long; upload it and give its path");
    add_option(field, text);
    return value;
  }
  const std::string text = text_of(field, value);
  if (text.starts_with('/')) {
    const fs::path path = place_.roots.input(text, field.name);
    check_size(field, path);
    add_option(field, path.string());
    return json::Value(path.string());
  }
  // By its folder: an id could also be the name of a file where the program runs.
  const std::string id = workload_of(field, text).id;
  add_option(field, (place_.roots.workspace() / "workloads" / id).string());
  return json::Value(id);
}

void Maker::add_recipes(const Field& field, const json::Value& value) {
  if (!value.is_array()) {
    line_.request[field.name] = add_recipe(field, value);
    return;
  }
  if (value.get_array().size() > kMostItems)
    refuse(field, fmt::format("must be at most {} recipes", kMostItems));
  boost::json::array kept;
  for (const json::Value& one : value.get_array()) kept.push_back(add_recipe(field, one));
  line_.request[field.name] = std::move(kept);
}

void Maker::add_output(const Field& field, const json::Value& value) {
  const fs::path path = place_.roots.output(text_of(field, value), field.name);
  if (!has_word(field.words, path.extension().string()) || !path.has_stem()) {
    refuse(field, fmt::format("must end in {}", fmt::join(words_in(field.words), " or ")));
  }
  add_option(field, path.string());
  line_.request[field.name] = path.string();
  if (field.name == "output") line_.output = path;
}

std::string Maker::usual_name() const {
  if (line_.verb == "report") return "report.html";
  if (line_.verb == "calibrate") return std::string(FileOf<TapState>::kName);
  const fs::path model = line_.arguments.at(1);
  const std::string ending = model.extension() == ".pb" ? ".pb" : ".onnx";
  return model.stem().string() + ".int8" + ending;
}

void Maker::add_usual_output() {
  for (const Field& field : job_fields()) {
    if (field.name != "output" || !is_taken_by(field, line_.verb) || line_.output) continue;
    line_.output = place_.folder / "made" / usual_name();
    line_.arguments.emplace_back(field.option);
    line_.arguments.push_back(line_.output->string());
  }
}

/// A job that says nothing gets all that there are; no job gets more.
void Maker::add_cores() {
  if (line_.verb == "report" || line_.verb == "tensorboard") {
    line_.cores = 1;  // it runs no model
    return;
  }
  const auto asked = [&](std::string_view name) -> std::uint64_t {
    const auto* value = asked_.if_contains(name);
    return value != nullptr && value->is_int64() ? static_cast<std::uint64_t>(value->get_int64())
                                                 : 0;
  };
  const std::uint64_t instances = asked("instances");
  std::uint64_t cores = asked("threads");
  if (cores == 0) cores = std::max(1U, place_.budget);
  if (instances > 0) {
    std::uint64_t each = asked("cores_per_instance");
    if (each == 0) {
      each = std::max<std::uint64_t>(1, cores / instances);
      line_.arguments.push_back(fmt::format("--cores-per-instance={}", each));
    }
    cores = std::max(cores, instances * each);
  }
  if (cores > std::max(1U, place_.budget)) {
    throw Refusal(kWrongRequest,
                  fmt::format("threads: the job takes {} cores, and jobs may have {}; ask for "
                              "fewer, or start the server with a larger --job-cores",
                              cores, std::max(1U, place_.budget)));
  }
  line_.cores = static_cast<unsigned>(cores);
  if (asked("threads") == 0) line_.arguments.push_back(fmt::format("--threads={}", cores));
}

void Maker::add(const Field& field, const json::Value& value) {
  line_.request[field.name] = value;
  switch (field.kind) {
    case FieldKind::input:
    case FieldKind::model:
    case FieldKind::data: {
      const std::string path = path_of(field, value);
      line_.request[field.name] = path;
      return add_option(field, path);
    }
    case FieldKind::output:
      return add_output(field, value);
    case FieldKind::folder: {
      const fs::path path = place_.roots.output(text_of(field, value), field.name);
      line_.request[field.name] = path.string();
      return add_option(field, path.string());
    }
    case FieldKind::recipe:
      return add_recipes(field, value);
    case FieldKind::workload: {
      const std::string text = text_of(field, value);
      const bool is_option = !field.option.empty();
      const std::string id = is_option ? earlier_run(field, text) : workload_of(field, text).id;
      line_.request[field.name] = id;
      if (is_option) return add_option(field, id);
      if (id.starts_with('-')) refuse(field, "is no id that quantlens gives");  // nor an option
      line_.arguments.push_back(id);
      return;
    }
    case FieldKind::metric:
      return add_option(field, metric_of(field, value));
    case FieldKind::text: {
      const std::string text = text_of(field, value);
      if (text.size() > field.most)
        refuse(field, fmt::format("must be at most {} bytes", field.most));
      if (field.name == "name") line_.name = text;
      return add_option(field, text);
    }
    case FieldKind::word:
      if (!has_word(field.words, text_of(field, value)))
        refuse(field, fmt::format("must be one of {}", fmt::join(words_in(field.words), ", ")));
      return add_option(field, text_of(field, value));
    case FieldKind::flag:
      if (!value.is_bool()) refuse(field, "must be true or false");
      if (value.get_bool()) line_.arguments.emplace_back(field.option);
      return;
    case FieldKind::count:
      return add_option(field, std::to_string(count_of(field, value)));
    case FieldKind::counts:
      return add_option(field, counts_of(field, value));
    case FieldKind::real:
      return add_option(field, real_of(field, value));
    case FieldKind::part:
      return add_option(field, part_of(field, value));
  }
}

CommandLine Maker::made() {
  line_.verb = verb_of();
  line_.request["verb"] = line_.verb;
  line_.arguments.push_back(line_.verb);
  check_names();
  for (const Field& field : job_fields()) {
    if (!is_taken_by(field, line_.verb)) continue;
    const auto* value = asked_.if_contains(field.name);
    if (value != nullptr) add(field, *value);
  }
  add_usual_output();
  add_cores();
  line_.arguments.emplace_back("--progress=json");
  line_.arguments.push_back(fmt::format("--workspace={}", place_.roots.workspace().string()));
  return std::move(line_);
}

}  // namespace

CommandLine make_command_line(const object& asked, const JobPlace& place) {
  object given;  // null is what was not said
  for (const auto& member : asked) {
    if (!member.value().is_null()) given.emplace(member.key(), member.value());
  }
  return Maker(given, place).made();
}

}  // namespace quantlens::server
