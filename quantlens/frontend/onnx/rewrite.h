// Copies of messages with names, or places of weights, changed: whatever is not changed is a range
// of the old file, so unknown fields and their order stay.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "quantlens/frontend/onnx/encode.h"
#include "quantlens/frontend/onnx/wire.h"
#include "quantlens/frontend/pieces.h"

namespace quantlens::onnx {

using protobuf::Pieces;

/// What becomes of one field: it stays, it goes, or it has these contents now.
struct Keep {};
struct Drop {};
using Change = std::variant<Keep, Drop, Pieces>;

/// The change to a field of text.
Change text_change(const Field& field, std::string_view now);

/// Copies a field as changed. Contents that are the old ones keep the old tag and length, too.
void change(Pieces& out, const Field& field, Change answer);

/// Copies a message, asking `answer(field)` of each field.
template <class F>
Pieces rewrite(std::string_view message, F&& answer) {
  Pieces out;
  Fields fields(message);
  for (Field field; fields.next(field);) change(out, field, answer(field));
  return out;
}

/// New names for what a graph holds: those of `values`, and a prefix for all others.
struct Renaming {
  std::string prefix;
  std::map<std::string, std::string, std::less<>> values;
  std::map<std::string, std::string, std::less<>> dims;  ///< symbols of extents
  bool has_final_names = false;  ///< names in an Edit that begin with '\1' are final without it

  bool is_identity() const { return prefix.empty() && values.empty(); }
  std::string value(std::string_view name) const;  ///< no name stays no name
  std::string node(std::string_view name) const;
  std::string dim(std::string_view symbol) const;
  /// The final form of a value's or a node's name in an Edit.
  std::string edited(std::string_view name) const;
  std::string edited_node(std::string_view name) const;
};

/// New names by position, as in Edit.
using Positions = std::map<std::size_t, std::string>;

struct NodeEdit {
  const Positions* inputs = nullptr;  ///< null: no change
  const Positions* outputs = nullptr;
  const std::map<std::string, std::string>* captured = nullptr;
  const std::string* name = nullptr;
};

/// What becomes of the bytes of a TensorProto: they stay where they are, are elsewhere from now on,
/// or are these, in the message.
using Place = std::variant<Keep, External, Bytes>;
using Relocate = std::function<Place(std::string_view tensor)>;

class Rewriter {
 public:
  explicit Rewriter(Renaming names, Relocate relocate = {})
      : names_(std::move(names)), relocate_(std::move(relocate)) {}
  const Renaming& names() const { return names_; }

  Pieces node(std::string_view message, const NodeEdit& edit) const;
  Pieces graph(std::string_view message) const;  ///< of an attribute
  Pieces value_info(std::string_view message) const;
  Pieces tensor(std::string_view message) const;
  Pieces sparse_tensor(std::string_view message) const;

 private:
  Pieces attribute(std::string_view message) const;
  Pieces tensor_named(std::string_view message, const Renaming& names) const;

  Renaming names_;
  Relocate relocate_;
};

/// A TensorProto whose elements are `external` from now on.
Pieces moved_tensor(std::string_view message, const External& external, const Renaming& names);

/// An entry of key and value with another value.
Pieces changed_entry(std::string_view message, std::string_view value);

}  // namespace quantlens::onnx
