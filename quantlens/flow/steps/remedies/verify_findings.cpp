// SPDX-License-Identifier: Apache-2.0
#include "quantlens/flow/steps/remedies/verify_findings.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/diagnosis/error/output_gain.h"
#include "quantlens/diagnosis/verdict/trial_statement.h"
#include "quantlens/flow/steps/models/scratch_folder.h"
#include "quantlens/flow/steps/passes/output_errors.h"
#include "quantlens/quantizer/recipe/accuracy_level.h"
#include "quantlens/quantizer/recipe/recipe_fragment.h"

namespace quantlens::flow {
namespace {

/// Whether biases can be corrected by these.
bool hold_channels(const std::optional<TapState>& statistics) {
  return statistics && std::ranges::any_of(statistics->values, [](const ValueStats& stats) {
           return stats.channel_axis >= 0;
         });
}

class Verification {
 public:
  Verification(const Origin& origin, const Session& session, WorkloadWriter& workload)
      : origin_(origin),
        session_(session),
        recipe_(origin.recipe),
        scratch_(session.store, workload.folder() / "remedy") {}

  /// Of a quantized model, over all samples.
  TapState errors_of(const Model& quantized, const std::string& step) const {
    const Samples all{.first = 0, .count = origin_.data.opened.dataset->size()};
    return output_errors({origin_.from.analyzed.model, quantized}, origin_.data, all, session_,
                         step);
  }

  /// With one more remedy.
  TapState errors_with(const json::Value& remedy, const std::string& step) {
    const Recipe recipe = with_document(recipe_, remedy, "a finding's remedy");
    if (edits_float(recipe) && !edits_float(origin_.recipe)) {
      throw Error(Errc::unsupported, "it edits the float model; quantize with it, or let tune try");
    }
    if (wants_bias_correction(recipe) && !wants_bias_correction(origin_.recipe) &&
        !hold_channels(origin_.given.statistics)) {
      throw Error(Errc::unsupported,
                  "what --ranges gives holds no means of channels, by which biases are corrected; "
                  "calibrate in the same run");
    }
    GivenRanges given = origin_.given;
    const Draft draft(origin_.from.analyzed, recipe);
    if (given.statistics) given.ranges = ranges_for(*given.statistics, draft);
    Plan plan = plan_for(draft, given, origin_.from.edited).plan;
    const fs::path path = scratch_.path() / origin_.from.analyzed.model.path.filename();
    write_as_planned(origin_.from, plan, recipe, session_, path);
    TapState errors = errors_of(formats(session_).read(path), step);
    recipe_ = recipe;
    return errors;
  }

 private:
  const Origin& origin_;
  const Session& session_;
  Recipe recipe_;  ///< with the remedies that were tried
  ScratchFolder scratch_;
};

}  // namespace

void verify_findings(const Origin& origin, std::uint64_t count, const Session& session,
                     WorkloadWriter& workload, Diagnosis& diagnosis) {
  Verification verification(origin, session, workload);
  std::optional<TapState> before;
  std::uint64_t tried = 0;
  for (Finding& finding : diagnosis.findings) {
    if (tried == count) break;
    if (finding.remedy.is_null() || !finding.output_share) continue;
    ++tried;
    try {
      if (!before) before = verification.errors_of(origin.quantized, "remedy 0");
      const TapState after =
          verification.errors_with(finding.remedy, fmt::format("remedy {}", tried));
      const Gain gain = output_gain(*before, after);
      finding.measured_gain = gain.share;
      finding.measured_gain_interval = gain.interval;
    } catch (const Error& error) {
      if (error.code() == Errc::interrupted) throw;
      session.progress.note(fmt::format("the remedy at {} is not tried: {}",
                                        printable(finding.op.name), error.what()));
    }
  }
  if (tried < count) {
    session.progress.note(fmt::format(
        "--verify {}: {} of {} tried, since no other one has a share of the error and a recipe "
        "that mends it",
        count, tried == 0 ? "none" : std::to_string(tried),
        counted(diagnosis.findings.size(), "finding")));
  }
  std::ranges::move(trial_statements(diagnosis), std::back_inserter(diagnosis.conclusions));
  workload.put(diagnosis);
}

}  // namespace quantlens::flow
