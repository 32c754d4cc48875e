// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quantlens/record/accuracy.h"
#include "quantlens/record/diagnosis.h"
#include "quantlens/record/study.h"
#include "quantlens/report/tensorboard/event_file.h"
#include "quantlens/report/tensorboard/event_names.h"

namespace quantlens {

/// Tags of the scalars that a run as a whole has.
inline constexpr std::string_view kAccuracyTag = "accuracy";
inline constexpr std::string_view kLossTag = "loss";
inline constexpr std::string_view kInt8ShareTag = "int8_share";

/// "by_op/sqnr_db", "by_op/local_sqnr_db", "by_op/output_share": a figure an op, its step the op's
/// place in the network, counted from 0; of several rows of an op that with the lowest SQNR. And
/// the text "by_op/steps": which step is which op, worst first, no more than people read.
void add_by_op(EventFile& file, const Diagnosis& diagnosis, const GraphOutline& reference,
               const EventNames& names);

/// Accuracy, loss, share of multiplications in int8, bytes and predicted time, as far as known.
void add_trial(EventFile& file, const Study& study, const Trial& trial);

/// "_acc_0.776", as Python prints the number; empty without an accuracy.
std::string accuracy_suffix(const std::optional<Accuracy>& accuracy);

}  // namespace quantlens
