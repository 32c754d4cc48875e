// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <boost/json/object.hpp>

#include "quantlens/record/diagnosis.h"

namespace quantlens {

/// What the statements say, in plain words, one behind the other; of a finding without an end. A
/// statement that has no sentence here is shown by its word and figures, and a figure that is
/// missing as "?" or "nan".
std::string text_of(std::span<const Statement> statements);

/// A diagnosis as programs get it from a verb: the fields of its record, with sentences beside
/// the statements, `because` of each finding and `verdict`.
boost::json::object diagnosis_json(const Diagnosis& diagnosis);

}  // namespace quantlens
