// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/quantize.h"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "quantlens/base/cpu.h"
#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/base/text.h"
#include "quantlens/calib/calibrate.h"
#include "quantlens/calib/choose_ranges.h"
#include "quantlens/flow/measure.h"
#include "quantlens/flow/version.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/quantizer/accuracy_level.h"
#include "quantlens/quantizer/correct_bias.h"
#include "quantlens/quantizer/make_plan.h"
#include "quantlens/runtime/open.h"
#include "quantlens/runtime/oracle/constants.h"

namespace quantlens::flow {
namespace {

fs::path output_path(const QuantizeOptions& options) {
  if (!options.output.empty()) return options.output;
  fs::path path = options.model;
  return path.replace_extension(".int8" + options.model.extension().string());
}

void refuse(const fs::path& output, std::string_view problem) {
  throw Error(Errc::io, fmt::format("{}: {}", printable(output.string()), problem));
}

// Calibration may take hours: what would stop the writing is said before.
void check_output(const fs::path& output, const QuantizeOptions& options, const Model& model) {
  frontend::check_destination(model, output);
  std::error_code ignored;
  for (const fs::path& source :
       {fs::path(options.data.data), fs::path(options.calibration_data.value_or("")),
        options.recipe_file}) {
    if (!fs::equivalent(output, source, ignored)) continue;
    throw Error(Errc::usage,
                fmt::format("{}: the output would overwrite what is read; choose another name "
                            "with -o",
                            printable(output.string())));
  }
  const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored)) {
    refuse(folder, "there is no such folder to write to; make it or choose another with -o");
  }
  if (fs::is_directory(output, ignored)) refuse(output, "is a folder; name a file with -o");
  if (fs::exists(output, ignored) && !fs::is_regular_file(output, ignored)) {
    refuse(output, "cannot write: it is no regular file; choose another name with -o");
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    refuse(folder, fmt::format("cannot write there: {}; choose another folder with -o",
                               std::generic_category().message(errno)));
  }
}

TapState calibration_statistics(const QuantizeOptions& options, const Model& model,
                                const FittedData& data, const std::vector<Tap>& taps,
                                const Session& session) {
  std::optional<FittedData> apart;
  if (options.calibration_data) {
    apart = fit_data({.data = *options.calibration_data, .options = {}}, model, session.progress);
  }
  const FittedData& source = apart ? *apart : data;
  const std::uint64_t count =
      std::min(options.recipe.calibration_sampling_size, source.opened.dataset->size());
  BatchReader reader = make_reader(source, session, count);
  TapState state = calibrate(model, taps, reader, run_options(session), session.progress);
  report_skipped(reader, session.progress);
  return state;
}

/// What the recipe's algorithms want to know of the values whose ranges it asks for.
std::vector<Tap> calibration_taps(const Model& model, const Prepared& prepared,
                                  const std::vector<std::string>& values, const Recipe& recipe) {
  std::map<std::string, Tap> taps;
  const bool histogram = needs_histograms(range_algorithm(recipe));
  for (const std::string& value : values) taps[value] = {.value = value, .histogram = histogram};
  if (wants_bias_correction(recipe)) {
    for (const ValueChannels& one :
         channels_for_bias(model, prepared, {values.begin(), values.end()})) {
      taps.try_emplace(one.value, Tap{.value = one.value, .histogram = false})
          .first->second.channel_axis = one.axis;
    }
  }
  std::vector<Tap> list;
  for (auto& [value, tap] : taps) list.push_back(std::move(tap));
  return list;
}

std::map<std::string, std::string> metadata_of(const Recipe& recipe, const Plan& plan) {
  return {{"quantlens.version", kVersion},
          {"quantlens.format", plan.quant_format},
          {"quantlens.recipe", boost::json::serialize(json::encode(recipe))}};
}

class Job {
 public:
  Job(const QuantizeOptions& options, const Session& session, const Model& model,
      const FittedData& data)
      : options_(options), session_(session), model_(model), data_(data) {}

  void run(WorkloadWriter& workload, QuantizeResult& result) {
    workload.write("recipe.json", json::dump(json::encode(options_.recipe)));
    const Prepared prepared = prepare(model_.graph, oracle::constant_values(model_));
    const TapState statistics = calibrated(prepared, workload);
    const Ranges ranges = chosen(statistics, workload);
    PlanResult planned =
        make_plan(model_, prepared, ranges, options_.recipe, {.vnni = cpu_has_vnni()});
    if (wants_bias_correction(options_.recipe)) {
      correct_biases(model_, prepared, statistics, planned.plan);
    }
    for (const std::string& note : planned.notes) session_.progress.note(note);
    result.notes = std::move(planned.notes);
    result.plan = std::move(planned.plan);
    workload.write("plan.json", json::dump(json::encode(result.plan)));
    count_ops(result);
    for (std::string& note :
         frontend::apply(model_, result.plan, metadata_of(options_.recipe, result.plan),
                         session_.store, result.output)) {
      session_.progress.note(note);
      result.notes.push_back(std::move(note));
    }
    const Model quantized = frontend::read(result.output);
    workload.add_model(model_file("quantized", quantized));
    if (options_.diagnose || options_.metric) measure_both(quantized, workload, result);
  }

 private:
  TapState calibrated(const Prepared& prepared, WorkloadWriter& workload) {
    const std::vector<std::string> values = values_to_calibrate(model_, prepared, options_.recipe);
    if (values.empty()) {
      open(model_, nullptr, {}, run_options(session_));  // throws where the runtime refuses it
      return {};
    }
    const TapState statistics = calibration_statistics(
        options_, model_, data_, calibration_taps(model_, prepared, values, options_.recipe),
        session_);
    workload.write("statistics.bin", to_bytes(statistics));
    return statistics;
  }

  Ranges chosen(const TapState& statistics, WorkloadWriter& workload) const {
    if (statistics.values.empty()) return {};
    Ranges ranges = choose_ranges(statistics, {.algorithm = range_algorithm(options_.recipe),
                                               .scheme = activation_scheme(options_.recipe)});
    workload.write("ranges.json", json::dump(json::encode(ranges)));
    return ranges;
  }

  void count_ops(QuantizeResult& result) const {
    for (const OpPlan& op : result.plan.ops)
      ++(op.quantized ? result.ops_quantized : result.ops_float);
    if (result.ops_quantized == 0) {
      session_.progress.note(
          "no op could be quantized: the output computes in float throughout; "
          "the plan says why (quantlens inspect MODEL)");
    }
  }

  void measure_both(const Model& quantized, WorkloadWriter& workload, QuantizeResult& result) {
    if (options_.metric && !options_.calibration_data) {
      session_.progress.note(fmt::format(
          "the accuracy below includes the {} samples that calibration saw (--calibration-data "
          "keeps them apart)",
          std::min(options_.recipe.calibration_sampling_size, data_.opened.dataset->size())));
    }
    Measured measured =
        measure({model_, quantized}, data_,
                {.diagnose = options_.diagnose, .metric = options_.metric}, session_, workload);
    result.accuracy = std::move(measured.accuracy);
    result.diagnosis = std::move(measured.diagnosis);
  }

  const QuantizeOptions& options_;
  const Session& session_;
  const Model& model_;
  const FittedData& data_;
};

}  // namespace

QuantizeResult quantize(const QuantizeOptions& options, const Session& session) {
  QuantizeResult result;
  result.output = output_path(options);
  Model model = frontend::read(options.model);
  check_output(result.output, options, model);
  const FittedData data = fit_data(options.data, model, session.progress);
  if (options.metric) check_metric(*options.metric, model, data, options.data);
  const auto workload = begin_workload(session, "quantize", {{"reference", &model}});
  result.workload = workload->workload().id;
  result.folder = workload->folder();
  run_recorded(session, *workload, [&](const Session& recorded) {
    const Model newer = upgraded(std::move(model), recorded.progress);
    Job(options, recorded, newer, data).run(*workload, result);
  });
  return result;
}

}  // namespace quantlens::flow
