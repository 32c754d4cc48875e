// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/fields.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include <fmt/format.h>

namespace quantlens::server {
namespace {

constexpr std::string_view kWithModel =
    "quantize diagnose tune profile benchmark evaluate calibrate";
constexpr std::string_view kWithData = "quantize diagnose tune profile evaluate calibrate";
constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMostRuns = 10'000'000;
constexpr std::uint64_t kMostWarmup = 1'000'000;
constexpr std::uint64_t kMostRounds = 10'000;
constexpr std::uint64_t kMostCores = 1024;
constexpr std::uint64_t kMostSeconds = std::uint64_t{30} * 24 * 3600;
constexpr std::uint64_t kMostTries = 100;
constexpr std::uint64_t kMostName = 200;
constexpr std::uint64_t kMostNames = 10'000;

// name, kind, option, verbs, needed by, words, least, most, meaning
constexpr Field kFields[] = {
    {"model", FieldKind::model, "", kWithModel, kWithModel, "", 0, 0,
     "path of the model; the float one of diagnose"},
    {"workload", FieldKind::workload, "", "report tensorboard", "report tensorboard", "", 0, 0,
     "id of a workload, or last"},
    {"other_workload", FieldKind::workload, "", "report", "", "", 0, 0,
     "id of another workload to show beside it, in HTML"},
    {"quantized", FieldKind::model, "", "diagnose", "diagnose", "", 0, 0,
     "path of its quantized form"},
    {"other", FieldKind::model, "", "profile benchmark", "", "", 0, 0,
     "path of another model beside it"},
    {"against", FieldKind::model, "--against", "evaluate", "", "", 0, 0,
     "path of a model to compare with"},
    {"inputs", FieldKind::text, "--inputs", kWithModel, "", "", 1, kMostNames,
     "where the network begins: names of values or nodes, with commas between"},
    {"outputs", FieldKind::text, "--outputs", kWithModel, "", "", 1, kMostNames,
     "where it ends, likewise"},
    {"data", FieldKind::data, "--data", kWithModel, "diagnose tune evaluate calibrate", "random", 0,
     0, "path of the samples or of a data document, or random"},
    {"calibration_data", FieldKind::data, "--calibration-data", "quantize tune", "", "random", 0, 0,
     "the same, of samples for calibration alone"},
    {"ranges", FieldKind::input, "--ranges", "quantize", "", "", 0, 0,
     "path of statistics or ranges"},
    {"recipe", FieldKind::recipe, "--recipe", "quantize tune calibrate", "", "", 0, 0,
     "an object, a path, the id of a workload, or a list of these"},
    {"metric", FieldKind::metric, "--metric", "quantize diagnose tune evaluate", "tune evaluate",
     "", 0, 0, "name of a metric, with options as in top1:label_offset=1"},
    {"limit", FieldKind::count, "--limit", kWithData, "", "", 1, kMost, "how many samples at most"},
    {"batch_size", FieldKind::count, "--batch-size", kWithData, "", "", 1, kMost,
     "samples at once"},
    {"batch_size", FieldKind::counts, "--batch-size", "benchmark", "", "", 1, 1U << 20U,
     "samples at once, or a list of such numbers"},
    {"seed", FieldKind::count, "--seed", kWithModel, "", "", 0, kMost,
     "of random data and searches"},
    {"strict", FieldKind::flag, "--strict", kWithData, "", "", 0, 0,
     "end at a sample that cannot be read"},
    {"isolate", FieldKind::flag, "--isolate", kWithModel, "", "", 0, 0,
     "run the models in a process of their own"},
    {"isolate_timeout", FieldKind::count, "--isolate-timeout", kWithModel, "", "", 1, kMostSeconds,
     "seconds after which that process counts as hung", "isolate"},
    {"shard", FieldKind::part, "--shard", "diagnose evaluate calibrate", "", "/", 0, 0,
     "part I of N of the samples, as 2/4"},
    {"samples", FieldKind::part, "--samples", "diagnose evaluate calibrate", "", ":", 0, 0,
     "samples FROM:TO, as 0:50"},
    {"approach", FieldKind::word, "--approach", "quantize", "", "static dynamic weight_only auto",
     0, 0, "how ranges of activations are chosen"},
    {"format", FieldKind::word, "--format", "quantize", "", "qdq qoperator", 0, 0,
     "of the quantized model"},
    {"accuracy_level", FieldKind::word, "--accuracy-level", "quantize tune", "",
     "fast default best", 0, 0, "how much is done for accuracy"},
    {"target", FieldKind::word, "--target", "quantize", "", "auto vnni avx2 avx512 arm", 0, 0,
     "the CPU"},
    {"diagnose", FieldKind::flag, "--diagnose", "quantize", "", "", 0, 0,
     "show where the models differ"},
    {"verify", FieldKind::count, "--verify", "quantize", "", "", 1, kMostTries,
     "how many findings' remedies are tried", "diagnose"},
    {"verify", FieldKind::count, "--verify", "profile", "", "", 0, kMostTries,
     "how many findings' remedies are timed, with another model"},
    {"local", FieldKind::count, "--local", "diagnose", "", "", 0, kMost,
     "samples for errors of single ops"},
    {"fail_below", FieldKind::real, "--fail-below", "diagnose report", "", "", 0, 0,
     "the goal: SQNR in dB"},
    {"max_loss", FieldKind::real, "--max-loss", "tune report", "", "", 0, 0,
     "the loss that is allowed"},
    {"absolute", FieldKind::flag, "--absolute", "tune report", "", "", 0, 0,
     "max_loss is in the metric's unit"},
    {"objective", FieldKind::word, "--objective", "tune", "", "int8 speed size accuracy", 0, 0,
     "what is preferred within the goal"},
    {"prices", FieldKind::input, "--prices", "tune", "", "measured none", 0, 0,
     "measured, none, or path of an earlier run's"},
    {"strategy", FieldKind::word, "--strategy", "tune", "",
     "auto basic conservative mse mse_v2 random exhaustive bayesian", 0, 0, "of the search"},
    {"max_trials", FieldKind::count, "--max-trials", "tune", "", "", 1, kMostRuns,
     "how many models at most"},
    {"timeout", FieldKind::count, "--timeout", "tune", "", "", 0, kMostSeconds,
     "seconds after which no trial begins"},
    {"resume", FieldKind::workload, "--resume", "tune", "", "", 0, 0,
     "id of a workload to go on with"},
    {"emit_recipe", FieldKind::output, "--emit-recipe", "tune", "", ".json .yaml .yml", 0, 0,
     "path of a file for the best recipe"},
    {"warmup", FieldKind::count, "--warmup", "profile", "", "", 0, kMostWarmup, "uncounted runs"},
    {"warmup", FieldKind::count, "--warmup", "benchmark", "", "", 0, kMostRuns, "uncounted runs"},
    {"iterations", FieldKind::count, "--iterations", "profile benchmark", "", "", 1, kMostRuns,
     "runs"},
    {"rounds", FieldKind::count, "--rounds", "benchmark", "", "", 1, kMostRounds,
     "loadings of the models"},
    {"instances", FieldKind::count, "--instances", "benchmark", "", "", 1, kMostCores,
     "processes at once"},
    {"cores_per_instance", FieldKind::count, "--cores-per-instance", "benchmark", "", "", 1,
     kMostCores, "cores of each of them"},
    {"trace", FieldKind::output, "--trace", "profile", "", ".json", 0, 0,
     "path of a file for the nodes' times"},
    {"name", FieldKind::text, "--name", kWithModel, "", "", 1, kMostName,
     "of the run in the workspace"},
    {"threads", FieldKind::count, "--threads", kWithModel, "", "", 1, kMostCores,
     "cores; else all that jobs may have"},
    {"output", FieldKind::output, "-o", "quantize tune", "", ".onnx .pb", 0, 0,
     "path of the model that is made; else it is in the job's folder"},
    {"output", FieldKind::output, "-o", "calibrate", "", ".bin", 0, 0,
     "path of the statistics; else they are in the job's folder"},
    {"output", FieldKind::output, "-o", "report", "", ".html .md .sarif .xml", 0, 0,
     "path of the report; else it is report.html in the job's folder"},
    {"logdir", FieldKind::folder, "--logdir", "tensorboard", "tensorboard", "", 0, 0,
     "path of a new folder for the event files"},
    {"tensorboard", FieldKind::folder, "--tensorboard", "quantize diagnose tune", "", "", 0, 0,
     "path of a new folder for the run as event files"},
    {"tensorboard_tags", FieldKind::word, "--tensorboard-tags",
     "quantize diagnose tune tensorboard", "", "paired together original", 0, 0,
     "what histograms are called in event files"},
};

constexpr std::size_t kDashes = 2;

/// Where the text has an option, and not one whose name goes on; npos where it has none.
std::size_t place_of(std::string_view option, std::string_view text) {
  for (std::size_t at = text.find(option); at != text.npos; at = text.find(option, at + 1)) {
    const std::string_view rest = text.substr(at + option.size());
    const bool goes_on = !rest.empty() && (rest.front() == '-' || std::isalnum(rest.front()) != 0);
    const bool is_inside = at > 0 && text[at - 1] == '-';
    if (!goes_on && !is_inside) return at;
  }
  return text.npos;
}

constexpr std::string_view kVerbs[] = {"quantize", "diagnose",  "tune",   "profile",    "benchmark",
                                       "evaluate", "calibrate", "report", "tensorboard"};

}  // namespace

std::span<const Field> job_fields() {
  return kFields;
}

std::span<const std::string_view> job_verbs() {
  return kVerbs;
}

bool is_taken_by(const Field& field, std::string_view verb) {
  return has_word(field.verbs, verb);
}

bool is_needed_by(const Field& field, std::string_view verb) {
  return has_word(field.needed_by, verb);
}

std::string in_words_of_fields(std::string_view sentence, std::string_view verb) {
  std::string_view about;
  std::size_t first = std::string_view::npos;
  for (const Field& field : kFields) {
    if (field.option.size() <= 2 || !is_taken_by(field, verb)) continue;
    const std::size_t at = place_of(field.option, sentence);
    if (at >= first) continue;
    first = at;
    about = field.name;
  }
  if (about.empty()) return std::string(sentence);
  // "--limit: '0' is ..." has the field in another form already.
  const std::size_t said = about.size() + kDashes;
  const bool is_said = first == 0 && sentence.substr(said).starts_with(": ");
  return fmt::format("{}: {}", about, is_said ? sentence.substr(said + 2) : sentence);
}

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

bool has_word(std::string_view text, std::string_view word) {
  const auto words = words_in(text);
  return std::ranges::find(words, word) != words.end();
}

}  // namespace quantlens::server
