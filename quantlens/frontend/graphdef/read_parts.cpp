// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/graphdef/source.h"

namespace quantlens::graphdef {
namespace {

struct TypeRow {
  std::int64_t number;
  std::string_view word;
  std::optional<DType> dtype;  ///< of the elements as they are stored
};

constexpr std::array kTypes = {
    TypeRow{1, "float32", DType::float32},
    TypeRow{2, "float64", DType::float64},
    TypeRow{3, "int32", DType::int32},
    TypeRow{4, "uint8", DType::uint8},
    TypeRow{5, "int16", DType::int16},
    TypeRow{6, "int8", DType::int8},
    TypeRow{7, "string", DType::string},
    TypeRow{8, "complex64", {}},
    TypeRow{9, "int64", DType::int64},
    TypeRow{10, "bool", DType::boolean},
    TypeRow{11, "qint8", DType::int8},
    TypeRow{12, "quint8", DType::uint8},
    TypeRow{13, "qint32", DType::int32},
    TypeRow{14, "bfloat16", DType::bfloat16},
    TypeRow{15, "qint16", DType::int16},
    TypeRow{16, "quint16", DType::uint16},
    TypeRow{17, "uint16", DType::uint16},
    TypeRow{18, "complex128", {}},
    TypeRow{19, "float16", DType::float16},
    TypeRow{20, "resource", {}},
    TypeRow{21, "variant", {}},
    TypeRow{22, "uint32", DType::uint32},
    TypeRow{23, "uint64", DType::uint64},
};

Argument read_argument(std::string_view message) {
  Argument argument;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    switch (field.key) {
      case bytes_key(ArgDef::name):
        argument.name = field.payload;
        break;
      case varint_key(ArgDef::type):
        argument.type = field.integer();
        break;
      case bytes_key(ArgDef::type_attr):
        argument.type_attr = field.payload;
        break;
      case bytes_key(ArgDef::number_attr):
      case bytes_key(ArgDef::type_list_attr):
        argument.is_list = argument.is_list || !field.payload.empty();
        break;
      default:
        break;
    }
  }
  return argument;
}

/// Sets what the function takes and gives; returns its name.
std::string_view read_signature(Function& function, std::string_view message) {
  std::string_view name;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(OpDef::name)) name = field.payload;
    if (field.key == bytes_key(OpDef::input_arg))
      function.inputs.push_back(read_argument(field.payload));
    if (field.key == bytes_key(OpDef::output_arg))
      function.outputs.push_back(read_argument(field.payload));
  }
  return name;
}

/// The elements of an AttrValue.list, of whichever kind they are.
struct Items {
  std::vector<std::string> texts;
  std::vector<std::int64_t> numbers;
  std::vector<std::byte> reals;
  std::vector<std::int64_t> types;
  std::vector<std::string_view> shapes;
};

Items read_items(std::string_view message) {
  Items items;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    switch (field.key) {
      case bytes_key(ListValue::s):
        items.texts.emplace_back(field.payload);
        break;
      case varint_key(ListValue::i):
      case bytes_key(ListValue::i):
      case varint_key(ListValue::b):
      case bytes_key(ListValue::b):
        append_varints(field, items.numbers);
        break;
      case fixed32_key(ListValue::f):
      case bytes_key(ListValue::f):
        append_fixed(field, items.reals);
        break;
      case varint_key(ListValue::type):
      case bytes_key(ListValue::type):
        append_varints(field, items.types);
        break;
      case bytes_key(ListValue::shape):
        items.shapes.push_back(field.payload);
        break;
      case bytes_key(ListValue::func):
        items.texts.emplace_back(read_function_value({.bytes = field.payload}).first);
        break;
      default:
        break;
    }
  }
  return items;
}

/// "[1,?,3]", or "?" where the rank is not known.
std::string shape_word(std::string_view message) {
  const auto shape = read_shape(message);
  if (!shape) return "?";
  std::string text;
  for (const Dim& dim : *shape) {
    if (!text.empty()) text += ',';
    text += dim.extent ? std::to_string(*dim.extent) : "?";
  }
  return '[' + text + ']';
}

Attribute list_of(const Source& source, std::string_view message) {
  Items items = read_items(message);
  if (!items.types.empty()) {
    std::vector<std::string> words;
    for (const std::int64_t number : items.types) words.push_back(type_word(number));
    return words;
  }
  if (!items.shapes.empty()) {
    std::vector<std::string> words;
    for (const std::string_view shape : items.shapes) words.push_back(shape_word(shape));
    return words;
  }
  if (!items.texts.empty()) return std::move(items.texts);
  if (items.reals.empty()) return std::move(items.numbers);
  if (items.reals.size() % sizeof(float) != 0)
    unsound(source.path, "an attribute's floats are cut short");
  std::vector<float> reals(items.reals.size() / sizeof(float));
  std::memcpy(reals.data(), items.reals.data(), items.reals.size());
  return reals;
}

}  // namespace

std::string type_word(std::int64_t number) {
  const auto* const found = std::ranges::find(kTypes, number, &TypeRow::number);
  return found == kTypes.end() ? fmt::format("type {}", number) : std::string(found->word);
}

std::optional<DType> dtype_of_number(std::int64_t number) {
  const auto* const found = std::ranges::find(kTypes, number, &TypeRow::number);
  return found == kTypes.end() ? std::nullopt : found->dtype;
}

std::optional<DType> dtype_of_word(std::string_view word) {
  const auto* const found = std::ranges::find(kTypes, word, &TypeRow::word);
  return found == kTypes.end() ? std::nullopt : found->dtype;
}

std::int64_t number_of_dtype(DType dtype) {
  const auto* const found = std::ranges::find_if(kTypes, [&](const TypeRow& row) {
    return row.dtype == dtype && !row.word.starts_with('q');  // those are codes
  });
  return found == kTypes.end() ? 0 : found->number;
}

void spend(Source& source, std::uint64_t bytes) {
  if (bytes > source.allowance) {
    unsound(source.path,
            "what it asks for, such as constants of one repeated number or calls of "
            "functions, takes more memory than is sensible");
  }
  source.allowance -= bytes;
}

std::pair<std::string_view, std::string_view> read_entry(std::string_view message) {
  std::pair<std::string_view, std::string_view> entry;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(MapEntry::key)) entry.first = field.payload;
    if (field.key == bytes_key(MapEntry::value)) entry.second = field.payload;
  }
  return entry;
}

Value read_value(std::string_view message) {
  Value value;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    switch (field.key) {
      case varint_key(AttrValue::i):
      case varint_key(AttrValue::b):
      case varint_key(AttrValue::type):
        value = {.field = field.number(), .number = field.integer()};
        break;
      case fixed32_key(AttrValue::f):
        value = {.field = field.number(), .real = field.real()};
        break;
      case bytes_key(AttrValue::list):
      case bytes_key(AttrValue::s):
      case bytes_key(AttrValue::shape):
      case bytes_key(AttrValue::tensor):
      case bytes_key(AttrValue::placeholder):
      case bytes_key(AttrValue::func):
        value = {.field = field.number(), .bytes = field.payload};
        break;
      default:
        break;
    }
  }
  return value;
}

std::pair<std::string_view, Values> read_function_value(const Value& value) {
  std::pair<std::string_view, Values> function;
  Fields fields(value.bytes);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(NameAttrList::name)) function.first = field.payload;
    if (field.key != bytes_key(NameAttrList::attr)) continue;
    const auto [key, one] = read_entry(field.payload);
    function.second.insert_or_assign(key, graphdef::read_value(one));
  }
  return function;
}

std::vector<std::pair<std::string_view, Values>> read_functions(const Value& value) {
  std::vector<std::pair<std::string_view, Values>> functions;
  if (value.field == AttrValue::func) functions.push_back(read_function_value(value));
  if (value.field != AttrValue::list) return functions;
  Fields fields(value.bytes);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(ListValue::func))
      functions.push_back(read_function_value({.bytes = field.payload}));
  }
  return functions;
}

NodeParts split_node(const Source& source, std::string_view message) {
  NodeParts parts;
  parts.message = message;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    switch (field.key) {
      case bytes_key(NodeDef::name):
        parts.name = field.payload;
        break;
      case bytes_key(NodeDef::op):
        parts.type = field.payload;
        break;
      case bytes_key(NodeDef::input):
        parts.inputs.push_back(field.payload);
        break;
      case bytes_key(NodeDef::device):
        parts.device = field.payload;
        break;
      case bytes_key(NodeDef::attr): {
        const auto [key, value] = read_entry(field.payload);
        parts.values.insert_or_assign(key, graphdef::read_value(value));
        break;
      }
      default:
        break;
    }
  }
  if (parts.name.empty()) unsound(source.path, "a node has no name");
  if (parts.name.starts_with('^') || parts.name.find(':') != std::string_view::npos) {
    unsound(source.path, fmt::format("'{}' cannot be the name of a node", printable(parts.name)));
  }
  if (parts.type.empty()) {
    unsound(source.path, fmt::format("the node '{}' has no operator", printable(parts.name)));
  }
  return parts;
}

std::string_view add_function(Source& source, std::string_view message) {
  Function function;
  std::string_view name;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == bytes_key(FunctionDef::signature))
      name = read_signature(function, field.payload);
    if (field.key == bytes_key(FunctionDef::node_def)) function.nodes.push_back(field.payload);
    if (field.key == bytes_key(FunctionDef::ret)) {
      const auto [key, value] = read_entry(field.payload);
      function.returned.insert_or_assign(key, value);
    }
  }
  if (name.empty()) unsound(source.path, "a function has no name");
  if (!source.functions.emplace(name, std::move(function)).second)
    unsound(source.path, fmt::format("two functions are named '{}'", printable(name)));
  return name;
}

Reference read_reference(const Source& source, std::string_view text) {
  if (text.starts_with('^')) return {.node = text.substr(1), .output = {}, .is_control = true};
  Reference reference;
  const std::size_t first = text.find(':');
  reference.node = text.substr(0, first);
  if (first == std::string_view::npos) return reference;
  std::string_view number = text.substr(first + 1);
  if (const std::size_t second = number.find(':'); second != std::string_view::npos) {
    reference.output = number.substr(0, second);
    number.remove_prefix(second + 1);
  }
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), reference.number);
  if (error != std::errc() || end != number.data() + number.size()) {
    unsound(source.path, fmt::format("'{}' names no value", printable(text)));
  }
  return reference;
}

std::optional<std::vector<Dim>> read_shape(std::string_view message) {
  std::vector<Dim> shape;
  bool is_known = true;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.key == varint_key(TensorShapeProto::unknown_rank) && field.bits != 0)
      is_known = false;
    if (field.key != bytes_key(TensorShapeProto::dim)) continue;
    std::int64_t size = 0;
    Fields parts(field.payload);
    for (Field part; parts.next(part);) {
      if (part.key == varint_key(DimensionProto::size)) size = part.integer();
    }
    shape.push_back(size < 0 ? Dim() : Dim{.extent = size, .symbol = {}});
  }
  if (!is_known) return std::nullopt;
  return shape;
}

std::vector<std::optional<std::vector<Dim>>> read_shapes(const Value& value) {
  std::vector<std::optional<std::vector<Dim>>> shapes;
  if (value.field != AttrValue::list) return shapes;
  for (const std::string_view shape : read_items(value.bytes).shapes)
    shapes.push_back(read_shape(shape));
  return shapes;
}

std::optional<Attribute> attribute_of(Source& source, const Value& value) {
  switch (value.field) {
    case AttrValue::s:
      return Attribute(std::string(value.bytes));
    case AttrValue::i:
    case AttrValue::b:
      return Attribute(value.number);
    case AttrValue::f:
      return Attribute(value.real);
    case AttrValue::type:
      return Attribute(type_word(value.number));
    case AttrValue::shape:
      return Attribute(shape_word(value.bytes));
    case AttrValue::list:
      return list_of(source, value.bytes);
    case AttrValue::func:
      return Attribute(std::string(read_function_value(value).first));
    case AttrValue::tensor:
      if (auto tensor = read_tensor(source, "an attribute", value.bytes))
        return Attribute(*std::move(tensor));
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace quantlens::graphdef
