// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "quantlens/flow/session.h"
#include "quantlens/graph/indexed.h"

namespace quantlens::flow {

/// Multiplications with their additions that each op of a float model does for a sample, by op id:
/// of convolutions, matrix products and recurrent cells whose float32 shapes a run of the first
/// batch shows. Others are left out, those in
/// bodies of If and Loop too; all of them, with a note, where that cannot be run.
std::map<std::string, std::uint64_t> multiply_adds(const Indexed& model, const FittedData& data,
                                                   const Session& session);

}  // namespace quantlens::flow
