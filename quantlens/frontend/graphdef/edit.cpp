// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/edit.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace quantlens::graphdef {
namespace {

constexpr std::string_view kColocations = "_class";
constexpr std::string_view kColocation = "loc:@";

bool is_control(std::string_view input) {
  return input.starts_with('^');
}

/// Where a node that waits for `text` waits from now on; empty: nowhere.
std::string control_after(const Edit& edit, std::string_view text) {
  std::string_view node = text.substr(1);
  if (const auto now = edit.stands_for.find(node); now != edit.stands_for.end()) node = now->second;
  if (const auto now = edit.renamed.find(node); now != edit.renamed.end())
    node = now->second;
  else if (edit.removed.contains(node))
    return {};
  return fmt::format("^{}", node);
}

void add_control(const Edit& edit, std::string_view text, const std::string& reader,
                 std::vector<std::string>& inputs) {
  std::string input = control_after(edit, text);
  const bool is_self = !input.empty() && std::string_view(input).substr(1) == reader;
  if (input.empty() || is_self || std::ranges::count(inputs, input) > 0) return;
  inputs.push_back(std::move(input));
}

/// Whether the node is to be where one that is no more there is.
bool is_placed_by_removed(const Edit& edit, const Value& value) {
  if (value.field != AttrValue::list) return false;
  Fields fields(value.bytes);
  for (Field field; fields.next(field);) {
    if (field.key != bytes_key(ListValue::s) || !field.payload.starts_with(kColocation)) continue;
    const std::string_view node = field.payload.substr(kColocation.size());
    if (edit.removed.contains(node) || edit.renamed.contains(node)) return true;
  }
  return false;
}

/// Without a look at the rest of the message.
std::string_view name_of(std::string_view message) {
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(NodeDef::name)) return field.payload;
  }
  return {};
}

/// A node with other inputs, another name, or without its place.
class NodeRewriter {
 public:
  NodeRewriter(const Edit& edit, const NodeParts& node)
      : node_(node), inputs_(inputs_after(edit, node)), name_(node.name) {
    if (const auto renamed = edit.renamed.find(node.name); renamed != edit.renamed.end())
      name_ = renamed->second;
    const auto place = node.values.find(kColocations);
    drops_place_ = place != node.values.end() && is_placed_by_removed(edit, place->second);
  }

  bool changes() const {
    return drops_place_ || name_ != node_.name || !std::ranges::equal(inputs_, node_.inputs);
  }

  Pieces node(std::string_view message) {
    Pieces out;
    std::size_t next = 0;
    Fields fields(message);
    for (Field field; fields.next(field);) {
      switch (field.key) {
        case bytes_key(NodeDef::name):
          change(out, field, name_);
          break;
        case bytes_key(NodeDef::input):
          if (next < inputs_.size()) change(out, field, inputs_[next++]);
          break;
        case bytes_key(NodeDef::attr):
          if (!drops_place_ || read_entry(field.payload).first != kColocations)
            out.view(field.whole);
          break;
        default:
          out.view(field.whole);
      }
    }
    return out;
  }

 private:
  static void change(Pieces& out, const Field& field, std::string_view now) {
    if (field.payload == now) return out.view(field.whole);
    out.field(field.number(), now);
  }

  const NodeParts& node_;
  std::vector<std::string> inputs_;
  std::string name_;
  bool drops_place_ = false;
};

bool can_go(const NodeParts& parts, const GraphIndex& index, const Edit& edit) {
  if (edit.removed.contains(parts.name) || edit.renamed.contains(parts.name)) return false;
  if (parts.type.starts_with("Placeholder") || parts.type == "_Arg") return false;
  if (find_op(parts.type) == nullptr || is_aside(parts.type)) return false;
  return !index.is_output(parts.name);
}

class Writer {
 public:
  Writer(const GraphFile& file, const Edit& edit) : file_(file), edit_(edit) {}

  Pieces write() {
    std::size_t node = 0;
    Fields fields(file_.model().file.text());
    for (Field field; fields.next(field);) {
      if (field.key == bytes_key(GraphDef::node)) {
        add_node(file_.nodes()[node++], field);
      } else {
        out_.view(field.whole);
      }
    }
    add_metadata();
    return std::move(out_);
  }

 private:
  void add_node(const NodeParts& node, const Field& field) {
    if (const auto inserted = edit_.inserted.find(node.name); inserted != edit_.inserted.end()) {
      for (NewNode one : inserted->second) {
        one.inputs = inputs_after(edit_, one);
        out_.field(GraphDef::node, encode(one));
      }
    }
    if (edit_.removed.contains(node.name)) return;
    if (node.name == kMetadataNode && !edit_.metadata.empty()) return;
    NodeRewriter rewriter(edit_, node);
    if (!rewriter.changes()) return out_.view(field.whole);
    out_.field(GraphDef::node, rewriter.node(field.payload));
  }

  void add_metadata() {
    if (edit_.metadata.empty()) return;
    std::map<std::string, std::string> all = file_.model().metadata;
    for (const auto& [key, value] : edit_.metadata) all[key] = value;
    AttributeWriter attributes;
    for (const auto& [key, value] : all) attributes.text("_" + key, value);
    NewNode node{.name = kMetadataNode, .type = "NoOp", .inputs = {}};
    node.attributes = attributes.take();
    out_.field(GraphDef::node, encode(node));
  }

  const GraphFile& file_;
  const Edit& edit_;
  Pieces out_;
};

}  // namespace

GraphFile::GraphFile(const Model& model) : model_(model) {
  source_.path = model.path;
  source_.file = model.file;
  Fields fields(model.file.text());
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(GraphDef::node))
      nodes_.push_back(split_node(source_, field.payload));
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) by_name_.emplace(nodes_[i].name, i);
}

const NodeParts* GraphFile::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &nodes_[found->second];
}

std::vector<std::string> GraphFile::values_read(const NodeParts& node) const {
  std::vector<std::string> values;
  for (const std::string_view text : node.inputs) {
    const Reference read = reference(text);
    if (read.is_control) continue;
    values.push_back(read.number == 0 ? std::string(read.node)
                                      : fmt::format("{}:{}", read.node, read.number));
  }
  return values;
}

std::vector<std::string> inputs_after(const Edit& edit, const NodeParts& node) {
  const auto changed = edit.inputs.find(node.name);
  std::vector<std::string> inputs;
  std::size_t number = 0;
  for (const std::string_view text : node.inputs) {
    if (is_control(text)) {
      add_control(edit, text, std::string(node.name), inputs);
      continue;
    }
    inputs.emplace_back(text);
    if (changed != edit.inputs.end()) {
      const auto now = changed->second.find(number);
      if (now != changed->second.end()) inputs.back() = now->second;
    }
    ++number;
  }
  return inputs;
}

std::vector<std::string> inputs_after(const Edit& edit, const NewNode& node) {
  std::vector<std::string> inputs;
  for (const std::string& text : node.inputs) {
    if (is_control(text)) {
      add_control(edit, text, node.name, inputs);
    } else {
      inputs.push_back(text);
    }
  }
  return inputs;
}

std::unordered_map<std::string, std::size_t> read_counts(const GraphFile& file, const Edit& edit) {
  std::unordered_map<std::string, std::size_t> counts;
  const auto add = [&](const std::vector<std::string>& inputs) {
    for (const std::string& input : inputs) ++counts[std::string(file.reference(input).node)];
  };
  for (const NodeParts& node : file.nodes()) {
    if (!edit.removed.contains(node.name)) add(inputs_after(edit, node));
  }
  for (const auto& [place, nodes] : edit.inserted) {
    for (const NewNode& node : nodes) add(inputs_after(edit, node));
  }
  return counts;
}

void drop_unread(const GraphFile& file, const GraphIndex& index, std::vector<std::string> nodes,
                 Edit& edit) {
  auto reads = read_counts(file, edit);
  while (!nodes.empty()) {
    const std::string name = std::move(nodes.back());
    nodes.pop_back();
    const NodeParts* parts = file.find(name);
    if (parts == nullptr || reads.contains(name) || !can_go(*parts, index, edit)) continue;
    edit.removed.insert(name);
    for (const std::string& input : inputs_after(edit, *parts)) {
      const std::string read(file.reference(input).node);
      const auto count = reads.find(read);
      if (count == reads.end() || --count->second > 0) continue;
      reads.erase(count);
      nodes.push_back(read);
    }
  }
}

Pieces written(const GraphFile& file, const Edit& edit) {
  return Writer(file, edit).write();
}

std::map<std::string, std::string> metadata_of(const Source& source,
                                               const std::vector<std::string_view>& nodes) {
  std::map<std::string, std::string> metadata;
  for (const std::string_view message : nodes) {
    if (name_of(message) != kMetadataNode) continue;
    const NodeParts node = split_node(source, message);
    if (node.type != "NoOp") continue;
    for (const auto& [key, value] : node.values) {
      if (key.starts_with('_') && value.field == AttrValue::s)
        metadata.emplace(key.substr(1), value.bytes);
    }
  }
  return metadata;
}

}  // namespace quantlens::graphdef
