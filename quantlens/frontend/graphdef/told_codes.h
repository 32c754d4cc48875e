// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "quantlens/frontend/graphdef/source.h"

namespace quantlens::graphdef {

/// What TensorFlow's int8 ops mean, told as everybody tells it: by scales and zero points beside
/// the codes. In a graph these ops read ranges; where these are constants, the scales that follow
/// from them become weights, named after the node with brackets, which no node's name has.
class CodesTeller {
 public:
  /// Adds what it makes to both; they outlive it.
  CodesTeller(Constants& constants, WeightMap& weights)
      : constants_(constants), weights_(weights) {}

  /// Sets the kind, the roles and the inputs of an int8 op whose inputs come before it; false where
  /// it is none, or where a range is not known before it runs.
  bool tell(Node& node);

  /// Ranges that nobody reads any more are no results.
  void drop_ranges(Graph& graph) const;

 private:
  /// Names of a scale and a zero point, and of the range that goes along with the codes.
  struct Parameters {
    std::string scale, zero_point, min = {}, max = {};
  };

  /// Of an op that moves codes: these are its result's, too.
  void follow(const Node& node);
  bool tell_pool(Node& node);
  bool tell_concat(Node& node);
  /// Whether two constants are.
  bool is_same(const std::string& one, const std::string& other) const;
  bool tell_quantize(Node& node);
  bool tell_dequantize(Node& node);
  bool tell_fused(Node& node);
  bool tell_convolution(Node& node, bool fuses_activation, std::vector<std::string> inputs);
  bool tell_product(Node& node, bool fuses_activation, std::vector<std::string> inputs);

  /// Those of codes that an op reads beside this range; null where they are not known.
  const Parameters* read(const std::string& codes, const std::string& min,
                         const std::string& max) const;
  /// Of constants: one scale, or one a channel. Nothing where the range is no symmetric one.
  std::optional<Parameters> parameters(const std::string& name, const std::string& type,
                                       const std::string& min, const std::string& max);
  std::string add(const std::string& name, Tensor tensor);
  /// Codes whose range is the node's second and third result.
  void know(const std::string& codes, Parameters of);

  Constants& constants_;
  WeightMap& weights_;
  std::unordered_map<std::string, Parameters> known_;  // by value of codes
  std::unordered_set<std::string> told_;               // first results of nodes
};

}  // namespace quantlens::graphdef
