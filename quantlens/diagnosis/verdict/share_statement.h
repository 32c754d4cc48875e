// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quantlens/diagnosis/rules/evidence.h"

namespace quantlens {

/// Whether a finding's share is nothing: no remedy is worth a try for it.
bool takes_nothing(const Finding& finding);

/// Whose share it is, in the figures of `statement`: `op`; where others are in float with it,
/// either `readers`, how many ops read its result, or `ops`, how many there are together, and
/// `types`, how many of each.
void add_place(const Evidence& evidence, const Finding& finding, Statement& statement);

/// "share.begins", and with `may_be_none`, or where it is nothing, "share.in_float": how much of
/// the error that is, and where, before the finding's reasons. REQUIRES: it has a share.
Statement share_statement(const Evidence& evidence, const Finding& finding, bool may_be_none);

/// The share alone, as one of the figures `measured` and `estimated`. REQUIRES: it has one.
void add_share(const Finding& finding, Statement& statement);

}  // namespace quantlens
