// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "quantlens/dataset/dataset.h"

namespace quantlens {

/// The caller's own samples as a model takes them, by the rules for files (fit.h): an input of the
/// model is found by its name, or is the only one that a sample has; what a sample holds beyond the
/// model's inputs is left out; shapes may begin with an extent of 1 that stands for the batch;
/// numbers are converted where none of them changes. An integer label, also one of shape [1],
/// becomes a scalar int64. `inputs` may be empty: then samples stay what they are.
///
/// `name` is what sentences call the data. The first sample is read at once: throws
/// Errc::bad_input, naming both sides, where it does not fit; later ones throw that when they are
/// read.
std::unique_ptr<Dataset> fit_samples(std::shared_ptr<const Dataset> samples, std::string name,
                                     std::vector<InputSpec> inputs);

}  // namespace quantlens
