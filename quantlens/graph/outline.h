// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/graph/model.h"

namespace quantlens {

/// A value as a file describes it.
struct ValueOutline {
  std::string name;
  std::string dtype;  ///< "?" where the file does not say
  std::string shape;  ///< "[N,3,224,224]"; "?" for what the file does not say
  bool operator==(const ValueOutline&) const = default;
};
BOOST_DESCRIBE_STRUCT(ValueOutline, (), (name, dtype, shape))

struct OpOutline {
  std::string op;     ///< id: its scope path and its first output
  std::string name;   ///< as people see it
  std::string type;   ///< the framework's own word
  std::string kind;   ///< what it does, whatever a framework calls it (graph/kind.h)
  std::string scope;  ///< ids of the ops whose bodies it lies in, joined by '/'; empty: none
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::map<std::string, std::string> attributes;  ///< as text, long ones cut
};
BOOST_DESCRIBE_STRUCT(OpOutline, (), (op, name, type, kind, scope, inputs, outputs, attributes))

/// What is drawn of a network: all but the contents of its tensors.
struct GraphOutline {
  std::vector<ValueOutline> inputs;
  std::vector<ValueOutline> outputs;
  std::vector<ValueOutline> weights;  ///< of the outermost graph
  std::vector<ValueOutline> values;   ///< inner ones of the outermost graph that the file tells of
  std::vector<OpOutline> ops;         ///< in the file's order; bodies follow the op that holds them
};
BOOST_DESCRIBE_STRUCT(GraphOutline, (), (inputs, outputs, weights, values, ops))

/// The same of a quantized model, which a record tells from that of the model it was made from.
struct QuantizedOutline : GraphOutline {};
BOOST_DESCRIBE_STRUCT(QuantizedOutline, (GraphOutline), ())

ValueOutline outline(const ValueInfo& value);
GraphOutline outline(const Graph& graph);

}  // namespace quantlens
