// graph: a neural network as plain values: nodes, values, weights. No file format, no runtime; the
// frontend that read a file keeps what it needs to write it again behind `Model::file`.
// Start here, then order.h (topological order, producers, consumers).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/graph/kind.h"
#include "quantlens/graph/roles.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens {

/// One extent of a shape: a number, a name such as "N", or unknown (neither).
struct Dim {
  std::optional<std::int64_t> extent;
  std::string symbol;
  bool operator==(const Dim&) const = default;
};

/// What a file says of a value; dtype and shape may be missing for inner values.
struct ValueInfo {
  std::string name;
  std::optional<DType> dtype;
  std::optional<std::vector<Dim>> shape;
};

using AnyAttribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>,
                                  std::vector<float>, std::vector<std::string>, Tensor>;

/// The same as a type of its own, for the sake of what Roles says.
class Attribute : public AnyAttribute {
 public:
  Attribute();
  Attribute(const Attribute& other);
  Attribute(Attribute&& other) noexcept;
  Attribute& operator=(const Attribute& other);
  Attribute& operator=(Attribute&& other) noexcept;
  ~Attribute();

  template <class Value>
  requires(!std::is_same_v<Value, Attribute> && std::is_constructible_v<AnyAttribute, Value>)
      // NOLINTNEXTLINE(google-explicit-constructor): as a variant is made of its alternatives
      Attribute(Value value)
      : AnyAttribute(std::move(value)) {}
};

struct Graph;

/// What an output of a node holds: elements of `dtype`, or else of the type of input number `like`.
struct ResultType {
  std::optional<DType> dtype;
  std::size_t like = 0;
};

/// A node of a graph. An absent optional input or output is an empty name.
struct Node {
  std::string name;    ///< as in the file; may be empty or a duplicate
  std::string type;    ///< the framework's own word, e.g. "Conv"
  std::string domain;  ///< operator set; empty: the format's own
  Kind kind = Kind::other;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  /// In the format's words, for whoever writes, runs or shows the node; graphs are in `subgraphs`.
  std::map<std::string, Attribute> attributes;
  /// Bodies of If, Loop, Scan by attribute (of a list of graphs: "key[0]", …). Never null.
  std::map<std::string, std::shared_ptr<const Graph>> subgraphs;
  /// Of each output, where the format defines another one than `kind` says by itself; else empty.
  std::vector<ResultType> results = {};
  /// What inputs and attributes mean, as roles_of.h tells; none: as `kind` says by itself.
  Roles roles = {};
};

/// A tensor stored in the file. Its bytes may be a view into the mapped file.
using WeightMap = std::map<std::string, Tensor>;

/// Nodes are in the file's order, which is topological (the frontend refuses others).
struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<ValueInfo> inputs;  ///< without those that are weights with a default
  std::vector<ValueInfo> outputs;
  std::map<std::string, ValueInfo> values;  ///< what the file says of inner values
  WeightMap weights;                        ///< initializers
  /// Initializers that are known by name only: sparse ones, and element types without a DType.
  std::set<std::string> opaque_weights;
};

/// What the operators of a format, in a model's version of them, have words for.
struct Vocabulary {
  bool codes = true;           ///< values in codes, and links between them and floats
  bool channel_scales = true;  ///< a scale for each channel
  bool dynamic_codes = true;   ///< scales that are found when the model runs
  bool half = true;            ///< half in all ops of half_inputs.h
  std::string version = {};    ///< as people see it, e.g. "opset 12"
  std::string whole = {};      ///< the first version with words for all of this
};
BOOST_DESCRIBE_STRUCT(Vocabulary, (), (codes, channel_scales, dynamic_codes, half, version, whole))

/// A model and the file it came from.
struct Model {
  std::string format;  ///< "onnx"
  fs::path path;       ///< for messages; may be empty
  Graph graph;
  std::map<std::string, std::int64_t> opsets;  ///< by domain; "" is the format's own
  Vocabulary vocabulary = {};
  std::map<std::string, std::string> metadata;  ///< the file's key/value properties
  MappedFile file;                              ///< its bytes as they are on disk
};

/// Whether any op reads or gives integer codes: whether it is (in part) a quantized network.
bool uses_codes(const Graph& graph);

/// Identity of an op: its first non-empty output name (design: scope path and this name).
const std::string& op_id(const Node& node);

/// The value that an input reads; empty where the node has no such input.
const std::string& input_of(const Node& node, std::size_t number);

/// What people see and patterns match: the node's name, or `<type>:<output>` where it has none.
std::string op_name(const Node& node);

/// The operator with its set, as people tell those of several sets apart: "com.microsoft.QGemm".
std::string full_type(const Node& node);

/// Whether ops of `model` mean the same among those of `other`, which may use more sets of
/// operators: sets that both have are of one version.
bool speaks_within(const Model& model, const Model& other);
/// Whether both use the same sets of operators, in the same versions.
bool are_of_one_version(const Model& a, const Model& b);

// For frontends, and for runtimes that interpret a format's ops themselves: others ask roles_of.h.
/// Integer attribute, or `otherwise` where absent or of another type.
std::int64_t attribute_int(const Node& node, const std::string& key, std::int64_t otherwise);
float attribute_float(const Node& node, const std::string& key, float otherwise);
std::string attribute_string(const Node& node, const std::string& key,
                             const std::string& otherwise);
std::vector<std::int64_t> attribute_ints(const Node& node,
                                         const std::string& key);  ///< empty where absent

}  // namespace quantlens
