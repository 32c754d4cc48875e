// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/patch_edit.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/graphdef/integer_nodes.h"
#include "quantlens/frontend/graphdef/names.h"
#include "quantlens/graph/roles_of.h"

namespace quantlens::graphdef {
namespace {

constexpr int kMostDepth = 32;  // of what makes an axis or a shape

/// A file and its ops by their ids.
struct Ops {
  explicit Ops(const Model& model) : file(model) {
    for (const Node& node : model.graph.nodes) by_id.emplace(op_id(node), &node);
  }
  GraphFile file;
  std::unordered_map<std::string, const Node*> by_id;
};

class Patching {
 public:
  Patching(const GraphFile& file, const Patch& patch)
      : file_(file), patch_(patch), names_(file), own_(file.model()) {
    if (patch.copied_from != nullptr) original_.emplace(*patch.copied_from);
    for (const auto& [name, tensor] : patch.weights) tensors_.emplace(name, &tensor);
  }

  Edit run() {
    for (const auto& [value, nodes] : patch_.nodes) name_all(value, nodes);
    for (const auto& [value, nodes] : patch_.nodes) {
      place_ = value;
      for (const Node& node : nodes) add(node);
    }
    drop_unread(file_, GraphIndex(file_.model().graph), std::move(touched_), edit_);
    return std::move(edit_);
  }

 private:
  [[noreturn]] void refuse(std::string_view problem) const {
    throw Error(Errc::unsupported,
                fmt::format("{}: {}", printable(file_.model().path.string()), problem));
  }

  /// What makes the value goes, and what only that reads.
  void name_all(const std::string& value, const std::vector<Node>& nodes) {
    if (file_.find(value) == nullptr) {
      refuse(fmt::format("'{}' is not the first result of a node of the graph", printable(value)));
    }
    if (nodes.back().kind != Kind::quantize) check_unread(value);
    edit_.removed.insert(value);
    for (const std::string_view input : file_.find(value)->inputs)
      touched_.emplace_back(file_.reference(input).node);
    for (const Node& node : nodes) {
      const std::string name = op_id(node) == value ? value : names_.take(node.name);
      for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        values_[node.outputs[i]] = i == 0 ? name : fmt::format("{}:{}", name, i);
      }
    }
  }

  void check_unread(const std::string& value) const {
    for (const NodeParts& node : file_.nodes()) {
      for (const std::string_view input : node.inputs) {
        const Reference read = file_.reference(input);
        if (read.node == value && read.number > 0)
          refuse(fmt::format("other results of '{}' are read, too", printable(value)));
      }
    }
  }

  void insert(NewNode node) { edit_.inserted[place_].push_back(std::move(node)); }

  /// As nodes of the file name what they read.
  std::string read(const std::string& value) {
    const auto named = values_.find(value);
    if (named != values_.end()) return named->second;
    const auto tensor = tensors_.find(value);
    if (tensor == tensors_.end()) return value;
    if (tensor->second->dtype() == DType::string)
      refuse(fmt::format("the constant '{}' is of texts", printable(value)));
    const std::string name = names_.take(value);
    insert(constant_node(name, new_tensor(*tensor->second)));
    return values_[value] = name;
  }

  void add(const Node& node) {
    const std::string& name = values_.at(op_id(node));
    const auto copied = patch_.copies.find(node.name);
    if (copied != patch_.copies.end() && original_) {
      return copy(*original_, copied->second, node, name);
    }
    if (!node.type.empty()) return copy(own_, op_id(node), node, name);
    switch (node.kind) {
      case Kind::mul:
        return insert(of_floats("Mul", node, name));
      case Kind::max:
        return insert(of_floats("Identity", node, name));
      case Kind::quantize:
        return insert(quantizer(node, name));
      case Kind::dequantize:
        return insert(dequantizer(node, name));
      default:
        refuse(fmt::format("no node of kind {} can be inserted", to_string(node.kind)));
    }
  }

  NewNode of_floats(const char* type, const Node& node, const std::string& name) {
    NewNode made{.name = name, .type = type, .inputs = {}};
    for (const std::string& input : node.inputs) made.inputs.push_back(read(input));
    AttributeWriter attributes;
    made.attributes = attributes.type("T", Type::float32).take();
    return made;
  }

  struct Coded {
    Type type;
    RangeNodes range;
    std::optional<int> axis;
  };

  /// The constants that say what the codes are.
  Coded coded(const Node& node, const std::string& name) {
    const auto scale = tensors_.find(scale_of(node)), zero = tensors_.find(zero_point_of(node));
    if (scale == tensors_.end() || zero == tensors_.end()) refuse("codes without a constant scale");
    std::vector<QParams> params;
    const Tensor zeros = to_float32(*zero->second);
    for (std::size_t i = 0; i < zeros.data<float>().size(); ++i) {
      params.push_back({.scale = scale->second->data<float>()[i],
                        .zero_point = static_cast<std::int32_t>(zeros.data<float>()[i])});
    }
    const auto type = code_type(zero->second->dtype(), params);
    if (!type) refuse("TensorFlow's codes are int8 or uint8 without a zero point");
    Coded of{.type = *type,
             .range = {.min = names_.take(name + "/min"), .max = names_.take(name + "/max")},
             .axis = {}};
    if (params.size() > 1) of.axis = static_cast<int>(axis_of(node).value_or(1));
    for (NewNode& constant : range_nodes(of.range, *type, params)) insert(std::move(constant));
    return of;
  }

  NewNode quantizer(const Node& node, const std::string& name) {
    const Coded of = coded(node, name);
    Codes made(name, of.type);
    made.is_narrow = false;
    return quantize_node(made, read(input_of(node, 0)), of.range, of.axis);
  }

  NewNode dequantizer(const Node& node, const std::string& name) {
    const Coded of = coded(node, name);
    Codes codes(read(input_of(node, 0)), of.type, of.range);
    codes.is_narrow = false;
    return dequantize_node(name, codes, of.axis);
  }

  /// The op of this id as its file has it, reading what `node` reads.
  void copy(const Ops& from, const std::string& id, const Node& node, const std::string& name) {
    const auto old = from.by_id.find(id);
    const NodeParts* parts = old == from.by_id.end() ? nullptr : from.file.find(old->second->name);
    if (parts == nullptr) refuse(fmt::format("the op '{}' lies in a function", printable(id)));
    NewNode made = copy_of(*parts, name);
    const std::vector<std::string>& told = old->second->inputs;
    for (const std::string& value : from.file.values_read(*parts)) {
      const auto at = std::ranges::find(told, value);
      if (at != told.end()) {
        made.inputs.push_back(read(node.inputs.at(static_cast<std::size_t>(at - told.begin()))));
      } else {
        made.inputs.push_back(&from == &own_ ? value : brought(value, 0));
      }
    }
    insert(std::move(made));
  }

  /// What a role says by itself is no input there: a constant axis, or the like. It comes along.
  std::string brought(const std::string& value, int depth) {
    const Reference read = original_->file.reference(value);
    const NodeParts* parts = original_->file.find(read.node);
    if (parts == nullptr || depth == kMostDepth || parts->type.starts_with("Placeholder"))
      refuse(fmt::format("'{}' is no constant that could be copied", printable(value)));
    std::string& name = brought_[std::string(parts->name)];
    if (name.empty()) {
      name = names_.take(place_ + "/" + std::string(parts->name));
      NewNode made = copy_of(*parts, name);
      for (const std::string& input : original_->file.values_read(*parts))
        made.inputs.push_back(brought(input, depth + 1));
      insert(std::move(made));
    }
    const std::string& known = brought_.at(std::string(parts->name));
    return read.number == 0 ? known : fmt::format("{}:{}", known, read.number);
  }

  const GraphFile& file_;
  const Patch& patch_;
  FreeNames names_;
  const Ops own_;
  std::optional<const Ops> original_;
  std::unordered_map<std::string, const Tensor*> tensors_;  // by name in the patch
  std::unordered_map<std::string, std::string> values_;     // of the patch, as the file names them
  std::unordered_map<std::string, std::string> brought_;    // by node of the original
  std::vector<std::string> touched_;                        // nodes that may now be unread
  std::string place_;                                       // where nodes are inserted
  Edit edit_;
};

}  // namespace

Edit patch_edit(const GraphFile& file, const Patch& patch) {
  return Patching(file, patch).run();
}

}  // namespace quantlens::graphdef
