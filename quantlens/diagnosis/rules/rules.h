// rules: why error begins where it does, and what to change; one file a cause. A rule decides from
// figures and graphs alone, in the terms of docs/rules.md, which lists all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "quantlens/diagnosis/rules/evidence.h"
#include "quantlens/record/diagnosis.h"

namespace quantlens {

/// Why error begins at a value.
struct Cause {
  Statements reasons;          ///< without an end
  std::vector<OpRef> ops;      ///< what the remedy is about
  boost::json::object remedy;  ///< a fragment of a recipe; empty where no recipe mends it
  /// Causes with the same words here are one: what they have in common, e.g. the op that they feed.
  std::string shared;
  /// The ops that are computed in float to measure the share, where those are not `ops`: what codes
  /// do is gone only where nobody reads codes.
  std::vector<OpRef> measured;
  /// How much of what those ops in float take away the remedy does, at least: finer steps leave
  /// some of the rounding.
  double least_mended = 1;
  /// What a mistake at another value makes here: no mistake of its own.
  bool is_effect = false;
};

/// Looks at a value at which error begins; nothing where the rule's cause is not at work.
using ValueRule = std::optional<Cause> (*)(const Evidence& evidence, const ActivationRow& row);

// In the order in which they are asked; the first that answers is the cause.
std::optional<Cause> huge_mask(const Evidence& evidence, const ActivationRow& row);
std::optional<Cause> clipped_range(const Evidence& evidence, const ActivationRow& row);
std::optional<Cause> lost_bias(const Evidence& evidence, const ActivationRow& row);
std::optional<Cause> weight_scales(const Evidence& evidence, const ActivationRow& row);
std::optional<Cause> spread_weight(const Evidence& evidence, const ActivationRow& row);
std::optional<Cause> saturation(const Evidence& evidence, const ActivationRow& row);
std::optional<Cause> wasted_range(const Evidence& evidence, const ActivationRow& row);
std::optional<Cause> unfolded_scale(const Evidence& evidence, const ActivationRow& row);
std::optional<Cause> steep_reader(const Evidence& evidence, const ActivationRow& row);
std::optional<Cause> outlier_channel(const Evidence& evidence, const ActivationRow& row);
std::optional<Cause> outlier_activation(const Evidence& evidence, const ActivationRow& row);
std::optional<Cause> unexplained(const Evidence& evidence, const ActivationRow& row);
std::optional<Cause> rounding(const Evidence& evidence,
                              const ActivationRow& row);  // always answers

/// Looks at the whole: findings that no single value's error leads to.
using ModelRule = std::vector<Finding> (*)(const Evidence& evidence);

std::vector<Finding> changed(const Evidence& evidence);
std::vector<Finding> nonfinite(const Evidence& evidence);
std::vector<Finding> unlike_data(const Evidence& evidence);
std::vector<Finding> accumulation(const Evidence& evidence);
std::vector<Finding> float_islands(const Evidence& evidence);
std::vector<Finding> dead_channels(const Evidence& evidence);

/// Codes with another zero point than the file's other codes of their kind have, where that loses
/// something. Makers leave nothing to chance here: codes of what is never negative begin at 0, and
/// codes of a symmetric scheme are centred on it. Which of them a file's maker does is read off the
/// values whose own range does not lead to that zero point anyway: nine in ten must agree, two at
/// least (eight where values may be negative). Told is what is off by more than two codes and cuts
/// off steps of the measured range of which the usual zero point gives back at least half, unless
/// the codes are shared with a value of the other kind. Of codes with a scale for each channel only
/// those of what is never negative are judged, by whether any is clipped. What was not compared is
/// not.
std::vector<Change> shifted_codes(const Evidence& evidence);

/// How grave it is to lose as much of the outputs as was lost: what findings have that do not say
/// otherwise.
Severity usual_severity(const Evidence& evidence);

/// Whether a finding is of what the two files do otherwise (`changed`): it leads its severity.
bool is_changed(const Finding& finding);

// Remedies
/// {"op_name_dict": {name: "fp32", ..}}, names as patterns that match them alone.
boost::json::object in_float(const std::vector<OpRef>& ops);
/// {"op_name_dict": {name: options, ..}}
boost::json::object for_ops(const std::vector<OpRef>& ops, const boost::json::object& options);

/// The row's range by minimum and maximum; empty for an input of the model, which no recipe names.
boost::json::object with_minmax(const Evidence& evidence, const ActivationRow& row);

/// Share of the error that begins at the row: 0..1 of all that is not its inputs'.
double part(const std::optional<double>& of, const ActivationRow& row);

}  // namespace quantlens
