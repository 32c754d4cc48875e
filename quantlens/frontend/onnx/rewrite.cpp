// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/rewrite.h"

#include <utility>

#include <fmt/format.h>

namespace quantlens::onnx {
namespace {

constexpr char kFinal = '\1';

std::size_t count(std::string_view message, std::uint32_t key) {
  std::size_t n = 0;
  Fields fields(message);
  for (Field field; fields.next(field);) n += field.key == key ? 1 : 0;
  return n;
}

/// The elements of a TensorProto, or where they are.
bool is_contents(const Field& field) {
  switch (field.number()) {
    case TensorProto::float_data:
    case TensorProto::int32_data:
    case TensorProto::string_data:
    case TensorProto::int64_data:
    case TensorProto::raw_data:
    case TensorProto::double_data:
    case TensorProto::uint64_data:
    case TensorProto::data_location:
      return true;
    default:
      return false;
  }
}

Change tensor_name_change(const Field& field, const Renaming& names) {
  if (field.key != bytes_key(TensorProto::name)) return Keep{};
  return text_change(field, names.value(field.payload));
}

/// A TensorProto whose elements are `bytes` from now on.
Pieces filled_tensor(std::string_view message, Bytes bytes, const Renaming& names) {
  Pieces out = rewrite(message, [&](const Field& field) -> Change {
    if (is_contents(field) || field.number() == TensorProto::external_data) return Drop{};
    return tensor_name_change(field, names);
  });
  Pieces data;
  data.view(as_text(bytes));
  out.field(TensorProto::raw_data, std::move(data));
  return out;
}

/// One of the two lists of names of a node while it is copied.
class NameList {
 public:
  NameList(std::uint32_t number, std::string_view message, const Positions* edits,
           const Renaming& names)
      : number_(number), total_(count(message, bytes_key(number))), edits_(edits), names_(names) {}

  /// REQUIRES: `field` is the next of the list.
  void copy(const Field& field, Pieces& out) {
    change(out, field, text_change(field, name(field.payload)));
    if (++at_ == total_) append_new(out);
  }

  /// The names past the end; to be called once even where the list is empty.
  void append_new(Pieces& out) {
    if (edits_ == nullptr || edits_->empty()) return;
    for (std::size_t i = total_; i <= edits_->rbegin()->first; ++i) {
      const auto edit = edits_->find(i);
      out.field(number_, edit == edits_->end() ? "" : names_.edited(edit->second));
    }
  }

  bool is_empty() const { return total_ == 0; }

 private:
  std::string name(std::string_view old) const {
    if (edits_ != nullptr) {
      if (const auto edit = edits_->find(at_); edit != edits_->end()) {
        return names_.edited(edit->second);
      }
    }
    return names_.value(old);
  }

  std::uint32_t number_;
  std::size_t total_;
  const Positions* edits_;
  const Renaming& names_;
  std::size_t at_ = 0;
};

Pieces renamed_dims(std::string_view shape, const Renaming& names) {
  return rewrite(shape, [&](const Field& dim) -> Change {
    if (dim.key != bytes_key(TensorShapeProto::dim)) return Keep{};
    return rewrite(dim.payload, [&](const Field& field) -> Change {
      if (field.key != bytes_key(DimensionProto::dim_param)) return Keep{};
      return text_change(field, names.dim(field.payload));
    });
  });
}

/// Tensor types only: the symbols of others (sequences, …) stay.
Pieces renamed_type(std::string_view type, const Renaming& names) {
  return rewrite(type, [&](const Field& tensor) -> Change {
    if (tensor.key != bytes_key(TypeProto::tensor_type)) return Keep{};
    return rewrite(tensor.payload, [&](const Field& field) -> Change {
      if (field.key != bytes_key(TensorTypeProto::shape)) return Keep{};
      return renamed_dims(field.payload, names);
    });
  });
}

}  // namespace

void change(Pieces& out, const Field& field, Change answer) {
  auto* const contents = std::get_if<Pieces>(&answer);
  if (contents != nullptr && !contents->is_view_of(field.payload)) {
    out.field(field.number(), std::move(*contents));
  } else if (!std::holds_alternative<Drop>(answer)) {
    out.view(field.whole);
  }
}

Change text_change(const Field& field, std::string_view now) {
  if (field.payload == now) return Keep{};
  Pieces contents;
  contents.text(now);
  return contents;
}

std::string Renaming::value(std::string_view name) const {
  if (name.empty()) return {};
  const auto found = values.find(name);
  return found != values.end() ? found->second : prefix + std::string(name);
}

std::string Renaming::node(std::string_view name) const {
  return name.empty() ? std::string() : prefix + std::string(name);
}

std::string Renaming::dim(std::string_view symbol) const {
  if (symbol.empty()) return {};
  const auto found = dims.find(symbol);
  return found != dims.end() ? found->second : prefix + std::string(symbol);
}

std::string Renaming::edited(std::string_view name) const {
  if (has_final_names && name.starts_with(kFinal)) return std::string(name.substr(1));
  return value(name);
}

std::string Renaming::edited_node(std::string_view name) const {
  if (has_final_names && name.starts_with(kFinal)) return std::string(name.substr(1));
  return node(name);
}

Pieces Rewriter::node(std::string_view message, const NodeEdit& edit) const {
  std::optional<Rewriter> renamed;  // its values are others inside
  if (edit.captured != nullptr) {
    Renaming inner = names_;
    for (const auto& [from, to] : *edit.captured) {
      inner.values.insert_or_assign(from, names_.edited(to));
    }
    renamed.emplace(std::move(inner), relocate_);
  }
  const Rewriter& inside = renamed ? *renamed : *this;
  NameList inputs(NodeProto::input, message, edit.inputs, names_);
  NameList outputs(NodeProto::output, message, edit.outputs, names_);
  Pieces out;
  if (inputs.is_empty()) inputs.append_new(out);
  if (outputs.is_empty()) outputs.append_new(out);
  Fields fields(message);
  for (Field field; fields.next(field);) {
    switch (field.key) {
      case bytes_key(NodeProto::input):
        inputs.copy(field, out);
        break;
      case bytes_key(NodeProto::output):
        outputs.copy(field, out);
        break;
      case bytes_key(NodeProto::name):
        change(out, field,
               text_change(field, edit.name != nullptr ? names_.edited_node(*edit.name)
                                                       : names_.node(field.payload)));
        break;
      case bytes_key(NodeProto::attribute):
        change(out, field, inside.attribute(field.payload));
        break;
      default:
        out.view(field.whole);
    }
  }
  if (edit.name != nullptr && count(message, bytes_key(NodeProto::name)) == 0) {
    out.field(NodeProto::name, names_.edited_node(*edit.name));
  }
  return out;
}

Pieces Rewriter::attribute(std::string_view message) const {
  return rewrite(message, [&](const Field& field) -> Change {
    switch (field.key) {
      case bytes_key(AttributeProto::g):
      case bytes_key(AttributeProto::graphs):
        return graph(field.payload);
      case bytes_key(AttributeProto::t):
      case bytes_key(AttributeProto::tensors):
        return tensor_named(field.payload, {});  // it is no value
      default:
        return Keep{};
    }
  });
}

Pieces Rewriter::graph(std::string_view message) const {
  return rewrite(message, [&](const Field& field) -> Change {
    switch (field.key) {
      case bytes_key(GraphProto::node):
        return node(field.payload, {});
      case bytes_key(GraphProto::initializer):
        return tensor(field.payload);
      case bytes_key(GraphProto::sparse_initializer):
        return sparse_tensor(field.payload);
      case bytes_key(GraphProto::input):
      case bytes_key(GraphProto::output):
      case bytes_key(GraphProto::value_info):
        return value_info(field.payload);
      case bytes_key(GraphProto::quantization_annotation):
        if (names_.prefix.empty()) return Keep{};
        return Drop{};  // it names values, and nothing reads it
      default:
        return Keep{};
    }
  });
}

Pieces Rewriter::value_info(std::string_view message) const {
  return rewrite(message, [&](const Field& field) -> Change {
    if (field.key == bytes_key(ValueInfoProto::name)) {
      return text_change(field, names_.value(field.payload));
    }
    if (field.key == bytes_key(ValueInfoProto::type) && !names_.prefix.empty()) {
      return renamed_type(field.payload, names_);
    }
    return Keep{};
  });
}

Pieces Rewriter::tensor(std::string_view message) const {
  return tensor_named(message, names_);
}

Pieces Rewriter::tensor_named(std::string_view message, const Renaming& names) const {
  const Place place = relocate_ ? relocate_(message) : Place(Keep{});
  if (const auto* external = std::get_if<External>(&place)) {
    return moved_tensor(message, *external, names);
  }
  if (const auto* bytes = std::get_if<Bytes>(&place)) return filled_tensor(message, *bytes, names);
  if (names.is_identity()) {
    Pieces same;
    same.view(message);
    return same;
  }
  return rewrite(message, [&](const Field& field) { return tensor_name_change(field, names); });
}

Pieces Rewriter::sparse_tensor(std::string_view message) const {
  return rewrite(message, [&](const Field& field) -> Change {
    if (field.key != bytes_key(SparseTensorProto::values)) return Keep{};
    return tensor(field.payload);
  });
}

Pieces moved_tensor(std::string_view message, const External& external, const Renaming& names) {
  const std::map<std::string_view, std::string> wanted = {
      {"location", external.location},
      {"offset", fmt::to_string(external.offset)},
      {"length", fmt::to_string(external.length.value_or(0))}};
  std::map<std::string_view, std::string> missing = wanted;
  Pieces out = rewrite(message, [&](const Field& field) -> Change {
    if (is_contents(field)) return Drop{};
    if (field.key != bytes_key(TensorProto::external_data)) return tensor_name_change(field, names);
    const std::string_view key = read_entry(field.payload).first;
    const auto found = wanted.find(key);
    if (found == wanted.end()) return Keep{};
    missing.erase(key);
    return changed_entry(field.payload, found->second);
  });
  for (const auto& [key, value] : missing) {
    out.field(TensorProto::external_data, encode_entry(key, value));
  }
  out.varint_field(TensorProto::data_location, 1);
  return out;
}

Pieces changed_entry(std::string_view message, std::string_view value) {
  bool found = false;
  Pieces out = rewrite(message, [&](const Field& field) -> Change {
    if (field.key != bytes_key(StringStringEntryProto::value)) return Keep{};
    found = true;
    return text_change(field, value);
  });
  if (!found) out.field(StringStringEntryProto::value, value);
  return out;
}

}  // namespace quantlens::onnx
