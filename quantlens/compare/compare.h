// compare: what is different in the second of two stored runs. Takes records and gives a record; it
// reads no files, runs nothing and makes no sentences. Start here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/record/comparison.h"
#include "quantlens/record/run_to_compare.h"

namespace quantlens {

/// Sets B against A; docs/compare.md says how. Throws nothing of its own, only what `find_sqnr`
/// throws: what cannot be set against each other is a caveat of the record.
Comparison compare(const RunToCompare& a, const RunToCompare& b);

}  // namespace quantlens
