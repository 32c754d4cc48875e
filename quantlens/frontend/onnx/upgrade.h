// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "quantlens/graph/model.h"

namespace quantlens::onnx {

inline constexpr std::int64_t kUpgradedOpset = 13;  ///< the first with a scale for each channel

/// The model in the operators of opset 13, or as it is where it has these or newer ones already, or
/// where one of its nodes has no equal there: then `problem` says which and why.
struct Upgraded {
  Model model;
  bool changed = false;
  std::string problem;
};

/// Ops keep their names and the names of what they make. Opsets from 6 on are known. REQUIRES:
/// `model` came from `read`.
Upgraded upgrade(Model model);

}  // namespace quantlens::onnx
