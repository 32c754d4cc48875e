// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/arrays.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/dataset/fit.h"

namespace quantlens {
namespace {

constexpr std::size_t kMostNamesShown = 10;

/// One array whose rows become one input.
struct Column {
  std::string input;
  std::string array_name;
  Tensor array;
  DType dtype = DType::float32;  ///< what the model takes
  Shape row;                     ///< of one sample, as the model takes it
};

Tensor row_of(const Tensor& array, std::uint64_t index, const Shape& shape) {
  const std::size_t bytes = array.bytes().size() / static_cast<std::size_t>(array.shape().front());
  return Tensor(array.dtype(), shape, array.bytes().subspan(index * bytes, bytes), array.owner());
}

class ArrayDataset final : public Dataset {
 public:
  ArrayDataset(std::vector<Column> columns, std::optional<Column> label, std::uint64_t size,
               std::string_view where)
      : columns_(std::move(columns)), label_(std::move(label)), size_(size), where_(where) {}

  std::uint64_t size() const override { return size_; }
  bool has_labels() const override { return label_.has_value(); }
  std::string name(std::uint64_t index) const override { return fmt::format("row {}", index); }

  Sample read(std::uint64_t index) const override {
    if (index >= size_) {
      throw Error(Errc::not_found, fmt::format("{}: there is no row {}, only {} of them",
                                               printable(where_), index, size_));
    }
    Sample sample;
    for (const Column& column : columns_) sample.inputs[column.input] = read(column, index);
    if (label_) sample.label = read(*label_, index);
    return sample;
  }

 private:
  Tensor read(const Column& column, std::uint64_t index) const {
    Tensor row = row_of(column.array, index, column.row);
    if (row.dtype() == column.dtype) return row;
    return convert(row, column.dtype,
                   fmt::format("{}: array '{}', row {}", where_, column.array_name, index));
  }

  std::vector<Column> columns_;
  std::optional<Column> label_;
  std::uint64_t size_;
  std::string where_;
};

std::string listed(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() == kMostNamesShown) break;
    shown.push_back(fmt::format("'{}'", printable(name)));
  }
  const bool all = shown.size() == names.size();
  return fmt::format("{}{}", fmt::join(shown, ", "), all ? "" : ", ...");
}

std::vector<std::string> names_of(const std::vector<InputSpec>& inputs) {
  std::vector<std::string> names;
  names.reserve(inputs.size());
  for (const InputSpec& input : inputs) names.push_back(input.name);
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

[[noreturn]] void fail_unknown(std::string_view where, std::string_view what,
                               const std::string& name, const std::vector<std::string>& known) {
  const std::string hint = did_you_mean(name, known);
  throw Error(Errc::usage,
              fmt::format("{}: there is no {} '{}'; {}", printable(where), what, printable(name),
                          hint.empty() ? "there are: " + listed(known) : hint));
}

/// The array's shape after the first axis, or an error where it has none.
Shape row_shape(const Tensor& array, const std::string& name, std::string_view where) {
  if (array.shape().empty()) {
    throw Error(Errc::bad_input,
                fmt::format("{}: array '{}' is a single number; its first axis must be the samples",
                            printable(where), printable(name)));
  }
  return {array.shape().begin() + 1, array.shape().end()};
}

Column input_column(const std::string& array_name, const Tensor& array, const InputSpec& input,
                    std::string_view where) {
  const Shape row = row_shape(array, array_name, where);
  const std::optional<Shape> fitting = fit_shape(row, input);
  if (!fitting || !is_convertible(array.dtype(), input.dtype)) {
    throw Error(Errc::bad_input,
                fmt::format("{}: array '{}' has samples of {} {}, but the model's input '{}' takes "
                            "{}; save the array so, or name another one under inputs",
                            printable(where), printable(array_name), name(array.dtype()),
                            to_string(row), printable(input.name), describe(input)));
  }
  return {.input = input.name,
          .array_name = array_name,
          .array = array,
          .dtype = input.dtype,
          .row = *fitting};
}

Column label_column(const std::string& array_name, const Tensor& array, std::string_view where) {
  LabelForm form = label_form(array.dtype(), row_shape(array, array_name, where));
  return {.input = {},
          .array_name = array_name,
          .array = array,
          .dtype = form.dtype,
          .row = std::move(form.shape)};
}

std::optional<std::string> usual_label(const std::vector<std::string>& arrays,
                                       const std::vector<std::string>& taken) {
  for (const char* name : {"label", "labels", "y"}) {
    if (contains(arrays, name) && !contains(taken, name)) return name;
  }
  return std::nullopt;
}

}  // namespace

ArrayRoles find_roles(const std::vector<std::string>& arrays, const ArrayRoles& roles,
                      const std::vector<InputSpec>& inputs, std::string_view where) {
  const std::vector<std::string> known = names_of(inputs);
  ArrayRoles found = roles;
  for (const auto& [input, array] : roles.inputs) {
    if (!known.empty() && !contains(known, input)) {
      fail_unknown(where, "input of the model", input, known);
    }
    if (!contains(arrays, array)) fail_unknown(where, "array", array, arrays);
  }
  if (roles.label && !contains(arrays, *roles.label)) {
    fail_unknown(where, "array", *roles.label, arrays);
  }

  for (const std::string& input : known) {
    if (!found.inputs.contains(input) && contains(arrays, input)) found.inputs[input] = input;
  }
  std::vector<std::string> taken;
  for (const auto& [input, array] : found.inputs) taken.push_back(array);
  if (!found.label) found.label = usual_label(arrays, taken);
  std::vector<std::string> left;
  for (const std::string& array : arrays) {
    if (!contains(taken, array) && array != found.label) left.push_back(array);
  }
  if (known.empty() && roles.inputs.empty()) {
    for (const std::string& array : left) found.inputs[array] = array;
  } else if (known.size() == 1 && found.inputs.empty() && left.size() == 1) {
    found.inputs[known.front()] = left.front();
  }

  for (const std::string& input : known) {
    if (found.inputs.contains(input)) continue;
    throw Error(Errc::bad_input,
                fmt::format("{}: no array is named like the model's input '{}' (arrays: {}); name "
                            "the array in a data document: npz: {{file: ..., inputs: {{{}: "
                            "ARRAY}}}}",
                            printable(where), printable(input), listed(arrays), printable(input)));
  }
  if (found.inputs.empty()) {
    throw Error(Errc::bad_input, fmt::format("{}: holds no array for an input; save one with "
                                             "numpy.savez",
                                             printable(where)));
  }
  return found;
}

std::unique_ptr<Dataset> make_array_dataset(const TensorMap& arrays, const ArrayRoles& roles,
                                            const std::vector<InputSpec>& inputs,
                                            std::string_view where) {
  std::vector<Column> columns;
  for (const auto& [input, array_name] : roles.inputs) {
    const Tensor& array = arrays.at(array_name);
    const auto spec = std::ranges::find(inputs, input, &InputSpec::name);
    const InputSpec any{.name = input, .dtype = array.dtype(), .shape = {}};
    columns.push_back(input_column(array_name, array, spec == inputs.end() ? any : *spec, where));
  }
  std::optional<Column> label;
  if (roles.label) label = label_column(*roles.label, arrays.at(*roles.label), where);

  const Column& first = columns.front();
  std::vector<const Column*> others;
  others.reserve(columns.size() + 1);
  for (const Column& column : columns) others.push_back(&column);
  if (label) others.push_back(&*label);
  for (const Column* other : others) {
    if (other->array.shape().front() == first.array.shape().front()) continue;
    throw Error(
        Errc::bad_input,
        fmt::format("{}: array '{}' has {} samples, but array '{}' has {}; both need one "
                    "row a sample",
                    printable(where), printable(first.array_name), first.array.shape().front(),
                    printable(other->array_name), other->array.shape().front()));
  }
  const auto size = static_cast<std::uint64_t>(first.array.shape().front());
  if (size == 0) {
    throw Error(Errc::bad_input, fmt::format("{}: array '{}' has no samples; save some",
                                             printable(where), printable(first.array_name)));
  }
  return std::make_unique<ArrayDataset>(std::move(columns), std::move(label), size, where);
}

}  // namespace quantlens
