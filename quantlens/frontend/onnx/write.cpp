// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/write.h"

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "quantlens/graph/order.h"

namespace quantlens::onnx {
namespace {

constexpr std::int64_t kFirstWeightsVersion =
    4;                                         // IR version from which weights need not be inputs
constexpr const char* kOutside = "quantlens";  // location of weights that the runtime fills in

template <class Map>
const typename Map::mapped_type* find_edit(const Map& map, std::size_t key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

NodeEdit node_edit(const Edit& edit, std::size_t node) {
  return {find_edit(edit.inputs, node), find_edit(edit.outputs, node),
          find_edit(edit.captured, node), find_edit(edit.names, node)};
}

Node renamed(Node node, const Renaming& names) {
  node.name = names.edited_node(node.name);
  for (std::string& name : node.inputs) name = names.edited(name);
  for (std::string& name : node.outputs) name = names.edited(name);
  return node;
}

class GraphWalk {
 public:
  GraphWalk(const EditedModel& edited, const FieldSink& sink)
      : edited_(edited), edit_(edited.edit), names_(edited.rewriter.names()), sink_(sink) {}

  void run(std::string_view message) {
    count(message);
    put_in_order();
    Fields fields(message);
    for (Field field; fields.next(field);) {
      copy(field);
      if (--left_[field.key] == 0 && field.key == bytes_key(field.number())) {
        add_after(field.number());
      }
    }
    for (const std::uint32_t number :
         {GraphProto::node, GraphProto::initializer, GraphProto::input, GraphProto::output}) {
      if (!left_.contains(bytes_key(number))) add_after(number);
    }
  }

 private:
  void count(std::string_view message) {
    Fields fields(message);
    for (Field field; fields.next(field);) {
      ++left_[field.key];
      if (field.key == bytes_key(GraphProto::node)) nodes_.push_back(field);
    }
  }

  /// The file may have its nodes in another order than the model (sort_nodes).
  void put_in_order() {
    std::map<std::string, std::deque<Field>> by_id;
    for (const Field& field : nodes_) by_id[first_output(field.payload)].push_back(field);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      std::deque<Field>& same = by_id.at(first_output(edited_.model.graph.nodes.at(i).outputs));
      nodes_[i] = same.front();
      same.pop_front();
    }
  }

  static std::string first_output(const std::vector<std::string>& outputs) {
    const auto first =
        std::ranges::find_if(outputs, [](const std::string& name) { return !name.empty(); });
    return first == outputs.end() ? std::string() : *first;
  }

  static std::string first_output(std::string_view node) {
    std::vector<std::string> outputs;
    Fields fields(node);
    for (Field field; fields.next(field);) {
      if (field.key == bytes_key(NodeProto::output)) outputs.emplace_back(field.payload);
    }
    return first_output(outputs);
  }

  void put(std::uint32_t number, Pieces contents) {
    Pieces field;
    field.field(number, std::move(contents));
    sink_(number, std::move(field));
  }

  void put_changed(const Field& old, Change answer) {
    Pieces field;
    change(field, old, std::move(answer));
    if (field.size() > 0) sink_(old.number(), std::move(field));
  }

  void copy(const Field& field) {
    const Rewriter& rewriter = edited_.rewriter;
    switch (field.key) {
      case bytes_key(GraphProto::node):
        return copy_node();
      case bytes_key(GraphProto::initializer):
        return put_changed(field, weight(field.payload));
      case bytes_key(GraphProto::sparse_initializer):
        return put_changed(field, rewriter.sparse_tensor(field.payload));
      case bytes_key(GraphProto::input): {
        const std::string name = read_value_info(field.payload).name;
        const bool goes =
            edited_.additions.dropped_inputs.contains(name) || edit_.removed_weights.contains(name);
        return put_changed(field, goes ? Change(Drop{}) : rewriter.value_info(field.payload));
      }
      case bytes_key(GraphProto::output):
        return put_changed(field, rewriter.value_info(field.payload));
      case bytes_key(GraphProto::value_info): {
        const std::string name = read_value_info(field.payload).name;
        const bool goes =
            edited_.additions.dropped_inputs.contains(name) || edit_.values_dropped.contains(name);
        return put_changed(field, goes ? Change(Drop{}) : rewriter.value_info(field.payload));
      }
      default:
        return sink_(0, copied(field));
    }
  }

  static Pieces copied(const Field& field) {
    Pieces out;
    out.view(field.whole);
    return out;
  }

  void copy_node() {
    insert_before(node_);
    const Field& field = nodes_[node_];
    if (!edit_.removed.contains(node_)) {
      put_changed(field, edited_.rewriter.node(field.payload, node_edit(edit_, node_)));
    }
    ++node_;
  }

  void insert_before(std::size_t node) {
    const auto [begin, end] = edit_.inserted.equal_range(node);
    for (auto at = begin; at != end; ++at) {
      put(GraphProto::node, encode_node(renamed(at->second, names_)));
    }
  }

  Change weight(std::string_view message) const {
    const std::string name = tensor_name(message);
    if (edit_.removed_weights.contains(name)) return Drop{};
    const auto found = edited_.model.graph.weights.find(name);
    if (found != edited_.model.graph.weights.end()) {
      if (const auto external = outside(names_.value(name), found->second)) {
        return moved_tensor(message, *external, names_);
      }
    }
    return edited_.rewriter.tensor(message);
  }

  std::optional<External> outside(const std::string& name, const Tensor& tensor) const {
    const auto& wanted = edited_.options.outside;
    if (!wanted || tensor.dtype() == DType::string || !wanted(name, tensor)) return std::nullopt;
    return External{kOutside, 0, stored_bytes(tensor.dtype(), tensor.shape())};
  }

  /// What is new and belongs behind the last old field of this number.
  void add_after(std::uint32_t number) {
    if (number == GraphProto::node) insert_before(node_);
    if (number == GraphProto::initializer) add_weights();
    if (number == GraphProto::output) {
      for (ValueInfo output : edit_.outputs_added) {
        output.name = names_.edited(output.name);
        put(GraphProto::output, encode_value_info(output));
      }
    }
    if (number != GraphProto::input || !edited_.additions.weights_are_inputs) return;
    for (const NewWeight& weight : new_weights()) {
      std::vector<Dim> shape;
      for (const std::int64_t extent : weight.shape) shape.push_back({extent, ""});
      put(GraphProto::input, encode_value_info({weight.name, weight.dtype, std::move(shape)}));
    }
  }

  void add_weights() {
    for (const auto& [name, tensor] : edit_.weights) {
      const NewWeight weight = new_weight(names_.edited(name), tensor);
      std::optional<External> external = outside(weight.name, tensor);
      if (!external && edited_.additions.place) external = edited_.additions.place(weight);
      put(GraphProto::initializer, encode_tensor(weight, external));
    }
    for (const NewWeight& weight : edited_.additions.weights) {
      put(GraphProto::initializer,
          encode_tensor(weight,
                        edited_.additions.place ? edited_.additions.place(weight) : std::nullopt));
    }
  }

  std::vector<NewWeight> new_weights() const {
    std::vector<NewWeight> all;
    for (const auto& [name, tensor] : edit_.weights) {
      all.push_back(new_weight(names_.edited(name), tensor));
    }
    all.insert(all.end(), edited_.additions.weights.begin(), edited_.additions.weights.end());
    return all;
  }

  const EditedModel& edited_;
  const Edit& edit_;
  const Renaming& names_;
  const FieldSink& sink_;
  std::map<std::uint32_t, std::size_t> left_;  ///< fields still to come, by key
  std::vector<Field> nodes_;                   ///< of the file, in the model's order
  std::size_t node_ = 0;                       ///< number of the next one
};

/// The operator set with at least the version that the edit wants of it.
Change raised_opset(std::string_view message, const Edit& edit) {
  const Opset opset = read_opset(message);
  const auto wanted = edit.opsets.find(opset.domain);
  if (wanted == edit.opsets.end() || wanted->second <= opset.version) return Keep{};
  Pieces out;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == varint_key(OperatorSetIdProto::version)) {
      out.varint_field(field.number(), static_cast<std::uint64_t>(wanted->second));
    } else {
      out.view(field.whole);
    }
  }
  return out;
}

class FileWalk {
 public:
  FileWalk(const EditedModel& edited, const ModelParts& parts)
      : edited_(edited),
        edit_(edited.edit),
        opsets_left_(parts.opsets.size()),
        metadata_left_(parts.metadata.size()) {}

  Pieces run() {
    if (opsets_left_ == 0) add_opsets();
    Fields fields(edited_.model.file.text());
    for (Field field; fields.next(field);) {
      change(out_, field, copy(field));
      if (field.key == bytes_key(ModelProto::opset_import) && --opsets_left_ == 0) add_opsets();
      if (field.key == bytes_key(ModelProto::metadata_props) && --metadata_left_ == 0) {
        add_metadata();
      }
    }
    if (!metadata_added_) add_metadata();
    return std::move(out_);
  }

 private:
  Change copy(const Field& field) {
    switch (field.key) {
      case bytes_key(ModelProto::graph): {
        Pieces graph;
        write_graph(edited_, [&](std::uint32_t, Pieces part) { graph.append(std::move(part)); });
        return graph;
      }
      case bytes_key(ModelProto::opset_import):
        return raised_opset(field.payload, edit_);
      case bytes_key(ModelProto::metadata_props): {
        const auto wanted = edit_.metadata.find(std::string(read_entry(field.payload).first));
        if (wanted == edit_.metadata.end()) return Keep{};
        return changed_entry(field.payload, wanted->second);
      }
      default:
        return Keep{};
    }
  }

  void add_opsets() {
    for (const auto& [domain, version] : edit_.opsets) {
      if (edited_.model.opsets.contains(domain)) continue;
      out_.field(ModelProto::opset_import, encode_opset({domain, version}));
    }
  }

  void add_metadata() {
    metadata_added_ = true;
    for (const auto& [key, value] : edit_.metadata) {
      if (edited_.model.metadata.contains(key)) continue;
      out_.field(ModelProto::metadata_props, encode_entry(key, value));
    }
  }

  const EditedModel& edited_;
  const Edit& edit_;
  std::size_t opsets_left_;
  std::size_t metadata_left_;
  bool metadata_added_ = false;
  Pieces out_;
};

}  // namespace

Source source_of(const Model& model) {
  Source source;
  source.path = model.path;
  source.file = model.file;
  return source;
}

Relocate embed(Source& source) {
  return [&source](std::string_view tensor) -> Place {
    if (const std::optional<Bytes> bytes = external_contents(source, tensor)) return *bytes;
    return Keep{};
  };
}

void write_graph(const EditedModel& edited, const FieldSink& sink) {
  in_file(edited.model.path, [&] {
    GraphWalk(edited, sink).run(split_model(edited.model.file.text()).graph.value());
  });
}

Pieces written(const Model& model, const Edit& edit, const WriteOptions& options,
               Additions additions, const Relocate& relocate) {
  const ModelParts parts = split_model(model.file.text());
  additions.weights_are_inputs = parts.ir_version < kFirstWeightsVersion;
  const Rewriter rewriter({}, relocate);
  return FileWalk({model, edit, options, additions, rewriter}, parts).run();
}

void write(const Model& model, const Edit& edit, const WriteOptions& options, const Sink& sink) {
  Source source = source_of(model);
  const Relocate relocate = options.keep_external ? Relocate() : embed(source);
  written(model, edit, options, {}, relocate).emit(sink);
}

std::vector<Node> edited_nodes(const Graph& graph, const Edit& edit, const Renaming& names) {
  std::vector<Node> nodes;
  const auto insert_before = [&](std::size_t number) {
    const auto [begin, end] = edit.inserted.equal_range(number);
    for (auto at = begin; at != end; ++at) nodes.push_back(renamed(at->second, names));
  };
  const auto rename = [&](std::vector<std::string>& list, const Positions* edits) {
    for (std::string& name : list) name = names.value(name);
    if (edits == nullptr) return;
    for (const auto& [position, name] : *edits) {
      if (position >= list.size()) list.resize(position + 1);
      list[position] = names.edited(name);
    }
  };
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    insert_before(i);
    if (edit.removed.contains(i)) continue;
    const Node& old = graph.nodes[i];
    const NodeEdit changes = node_edit(edit, i);
    Node node;
    node.name = names.node(old.name);
    node.type = old.type;
    node.inputs = old.inputs;
    node.outputs = old.outputs;
    rename(node.inputs, changes.inputs);
    rename(node.outputs, changes.outputs);
    for (const std::string& name : captured_values(old)) {
      const auto* to = changes.captured;
      const bool moves = to != nullptr && to->contains(name);
      node.inputs.push_back(moves ? names.edited(to->at(name)) : names.value(name));
    }
    nodes.push_back(std::move(node));
  }
  insert_before(graph.nodes.size());
  return nodes;
}

std::unordered_map<std::string, std::size_t> read_counts(const Graph& graph, const Edit& edit) {
  std::unordered_map<std::string, std::size_t> reads;
  for (const Node& node : edited_nodes(graph, edit, {})) {
    for (const std::string& input : node.inputs) {
      if (!input.empty()) ++reads[input];
    }
  }
  for (const ValueInfo& output : graph.outputs) ++reads[output.name];
  return reads;
}

}  // namespace quantlens::onnx
