// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "quantlens/record/study.h"
#include "quantlens/report/tensorboard/event_summary.h"

namespace quantlens {

/// A recipe's options by their path ("activation.algorithm"). What names ops is one text, cut where
/// it is long, beside how many entries it has ("op_name_dict.count"). Absent options are "not
/// said".
HyperParameters hyper_parameters(const Recipe& recipe);

/// Of all trials: those that are not the same in each. `trials`: as hyper_parameters has them.
std::map<std::string, std::vector<HyperParameter>> differing(
    const std::vector<HyperParameters>& trials);

}  // namespace quantlens
