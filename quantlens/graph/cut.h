// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "quantlens/graph/model.h"

namespace quantlens {

/// Where a network begins and ends, by names of values or of nodes; empty: as its file says it.
struct Ends {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  bool is_whole() const { return inputs.empty() && outputs.empty(); }
};

/// What of the graph lies between these ends: an inner value may be an input, and what is only
/// before it, or only behind the outputs, is gone. "x:0" is the value "x" where there is no other
/// of that name, as TensorFlow's users write it. The node numbers are no longer those of the file.
/// Throws Errc::not_found for a name that there is not,
/// with the nearest; Errc::usage where an output needs an input that is not among those named, or
/// an input leads nowhere.
Graph cut(const Graph& graph, const Ends& ends);

/// Type and shape of a value as far as the file says them or the ops make them known.
class Describer {
 public:
  explicit Describer(const Graph& graph);
  ~Describer();
  Describer(const Describer&) = delete;
  Describer& operator=(const Describer&) = delete;
  ValueInfo operator()(const std::string& value) const;

 private:
  struct Known;
  std::unique_ptr<const Known> known_;
};

}  // namespace quantlens
