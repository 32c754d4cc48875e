// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/remedies/remedy_bench.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/diagnosis/verdict/find.h"
#include "quantlens/flow/calibrate.h"
#include "quantlens/flow/steps/models/build_model.h"
#include "quantlens/flow/steps/models/edit_float.h"
#include "quantlens/flow/steps/models/given_ranges.h"
#include "quantlens/flow/steps/models/gone_ops.h"
#include "quantlens/flow/steps/models/scratch_folder.h"
#include "quantlens/flow/steps/passes/first_batches.h"
#include "quantlens/graph/compare_nodes.h"
#include "quantlens/quantizer/analyze/analyzed.h"
#include "quantlens/quantizer/plan/make_plan.h"
#include "quantlens/quantizer/recipe/recipe_fragment.h"
#include "quantlens/quantizer/recipe/stored_recipe.h"

namespace quantlens::flow {
namespace {

constexpr double kMostSeconds = 60;

/// What making a model says was said when the user made it.
class WithoutNotes final : public Progress {
 public:
  explicit WithoutNotes(Progress& progress) : progress_(progress) {}
  void begin(std::string_view step, std::optional<std::uint64_t> total) override {
    progress_.begin(step, total);
  }
  void advance(std::uint64_t units) override { progress_.advance(units); }
  void end() override { progress_.end(); }
  void note(std::string_view) override {}
  bool stop_requested() const override { return progress_.stop_requested(); }

 private:
  Progress& progress_;
};

/// Whether they compute the same ops from the same values; constants may be others.
bool is_alike(const Graph& one, const Graph& other) {
  return std::ranges::equal(one.nodes, other.nodes, [](const Node& a, const Node& b) {
    return have_same_type(a, b) && a.inputs == b.inputs && a.outputs == b.outputs;
  });
}

}  // namespace

/// Makes the quantized model anew, with remedies.
class RemedyBench::Maker {
 public:
  Maker(const ProfiledModels& models, Recipe recipe, const Session& session, fs::path folder)
      : recipe_(std::move(recipe)),
        quiet_(session.progress),
        session_(with_progress(session, quiet_)),
        scratch_(session.store, std::move(folder)),
        ready_(made_ready(models.reference, session_)),
        analyzed_(ready_.indexed()) {
    analyzed_.prepared.gone = gone_ops(models.reference, ready_.model());
    const Draft draft(analyzed_, recipe_);
    const std::vector<std::string> values = draft.values_to_calibrate();
    if (!values.empty()) {
      std::uint64_t samples = 0;
      for (const Batch& batch : models.batches) samples += batch.samples.size();
      statistics_ = gather(ready_.model(), calibration_taps(draft, values), models.data,
                           {.first = 0, .count = samples}, session_);
    }
  }

  bool makes_again(const Model& quantized) {
    return is_alike(made(recipe_).graph, quantized.graph);
  }

  Model with(const json::Value& remedy) {
    return made(with_document(recipe_, remedy, "a finding's remedy"));
  }

 private:
  Model made(const Recipe& recipe) {
    const Draft draft(analyzed_, recipe);
    GivenRanges given{.statistics = statistics_, .ranges = {}};
    if (statistics_) given.ranges = ranges_for(*statistics_, draft);
    Plan plan = plan_for(draft, given, nullptr).plan;
    const fs::path path = scratch_.path() / ready_.model().path.filename();
    write_as_planned({.analyzed = analyzed_}, plan, recipe, session_, path);
    return formats(session_).read(path);
  }

  Recipe recipe_;
  WithoutNotes quiet_;
  Session session_;
  ScratchFolder scratch_;
  IndexedModel ready_;
  Analyzed analyzed_;
  std::optional<TapState> statistics_;
};

RemedyBench::RemedyBench(const ProfiledModels& models, const ProfileOptions& options,
                         const Session& session, fs::path folder)
    : models_(models), options_(options), session_(session), folder_(std::move(folder)) {
  options_.machine = false;
  options_.scaling = false;
}

RemedyBench::~RemedyBench() = default;

std::optional<Statement> RemedyBench::make_ready() {
  const Model& quantized = models_.quantized;
  std::optional<Recipe> recipe = stored_recipe(quantized);
  if (!recipe) return Statement{"speed.not_tried.no_recipe", {}};
  if (quantized.metadata.contains(kFloatModelKey)) {
    return Statement{"speed.not_tried.edited_float_model", {}};
  }
  try {
    auto maker = std::make_unique<Maker>(models_, *std::move(recipe), session_, folder_);
    if (!maker->makes_again(quantized)) return Statement{"speed.not_tried.another_file", {}};
    maker_ = std::move(maker);
    return std::nullopt;
  } catch (const Error& error) {
    if (error.code() == Errc::interrupted) throw;
    return said_in_words(error.what());
  }
}

std::variant<RemedyTimes, NotTimed> RemedyBench::time(const json::Value& remedy) {
  if (refusal_) return NotTimed{*refusal_};
  if (seconds_ > kMostSeconds) return NotTimed{{"speed.not_tried.no_time", {}}};
  const auto start = std::chrono::steady_clock::now();
  if (!maker_) refusal_ = make_ready();
  if (refusal_) return NotTimed{*refusal_};
  const Model mixed = maker_->with(remedy);
  options_.step = fmt::format("remedy {}", ++tried_);
  const std::vector<Batch> named(models_.batches.begin(), models_.batches.end());
  const std::vector<Batch> before = renamed(named, models_.reference, models_.quantized);
  const std::vector<Batch> after = renamed(named, models_.reference, mixed);
  const std::vector<ToProfile> both{{models_.quantized, before}, {mixed, after}};
  const Profiled seen = profile(both, options_, session_.progress);
  const auto joined = [&](std::size_t i) {
    const Model& model = both[i].model;
    return join(models_.profile, {model.graph, seen.graphs[i], seen.types[i], seen.profiles[i]},
                pair(models_.reference, model));
  };
  RemedyTimes times{.ratio = *seen.ratio, .before = joined(0), .after = joined(1)};
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return times;
}

}  // namespace quantlens::flow
