// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/frontend/onnx/source.h"
#include "quantlens/frontend/onnx/wire.h"

namespace quantlens::onnx {
namespace {

/// Walks through all messages that may hold a tensor, and through nothing else.
class Locations {
 public:
  explicit Locations(const fs::path& path) : path_(path) {}

  void model(std::string_view message) {
    each(message, [&](const Field& field) {
      if (field.key == bytes_key(ModelProto::graph)) {
        has_graph = true;
        graph(field.payload, 0);
      }
      if (field.key == bytes_key(ModelProto::functions)) function(field.payload);
      if (field.key == bytes_key(ModelProto::training_info)) training(field.payload);
    });
  }

  std::set<std::string> found;
  bool has_graph = false;

 private:
  template <class F>
  static void each(std::string_view message, F&& call) {
    Fields fields(message);
    for (Field field; fields.next(field);) call(field);
  }

  void graph(std::string_view message, int depth) {
    if (depth > kMostNesting) unsound(path_, "its graphs are nested too deeply");
    each(message, [&](const Field& field) {
      if (field.key == bytes_key(GraphProto::node)) node(field.payload, depth);
      if (field.key == bytes_key(GraphProto::initializer)) tensor(field.payload);
      if (field.key == bytes_key(GraphProto::sparse_initializer)) sparse(field.payload);
    });
  }

  void function(std::string_view message) {
    each(message, [&](const Field& field) {
      if (field.key == bytes_key(FunctionProto::node)) node(field.payload, 0);
    });
  }

  void training(std::string_view message) {
    each(message, [&](const Field& field) {
      if (field.key == bytes_key(TrainingInfoProto::initialization) ||
          field.key == bytes_key(TrainingInfoProto::algorithm))
        graph(field.payload, 0);
    });
  }

  void node(std::string_view message, int depth) {
    each(message, [&](const Field& field) {
      if (field.key == bytes_key(NodeProto::attribute)) attribute(field.payload, depth);
    });
  }

  void attribute(std::string_view message, int depth) {
    each(message, [&](const Field& field) {
      switch (field.key) {
        case bytes_key(AttributeProto::t):
        case bytes_key(AttributeProto::tensors):
          return tensor(field.payload);
        case bytes_key(AttributeProto::g):
        case bytes_key(AttributeProto::graphs):
          return graph(field.payload, depth + 1);
        case bytes_key(AttributeProto::sparse_tensor):
        case bytes_key(AttributeProto::sparse_tensors):
          return sparse(field.payload);
        default:
          return;
      }
    });
  }

  void sparse(std::string_view message) {
    each(message, [&](const Field& field) {
      if (field.key == bytes_key(SparseTensorProto::values) ||
          field.key == bytes_key(SparseTensorProto::indices))
        tensor(field.payload);
    });
  }

  void tensor(std::string_view message) {
    each(message, [&](const Field& field) {
      if (field.key != bytes_key(TensorProto::external_data)) return;
      const auto [key, value] = read_entry(field.payload);
      if (key == "location") found.emplace(value);
    });
  }

  const fs::path& path_;
};

}  // namespace

std::set<std::string> locations_in(const fs::path& path, std::string_view message) {
  return in_file(path, [&] {
    Locations locations(path);
    locations.model(message);
    if (!locations.has_graph) unsound(path, "it has no graph");
    return std::move(locations.found);
  });
}

}  // namespace quantlens::onnx
