// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "quantlens/graph/model.h"

namespace quantlens::onnx {

inline constexpr std::int64_t kUpgradedOpset = 13;  ///< the first with a scale for each channel

/// A model that the runtime and a plan can work with.
struct Upgraded {
  Model model;
  bool converted = false;   ///< to opset 13
  std::string problem;      ///< why it is not, though it is older
  std::size_t renamed = 0;  ///< nodes whose names others have, too, which ONNX Runtime refuses
};

/// Converts models of opset 6 to 12 to opset 13, or not at all where a node has no equal there, and
/// tells nodes of equal names apart. All else stays, also the names of what ops make. REQUIRES:
/// `model` came from `read`.
Upgraded upgrade(Model model);

}  // namespace quantlens::onnx
