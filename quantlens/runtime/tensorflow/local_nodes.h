// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "quantlens/frontend/graphdef/integer_nodes.h"
#include "quantlens/runtime/local_readers.h"
#include "quantlens/runtime/run.h"
#include "quantlens/runtime/tensorflow/c_api.h"

namespace quantlens::tensorflow {

/// The type of a value, by the library.
using TypeOf = std::function<DataType(const std::string&)>;

/// Where errors are local (TapSpec::local): what is said of the reference.
struct LocalReference {
  const TapSpec& spec;
  std::vector<std::size_t> slots;  ///< of the pairs that are placed
  TypeOf type_of;                  ///< of its values
};

/// Why what a pair of the spec has of the reference cannot stand in the graph; empty: it can.
std::string local_obstacle(const PairTap& pair, DataType reference, DataType quantized);

/// What stands for values of a graph.
class LocalNodes {
 public:
  /// `type_of`: of the graph's values; `number`: the value that is fed with the step's number.
  /// Names of nodes begin with `prefix`, as no other does. REQUIRES: the pairs have no obstacle.
  LocalNodes(const graphdef::GraphFile& file, const TypeOf& type_of,
             const LocalReference& reference, const std::string& prefix, const std::string& number);

  /// What a node of the file reads instead of a value; null: the value.
  const std::string* read_by(std::string_view node, const std::string& value) const;
  const std::vector<graphdef::NewNode>& nodes() const { return nodes_; }

 private:
  struct StandIn {
    std::string name;
    std::unordered_set<std::string> others;  ///< nodes that read the value itself
  };

  graphdef::NewNode kept_node(const std::string& name, const LocalValue& local, DataType type,
                              const std::string& number) const;
  void add_codes(const PairTap& pair, const std::string& floats, const std::string& codes);
  graphdef::Codes add_quantizer(const std::vector<QParams>& params, const Scheme& scheme,
                                const std::string& floats, const std::string& codes);

  const graphdef::GraphFile& file_;
  const TypeOf& type_of_;  // of its own values
  std::vector<graphdef::NewNode> nodes_;
  std::unordered_map<std::string, StandIn> stand_ins_;  // by value
};

}  // namespace quantlens::tensorflow
