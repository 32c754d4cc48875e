// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "quantlens/graph/order.h"
#include "quantlens/runtime/run.h"

namespace quantlens {

/// A value that stands in the quantized model for what the reference computed.
struct LocalValue {
  std::string name;      ///< new in the quantized model
  std::string value;     ///< what it stands for there
  std::size_t slot = 0;  ///< the pair of the spec that it is of
  bool codes = false;    ///< the reference's value as codes of that pair, else as it is
};

/// What a Run changes in the quantized model so that errors are local (TapSpec::local): which
/// inputs of its nodes, and which values that their bodies capture, are one of these instead.
struct LocalReaders {
  std::vector<LocalValue> values;
  std::map<std::size_t, std::map<std::size_t, std::string>> inputs;    ///< by node and input
  std::map<std::size_t, std::map<std::string, std::string>> captured;  ///< by node and old name
};

/// For the pairs of the spec in these slots; of several that have the same quantized side the first
/// counts. Whoever reads a quantized side reads codes instead, or floats where it is float. Readers
/// of the float that is about to be quantized read the reference's float. What is a graph input
/// stays as it is, since both models read it, but for pairs that round what is read. `new_name`
/// makes names that no model has.
LocalReaders local_readers(const GraphIndex& quantized, const TapSpec& spec,
                           const std::vector<std::size_t>& slots,
                           const std::function<std::string()>& new_name);

}  // namespace quantlens
