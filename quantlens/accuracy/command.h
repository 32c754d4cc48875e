// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/accuracy/metric.h"
#include "quantlens/base/progress.h"
#include "quantlens/base/store.h"
#include "quantlens/record/accuracy.h"

namespace quantlens {

/// The figure of a program that is given the model's path as its last argument and prints a number
/// as the last line of its standard output; it has no interval. Throws Errc::failed, saying why and
/// what the program said last, where there is no such number (in time); Errc::interrupted where
/// progress asks to stop. The program does not outlive the call.
/// REQUIRES: !needs_data(spec).
Accuracy command_accuracy(const MetricSpec& spec, const fs::path& model, const Progress& progress);

}  // namespace quantlens
