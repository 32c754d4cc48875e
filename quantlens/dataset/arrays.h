// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/dataset/dataset.h"

namespace quantlens {

/// Which array is which input, and which is the label; whatever is absent is found by name.
struct ArrayRoles {
  std::map<std::string, std::string> inputs;  ///< graph input -> array
  std::optional<std::string> label;
};

/// Samples along the first axis of arrays of equal length. Rows are views into the arrays where the
/// element type is the model's, converted as they are read where it is not (fit.h has the rules).
/// An integer label, also one of shape [n,1], becomes a scalar int64; others stay what they are.
/// `inputs` may be empty: then every array but the label is an input of its own name.
/// Throws Errc::bad_input naming `where`, the array and the model's input that do not agree.
std::unique_ptr<Dataset> make_array_dataset(const TensorMap& arrays, const ArrayRoles& roles,
                                            const std::vector<InputSpec>& inputs,
                                            std::string_view where);

/// The roles of arrays of these names: as written in `roles`; else arrays named like the model's
/// inputs, a single other array for a single input, and `label`, `labels` or `y` for the label.
/// Throws Errc::bad_input where an input gets no array, and where `roles` names an array or an
/// input that is not there, with the nearest name.
ArrayRoles find_roles(const std::vector<std::string>& arrays, const ArrayRoles& roles,
                      const std::vector<InputSpec>& inputs, std::string_view where);

}  // namespace quantlens
