// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <boost/describe.hpp>
#include <boost/mp11.hpp>

#include "quantlens/graph/model.h"
#include "quantlens/graph/role_names.h"

namespace quantlens {

/// A value as its file describes it, and of what the file leaves open what the ops make known
/// (shapes.h, element_types.h). "?" is what cannot be told: it is never guessed.
struct ValueOutline {
  std::string name;
  std::string dtype;  ///< "float32", or "?"
  std::string shape;  ///< "[N,3,224,224]", an extent may be "?"; "?" where its rank is not known
  bool operator==(const ValueOutline&) const = default;
};
BOOST_DESCRIBE_STRUCT(ValueOutline, (), (name, dtype, shape))

/// Roles without the contents of tensors, and without those that tell nothing but where inputs
/// usually are.
using RolesOutline = boost::mp11::mp_remove<AnyRoles, roles::ConstantValue>;

struct OpOutline {
  std::string op;    ///< id: its scope path and its first output
  std::string name;  ///< as people see it
  std::string type;  ///< the framework's own word
  Kind kind = Kind::other;
  std::string scope;  ///< ids of the ops whose bodies it lies in, joined by '/'; empty: none
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::map<std::string, std::string> attributes;  ///< as text, long ones cut
  /// What inputs and attributes mean, those of its kind included (roles_of.h); none where there are
  /// no such, or one of their lists has more than 16 entries.
  RolesOutline roles;
};
BOOST_DESCRIBE_STRUCT(OpOutline, (),
                      (op, name, type, kind, scope, inputs, outputs, attributes, roles))

/// What is drawn of a network: all but the contents of its tensors.
struct GraphOutline {
  bool as_in_file = true;  ///< else it is what was made of the file before it ran
  std::vector<ValueOutline> inputs;
  std::vector<ValueOutline> outputs;
  std::vector<ValueOutline> weights;  ///< of the outermost graph
  std::vector<ValueOutline> values;   ///< inner ones of the outermost graph, as its ops make them
  std::vector<OpOutline> ops;         ///< in the file's order; bodies follow the op that holds them
};
BOOST_DESCRIBE_STRUCT(GraphOutline, (), (as_in_file, inputs, outputs, weights, values, ops))

/// The same of a quantized model, which a record tells from that of the model it was made from.
struct QuantizedOutline : GraphOutline {};
BOOST_DESCRIBE_STRUCT(QuantizedOutline, (GraphOutline), ())

ValueOutline outline(const ValueInfo& value);
RolesOutline outline(const Roles& roles);
/// Of the model's own graph; nothing is run.
GraphOutline outline(const Graph& graph);

}  // namespace quantlens
