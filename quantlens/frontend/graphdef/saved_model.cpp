// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/saved_model.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/graphdef/encode.h"
#include "quantlens/frontend/graphdef/frozen_nodes.h"
#include "quantlens/frontend/graphdef/saved_parts.h"
#include "quantlens/frontend/graphdef/source.h"

namespace quantlens::graphdef {
namespace {

constexpr std::uint64_t kMostFrozen = std::numeric_limits<std::int32_t>::max();  // of protobuf

bool is_read(const Op& op) {
  return op.node.type == "ReadVariableOp";
}

bool is_gather(const Op& op) {
  return op.node.type == "ResourceGather" || op.node.type == "ResourceGatherNd";
}

bool is_plain_variable(const Op& op) {
  return op.node.type == "VariableV2" || op.node.type == "Variable";
}

/// Whether it frames what is in it, as loops and branches of TensorFlow 1 do: control edges then
/// say what is in which.
bool is_frame(const Op& op) {
  static const std::set<std::string_view> kFrames = {"Enter", "RefEnter", "Switch", "RefSwitch"};
  return kFrames.contains(op.node.type);
}

/// A signature's key as TensorFlow lets a node be called.
std::string node_name(const std::string& key) {
  std::string name = key;
  for (char& c : name) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (!is_word && c != '_' && c != '.' && c != '-' && c != '/') c = '_';
  }
  const bool begins_well = !name.empty() && name[0] != '_' && name[0] != '-' && name[0] != '/';
  return begins_well ? name : "x" + name;
}

std::int64_t type_in(const Op& op, std::string_view attribute) {
  const auto found = op.parts.values.find(attribute);
  return found == op.parts.values.end() ? 0 : found->second.number;
}

}  // namespace

class SavedGraph::Content {
 public:
  Content(const fs::path& path, MappedFile file) {
    source_.path = path;
    source_.file = std::move(file);
    parts_ = read_saved_parts(source_);
    ops_ = read_ops(source_, parts_.nodes, KeepParts::yes);
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      for (const std::string& value : ops_[i].node.outputs) makers_.emplace(value, i);
      named_.emplace(ops_[i].node.name, i);
    }
    needed_.resize(ops_.size());
    alias();
    walk();
    name_nodes();
  }

  const std::vector<std::string>& tags() const { return parts_.tags; }
  const std::vector<Variable>& variables() const { return variables_; }

  Pieces frozen(const std::map<std::string, Tensor>& values) const {
    Pieces out;
    for (const SavedEnd& input : parts_.inputs) {
      if (fed_.contains(input.key))
        out.field(GraphDef::node, placeholder_node(input_names_.at(input.key), input));
    }
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (needed_[i]) add(i, values, out);
    }
    for (const SavedEnd& output : parts_.outputs) {
      const std::string& name = output_names_.at(output.key);
      out.field(GraphDef::node, identity_node(name, reference(output.value), output.type));
    }
    if (Pieces library = functions_needed(); library.size() > 0)
      out.field(GraphDef::library, std::move(library));
    out.view(parts_.versions);
    if (out.size() > kMostFrozen) {
      refuse(
          fmt::format("the frozen graph would have {} bytes, and TensorFlow reads none of more "
                      "than 2 GiB; export it to ONNX",
                      out.size()));
    }
    return out;
  }

 private:
  [[noreturn]] void refuse(std::string_view problem) const {
    throw Error(Errc::unsupported,
                fmt::format("{}: {}", printable(source_.path.string()), problem));
  }

  /// What stands for another value: results of calls for what makes them, what a variable's reader
  /// gives for the variable, inputs of the signature for nothing that is before them.
  void alias() {
    for (const Op& op : ops_) {
      const bool hands_on = op.parts.message.empty() || is_read(op) ||
                            (op.node.type == "Identity" && type_in(op, "T") == kResourceType);
      if (hands_on && op.node.inputs.size() == 1 && op.node.outputs.size() == 1)
        aliases_.emplace(op.node.outputs[0], op.node.inputs[0]);
    }
    for (const SavedEnd& input : parts_.inputs) ends_.emplace(input.value, &input);
  }

  const std::string& resolved(const std::string& value) const {
    const std::string* at = &value;
    for (std::size_t i = 0; i <= aliases_.size(); ++i) {
      if (ends_.contains(*at)) return *at;
      const auto next = aliases_.find(*at);
      if (next == aliases_.end()) return *at;
      at = &next->second;
    }
    unsound(source_.path, fmt::format("'{}' is made of itself", printable(value)));
  }

  std::size_t maker_of(const std::string& value) const {
    const auto maker = makers_.find(value);
    if (maker == makers_.end()) {
      unsound(source_.path,
              fmt::format("its signature names '{}', which is not there", printable(value)));
    }
    return maker->second;
  }

  /// Marks what the outputs need; twice where there are frames, whose control edges count.
  void walk() {
    for (const SavedEnd& output : parts_.outputs) need(output.value);
    for (std::size_t i = 0; i < ops_.size(); ++i) has_frames_ |= needed_[i] && is_frame(ops_[i]);
    if (has_frames_) {
      for (std::size_t i = 0; i < ops_.size(); ++i) {
        if (!needed_[i]) continue;
        for (const std::size_t other : waits_for(ops_[i])) need_op(other);
      }
    }
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (needed_[i]) check(ops_[i]);
    }
  }

  void need(const std::string& value) {
    const std::string& made = resolved(value);
    if (const auto end = ends_.find(made); end != ends_.end()) {
      fed_.insert(end->second->key);
      return;
    }
    need_op(maker_of(made));
  }

  void need_op(std::size_t first) {
    std::vector<std::size_t> open = {first};
    while (!open.empty()) {
      const std::size_t number = open.back();
      open.pop_back();
      if (needed_[number]) continue;
      needed_[number] = true;
      const Op& op = ops_[number];
      if (is_plain_variable(op)) continue;
      for (const std::string& input : op.node.inputs) {
        const std::string& value = resolved(input);
        const auto end = ends_.find(value);
        if (end != ends_.end()) {
          fed_.insert(end->second->key);
        } else {
          open.push_back(maker_of(value));
        }
      }
      if (!has_frames_) continue;
      for (const std::size_t other : waits_for(op)) open.push_back(other);
    }
  }

  /// The ops whose control edges hold it back and that are kept: those that give nothing, or a
  /// variable, hold up nothing that is left.
  std::vector<std::size_t> waits_for(const Op& op) const {
    std::vector<std::size_t> others;
    for (const std::string& name : op.waits_for) {
      const auto found = named_.find(name);
      if (found == named_.end()) continue;
      const Op& other = ops_[found->second];
      const bool is_kept = !other.parts.message.empty() && !is_read(other) &&
                           !other.node.outputs.empty() && !is_aside(other.node.type);
      if (is_kept) others.push_back(found->second);
    }
    return others;
  }

  void check(const Op& op) {
    const std::string& type = op.node.type;
    if (type.find("HashTable") != std::string::npos || type.starts_with("LookupTable")) {
      refuse(
          fmt::format("'{}' is of a table ({}), which is filled when a SavedModel is loaded, and "
                      "a frozen graph holds none; export the model without it",
                      printable(op.node.name), printable(type)));
    }
    if (is_plain_variable(op)) {
      variables_.push_back(
          {.node = op.node.name, .type = type_in(op, "dtype"), .is_resource = false});
      return;
    }
    if (type == "VarHandleOp") {
      variables_.push_back(
          {.node = op.node.name, .type = type_in(op, "dtype"), .is_resource = true});
      return;
    }
    for (std::size_t i = 0; i < op.node.inputs.size(); ++i) {
      const std::string& read = op.node.inputs[i];
      const std::string& value = resolved(read);
      if (ends_.contains(value) || ops_[maker_of(value)].node.type != "VarHandleOp") continue;
      if ((is_gather(op) && i == 0) || passes_a_reader(read)) continue;
      refuse(
          fmt::format("'{}' ({}) takes the variable '{}' itself, not its value, and no frozen "
                      "graph has variables; freeze it by TensorFlow as docs/tensorflow.md shows",
                      printable(op.node.name), printable(type), printable(value)));
    }
  }

  /// Whether the value of a variable gets there, and not its handle.
  bool passes_a_reader(const std::string& value) const {
    const std::string* at = &value;
    for (std::size_t i = 0; i <= aliases_.size(); ++i) {
      const auto maker = makers_.find(*at);
      if (maker != makers_.end() && is_read(ops_[maker->second])) return true;
      const auto next = aliases_.find(*at);
      if (next == aliases_.end()) return false;
      at = &next->second;
    }
    return false;
  }

  /// Nodes are called as in their function where no other one is.
  void name_nodes() {
    std::unordered_map<std::string_view, std::size_t> counts;
    std::unordered_set<std::string> taken;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (!needed_[i]) continue;
      ++counts[ops_[i].parts.name];
      taken.insert(ops_[i].node.name);
    }
    const auto free_name = [&](const std::string& wanted) {
      std::string name = wanted;
      for (int i = 1; counts.contains(name) || !taken.insert(name).second; ++i)
        name = fmt::format("{}_{}", wanted, i);
      return name;
    };
    const auto is_made = [&](const SavedEnd& input) { return fed_.contains(input.key); };
    for (const SavedEnd& input : parts_.inputs) {
      if (is_made(input)) input_names_[input.key] = free_name(node_name(input.key));
    }
    for (const SavedEnd& output : parts_.outputs)
      output_names_[output.key] = free_name(node_name(output.key));
    names_.resize(ops_.size());
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (!needed_[i]) continue;
      const std::string& whole = ops_[i].node.name;
      const std::string own(ops_[i].parts.name);
      const bool is_free = own == whole || (counts.at(own) == 1 && !taken.contains(own));
      names_[i] = is_free ? own : whole;
    }
  }

  /// As a node's input names a value.
  std::string reference(const std::string& value) const {
    const std::string& made = resolved(value);
    if (const auto end = ends_.find(made); end != ends_.end())
      return input_names_.at(end->second->key);
    const std::size_t maker = maker_of(made);
    const std::size_t number = number_of(ops_[maker], made);
    return number == 0 ? names_[maker] : fmt::format("{}:{}", names_[maker], number);
  }

  /// Of a value among the results of its op, which may be called "NODE:NAME:NUMBER".
  std::size_t number_of(const Op& op, const std::string& value) const {
    if (value == op.node.name) return 0;
    const std::string_view rest = std::string_view(value).substr(op.node.name.size() + 1);
    const Reference told = read_reference(source_, fmt::format("x:{}", rest));
    if (told.output.empty()) return told.number;
    const auto first = first_result(parts_, op.parts, told.output);
    if (!first) {
      refuse(
          fmt::format("the op {} is not known, nor does the SavedModel say what it gives; freeze "
                      "it by TensorFlow as docs/tensorflow.md shows",
                      printable(op.node.type)));
    }
    return *first + told.number;
  }

  void add(std::size_t number, const std::map<std::string, Tensor>& values, Pieces& out) const {
    const Op& op = ops_[number];
    if (is_plain_variable(op) || op.node.type == "VarHandleOp") {
      const auto value = values.find(op.node.name);
      if (value == values.end()) {
        refuse(fmt::format("the variable '{}' is of a type that is not known here ({})",
                           printable(op.node.name), type_word(type_in(op, "dtype"))));
      }
      out.field(GraphDef::node, frozen_node(names_[number], type_in(op, "dtype"), value->second));
      return;
    }
    KeptNode kept{.name = names_[number], .parts = &op.parts, .inputs = {}};
    for (const std::string& input : op.node.inputs) kept.inputs.push_back(reference(input));
    if (has_frames_) {
      for (const std::size_t other : waits_for(op)) kept.inputs.push_back("^" + names_[other]);
    }
    if (is_gather(op)) {
      add_gather(kept, out);
    } else {
      out.field(GraphDef::node, kept_node(kept));
    }
  }

  /// What is one of these types or attributes is a function that is called; with those that they
  /// call themselves.
  Pieces functions_needed() const {
    std::set<std::string_view> wanted;
    std::vector<std::string_view> open;
    const auto want = [&](std::string_view name) {
      if (parts_.functions.contains(name) && wanted.insert(name).second) open.push_back(name);
    };
    const auto look = [&](const NodeParts& parts) {
      want(parts.type);
      for (const auto& [key, value] : parts.values) {
        for (const auto& [name, values] : read_functions(value)) want(name);
      }
    };
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (needed_[i]) look(ops_[i].parts);
    }
    Pieces library;
    while (!open.empty()) {
      const std::string_view name = open.back();
      open.pop_back();
      for (const std::string_view node : source_.functions.at(name).nodes)
        look(split_node(source_, node));
    }
    for (const std::string_view name : wanted) library.view(parts_.functions.at(name));
    return library;
  }

  Source source_;
  SavedParts parts_;
  std::vector<Op> ops_;
  std::unordered_map<std::string, std::size_t> makers_;  // of values
  std::unordered_map<std::string, std::size_t> named_;
  std::unordered_map<std::string, std::string> aliases_;   // of values
  std::unordered_map<std::string, const SavedEnd*> ends_;  // inputs, by value
  std::set<std::string> fed_;                              // inputs that are needed, by key
  std::unordered_map<std::string, std::string> input_names_, output_names_;  // by key
  std::vector<bool> needed_;
  std::vector<std::string> names_;
  std::vector<Variable> variables_;
  bool has_frames_ = false;
};

SavedGraph::SavedGraph(const fs::path& path, MappedFile file) {
  try {
    content_ = std::make_unique<Content>(path, std::move(file));
  } catch (const protozero::exception&) {
    unsound(path,
            fmt::format("{} ends in the middle, or is no SavedModel at all", kSavedModelFile));
  }
}

SavedGraph::~SavedGraph() = default;

const std::vector<std::string>& SavedGraph::tags() const {
  return content_->tags();
}

const std::vector<Variable>& SavedGraph::variables() const {
  return content_->variables();
}

std::string SavedGraph::frozen(const std::map<std::string, Tensor>& values) const {
  return content_->frozen(values).str();
}

}  // namespace quantlens::graphdef
