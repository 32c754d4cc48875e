// What every part of the reader needs: the file, its functions, and how to complain.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/graphdef/wire.h"
#include "quantlens/graph/model.h"

namespace quantlens::graphdef {

/// How deep functions may call each other.
inline constexpr int kMostNesting = 32;

/// A value of an attribute as it stands in the file.
struct Value {
  std::uint32_t field = 0;  ///< of AttrValue; 0: none
  std::string_view bytes;   ///< of those that have a length
  std::int64_t number = 0;
  float real = 0;
};
using Values = std::map<std::string_view, Value>;

/// A NodeDef as it stands in the file.
struct NodeParts {
  std::string_view message;
  std::string_view name;
  std::string_view type;
  std::string_view device;
  std::vector<std::string_view> inputs;
  Values values;
};

/// What a function takes or gives.
struct Argument {
  std::string_view name;
  std::int64_t type = 0;       ///< a number of TensorFlow's; 0: `type_attr` says it
  std::string_view type_attr;  ///< empty: none
  bool is_list = false;
};

struct Function {
  std::vector<Argument> inputs;
  std::vector<Argument> outputs;
  std::vector<std::string_view> nodes;                    ///< messages
  std::map<std::string_view, std::string_view> returned;  ///< by output: what makes it
};

struct Source {
  fs::path path;
  MappedFile file;
  std::int64_t producer = 0;  ///< version of TensorFlow's graphs
  std::unordered_map<std::string_view, Function> functions;
  /// Bytes that may still be made of what the file only says shortly: constants of one repeated
  /// number, bodies of functions that are called often, ops with many results.
  std::uint64_t allowance = std::uint64_t{1} << 30U;
};

/// What a node reads, as it stands in the file: "name", "name:2", "^name", or, in functions,
/// "name:output:0".
struct Reference {
  std::string_view node;
  std::string_view output;  ///< empty: the number counts all outputs
  std::size_t number = 0;
  bool is_control = false;
};

/// Throws as `unsound` where the text is none.
Reference read_reference(const Source& source, std::string_view text);

/// Throws Errc::bad_input: "<path>: not a sound TensorFlow graph: <problem>; …".
[[noreturn]] void unsound(const fs::path& path, std::string_view problem);

/// Takes from the allowance; throws as `unsound` where it is used up.
void spend(Source& source, std::uint64_t bytes);

NodeParts split_node(const Source& source, std::string_view message);
/// `key` and `value` of an entry of a map.
std::pair<std::string_view, std::string_view> read_entry(std::string_view message);
Value read_value(std::string_view message);
/// Name and attributes of a Value that is a function.
std::pair<std::string_view, Values> read_function_value(const Value& value);
/// Those of a Value that is a function, or a list of such.
std::vector<std::pair<std::string_view, Values>> read_functions(const Value& value);
/// Returns its name.
std::string_view add_function(Source& source, std::string_view message);
/// Of a VersionDef.
std::int64_t read_producer(std::string_view message);

/// As people and roles see it; nothing of what has no words: lists of tensors and functions.
std::optional<Attribute> attribute_of(Source& source, const Value& value);
/// Of a TensorShapeProto; nothing where its rank is not known.
std::optional<std::vector<Dim>> read_shape(std::string_view message);
/// Of a Value that is a list of shapes.
std::vector<std::optional<std::vector<Dim>>> read_shapes(const Value& value);

/// A type's word, "float32" and such, by TensorFlow's number; what it is here: graphdef.h.
std::string type_word(std::int64_t number);
std::optional<DType> dtype_of_word(std::string_view word);
/// TensorFlow's number of the type that this is there; 0 where it has none.
std::int64_t number_of_dtype(DType dtype);

/// A TensorProto; nothing where its elements have no DType, and of texts. `name`: what messages
/// call it.
std::optional<Tensor> read_tensor(Source& source, std::string_view name, std::string_view message);

/// A node and what the order of a graph asks beside.
struct Op {
  Node node;                           ///< `kind` and `roles` are not read yet
  NodeParts parts;                     ///< where they are kept; none of a call's results
  std::vector<std::string> waits_for;  ///< nodes, by name
  std::vector<std::optional<std::vector<Dim>>>
      shapes;  ///< of results, as far as the file says them
  std::optional<Tensor> constant;
  std::optional<ValueInfo> given;  ///< an input of the graph
  bool is_constant = false;        ///< also where its tensor has no DType
};

/// Whether an Op has its parts as they stand in the file, with the caller's values in those of
/// functions.
enum class KeepParts : bool { no, yes };

/// All nodes of the graph, calls of functions resolved, in the file's order.
std::vector<Op> read_ops(Source& source, std::span<const std::string_view> nodes,
                         KeepParts keep = KeepParts::no);

/// A graph of these ops in the order in which they run, with their kinds, roles and results.
/// Without `outputs` these are the values of ops that nobody reads, but for those that are aside.
Graph make_graph(const Source& source, std::vector<Op> ops,
                 std::optional<std::vector<ValueInfo>> outputs);

/// The op of the registry whose place one of oneDNN's has taken in a graph that TensorFlow has
/// optimised: "Softmax" of "_MklSoftmax", "_FusedConv2D" of "_MklNativeFusedConv2D"; of any other
/// op its own name.
std::string plain_type(std::string_view type);

/// The values that an op gives, as TensorFlow's registry has them; null where it is not known here.
struct OpRow;
const OpRow* find_op(std::string_view type);
/// How many; nothing where the node's attributes do not say it.
std::optional<std::size_t> count_outputs(const OpRow& row, const Node& node);
/// The number of output `index` of those that have this name, as functions call them.
std::optional<std::size_t> output_number(const OpRow& row, const Node& node, std::string_view name,
                                         std::size_t index);
/// `Node::results` by its attributes.
std::vector<ResultType> result_types(const OpRow& row, const Node& node);
/// Whether the values it gives are of use to nobody outside, though nobody inside reads them.
bool is_aside(std::string_view type);

/// Constants by the value's name: weights, and what Identity makes of them.
using Constants = std::unordered_map<std::string, Tensor>;

/// Sets the kind, the roles and the order of inputs of a node. Ops whose data are not their first
/// input get them first; an axis that a constant says is told by the roles alone.
void tell_meaning(Node& node, const Constants& constants);

}  // namespace quantlens::graphdef
