// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/calibrate.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/calib/calibrate.h"
#include "quantlens/flow/steps/models/destination.h"
#include "quantlens/flow/steps/models/drawn.h"
#include "quantlens/flow/steps/models/edit_float.h"
#include "quantlens/quantizer/plan/correct_bias.h"
#include "quantlens/quantizer/plan/make_plan.h"
#include "quantlens/quantizer/recipe/accuracy_level.h"
#include "quantlens/quantizer/recipe/recipe_rules.h"

namespace quantlens::flow {
namespace {

RangeChoice choice_of(const TensorRecipe& activation, const Recipe& recipe) {
  RangeChoice choice;
  choice.algorithm = activation.algorithm.value_or(usual_range_algorithm(recipe));
  if (activation.percentile) choice.percentile = *activation.percentile;
  return choice;
}

/// A range of codes says nothing of an input that never varied.
void note_inputs_without_range(const Model& model, const TapState& state, Progress& progress) {
  for (const ValueInfo& input : model.graph.inputs) {
    const auto stats = std::ranges::find(state.values, input.name, &ValueStats::value);
    if (stats == state.values.end() || stats->moments.min() != stats->moments.max()) continue;
    progress.note(fmt::format(
        "input '{}' is {} in all samples that calibration saw: its codes fit no other data; "
        "calibrate on samples like those that the model will see, or leave what reads it in float",
        printable(input.name), stats->moments.min()));
  }
}

}  // namespace

void ask_for_histograms(const std::vector<std::string>& values, std::vector<Tap>& taps) {
  for (Tap& tap : taps) {
    if (std::ranges::binary_search(values, tap.value)) tap.histogram = true;
  }
}

Samples first_samples(const Recipe& recipe, const FittedData& data) {
  return samples_of({}, data, recipe.calibration_sampling_size);
}

std::vector<Tap> calibration_taps(const Draft& draft, const std::vector<std::string>& values,
                                  bool for_any_remedy) {
  const RangeOptions choices = range_options(draft);
  std::map<std::string, Tap> taps;
  for (const std::string& value : values) {
    const auto own = choices.of_value.find(value);
    const RangeChoice& choice = own == choices.of_value.end() ? choices.usual : own->second;
    taps[value] = {.value = value, .histogram = needs_histograms(choice.algorithm)};
  }
  if (for_any_remedy || wants_bias_correction(draft.recipe())) {
    for (const ValueChannels& one :
         channels_for_bias(draft.analyzed(), {values.begin(), values.end()})) {
      taps.try_emplace(one.value, Tap{.value = one.value, .histogram = false})
          .first->second.channel_axis = one.axis;
    }
  }
  std::vector<Tap> list;
  list.reserve(taps.size());
  for (auto& [value, tap] : taps) list.push_back(std::move(tap));
  return list;
}

RangeOptions range_options(const Draft& draft) {
  const Recipe& recipe = draft.recipe();
  RangeOptions options{.values = {},
                       .usual = choice_of(recipe.activation, recipe),
                       .of_value = {},
                       .scheme = activation_scheme(recipe),
                       .kernels = draft.analyzed().prepared.able->rules()};
  for (const auto& [value, activation] : draft.activation_recipes()) {
    const RangeChoice choice = choice_of(activation, recipe);
    options.values.insert(value);
    if (choice != options.usual) options.of_value[value] = choice;
  }
  return options;
}

Ranges ranges_for(const TapState& statistics, const Draft& draft) {
  RangeOptions options = range_options(draft);
  Ranges ranges = choose_ranges(statistics, options);
  for (const auto& [value, scheme] : draft.wide_values()) {
    options.values = {value};
    options.scheme = scheme;
    for (ValueRange& range : choose_ranges(statistics, options).values) {
      ranges.wide.push_back(std::move(range));
    }
  }
  return ranges;
}

TapState gather(const Model& model, const std::vector<Tap>& taps, const FittedData& data,
                const Samples& samples, const Session& session) {
  BatchReader reader = make_reader(data, session, samples.count, samples.first);
  TapState state =
      quantlens::calibrate(model, taps, reader, run_options(session), session.progress);
  report_skipped(reader, session.progress);
  note_inputs_without_range(model, state, session.progress);
  return state;
}

void check_options(const CalibrateOptions&, const std::optional<Recipe>& recipe) {
  if (!recipe) return;
  check_recipe(*recipe);
  refuse_edit(*recipe, "quantlens calibrate");
}

CalibrateResult calibrate(const CalibrateOptions& options, const Session& session) {
  check_options(options, options.recipe);
  const Model model = formats(session).read(options.model);
  FittedData data = fit_data(options.data, model, session);
  check_destination({.path = options.output, .is_model = false},
                    {.model = &model, .files = options.recipe_files, .data = {&data}});
  const Samples samples = samples_of(options.part, data, options.recipe.calibration_sampling_size);
  if (!std::holds_alternative<std::monostate>(options.part)) data.part = samples;
  const auto workload = begin_workload(session, "calibrate", {{ModelRole::reference, &model}});
  describe_data(*workload, &data);
  CalibrateResult result;
  result.folder = workload->folder();
  result.output = options.output;
  run_recorded(session, *workload, [&](const Session& recorded) {
    workload->put(options.recipe);
    const IndexedModel newer = made_ready(model, recorded);
    put_if_other(newer.model(), model, *workload);
    const Analyzed analyzed(newer.indexed());
    const Draft draft(analyzed, options.recipe);
    const std::vector<std::string> values = draft.values_to_calibrate();
    if (values.empty()) {
      throw Error(Errc::failed, fmt::format("{}: no value needs a range: no op would be quantized "
                                            "(quantlens inspect tells why)",
                                            printable(options.model.string())));
    }
    std::vector<Tap> taps = calibration_taps(draft, values);
    ask_for_histograms(values, taps);
    TapState statistics =
        gather(newer.model(), taps, data, {.first = 0, .count = samples.count}, recorded);
    statistics.model = reference_hash(*workload);
    result.statistics = summary_of(statistics, options.output);
    const std::string bytes = to_file(statistics);
    workload->put_bytes<TapState>(bytes);
    write_atomic(recorded.store, options.output, bytes);
  });
  result.run = workload->workload();
  return result;
}

}  // namespace quantlens::flow
