// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <boost/json/object.hpp>

#include "cli/command.h"
#include "quantlens/record/accuracy.h"
#include "quantlens/record/diagnosis.h"

namespace quantlens::cli {

/// Both tables of a diagnosis, then what could not be paired.
void print_diagnosis(const Diagnosis& diagnosis, const TableOptions& options);

/// As every verb prints an accuracy: {metric, value, interval, samples}.
boost::json::object accuracy_object(const Accuracy& accuracy);

/// Prints one JSON object on standard output.
void print_object(const boost::json::object& object);

/// A path inside quotes where a shell would need them.
std::string shell_word(const std::string& word);

}  // namespace quantlens::cli
