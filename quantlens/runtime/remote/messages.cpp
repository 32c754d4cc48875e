// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/messages.h"

#include <utility>

#include <boost/algorithm/hex.hpp>
#include <boost/pfr/tuple_size.hpp>
#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/stats/bytes.h"

namespace quantlens::remote {
namespace {

constexpr char kEscape = '\x01';

/// A field that run.h forgets to describe would stay behind without a word. `at_home`: how many do
/// not travel.
template <class T>
constexpr bool is_described_whole(std::size_t at_home = 0) {
  return boost::pfr::tuple_size_v<T> ==
         boost::mp11::mp_size<json::detail::Members<T>>::value + at_home;
}
static_assert(is_described_whole<Tap>() && is_described_whole<PairTap>() &&
                  is_described_whole<TapSpec>() && is_described_whole<RunOptions>(1) &&
                  is_described_whole<NotTapped>(),
              "describe the new field, too, at the end of runtime/run.h");
static_assert(is_described_whole<TimedOptions>(2),
              "describe the new field, too, at the end of runtime/timed.h");

/// Calls `change` on every text in the value. Values are as deep as messages are: a few levels, or
/// as deep as json::parse allows.
template <class Change>
void for_each_text(json::Value& value, const Change& change) {
  if (value.is_string()) {
    change(value.get_string());
  } else if (value.is_array()) {
    for (json::Value& element : value.get_array()) for_each_text(element, change);
  } else if (value.is_object()) {
    for (auto& member : value.get_object()) for_each_text(member.value(), change);
  }
}

void escape(boost::json::string& text) {
  const std::string_view bytes(text.data(), text.size());
  if (!bytes.starts_with(kEscape) && valid_utf8(bytes) == bytes) return;
  text = kEscape + boost::algorithm::hex_lower(std::string(bytes));
}

void unescape(boost::json::string& text) {
  if (text.empty() || text.front() != kEscape) return;
  try {
    text = boost::algorithm::unhex(std::string(text.data() + 1, text.size() - 1));
  } catch (const boost::algorithm::hex_decode_error&) {
    throw Error(Errc::bad_input, "a name in its text is no hexadecimal");
  }
}

std::string packed(const std::vector<std::string>& strings) {
  std::string out;
  for (const std::string& text : strings) {
    append_u64(out, text.size());
    out += text;
  }
  return out;
}

Tensor strings_from(const TensorText& text, std::string_view bytes) {
  const std::optional<std::int64_t> count = element_count(text.shape);
  constexpr std::size_t kLength = 8;
  if (!count || static_cast<std::uint64_t>(*count) > bytes.size() / kLength) {
    throw Error(Errc::bad_input, "its strings are fewer than their shape says");
  }
  std::vector<std::string> strings;
  for (std::int64_t i = 0; i < *count; ++i) {
    const std::uint64_t length = take_u64(bytes);
    if (length > bytes.size()) throw Error(Errc::bad_input, "a string of it is cut off");
    strings.emplace_back(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  if (!bytes.empty()) throw Error(Errc::bad_input, "its strings are more than their shape says");
  return Tensor::from_strings(text.shape, std::move(strings));
}

}  // namespace

std::string text_of(const json::Value& value) {
  json::Value escaped = value;
  for_each_text(escaped, escape);
  return json::dump(escaped);
}

json::Value value_from(std::string_view text) {
  json::Value value = json::parse(text, "its text");
  for_each_text(value, unescape);
  return value;
}

TensorText add_tensor(const std::string& name, const Tensor& tensor, Body& body) {
  TensorText text{.name = name, .dtype = tensor.dtype(), .shape = tensor.shape()};
  const std::uint64_t before = body.size();
  text.offset = tensor.dtype() == DType::string ? body.add_owned(packed(tensor.strings()))
                                                : body.add(tensor.bytes());
  text.bytes = body.size() > before ? body.size() - text.offset : 0;
  return text;
}

std::vector<TensorText> add_tensors(const TensorMap& tensors, Body& body) {
  std::vector<TensorText> texts;
  for (const auto& [name, tensor] : tensors) texts.push_back(add_tensor(name, tensor, body));
  return texts;
}

Tensor tensor_from(const TensorText& text, const Payload& body) {
  if (text.offset > body.bytes.size() || text.bytes > body.bytes.size() - text.offset) {
    throw Error(Errc::bad_input,
                fmt::format("the elements of '{}' are not in its body", printable(text.name)));
  }
  const Bytes bytes = body.bytes.subspan(text.offset, text.bytes);
  if (text.dtype == DType::string) {
    return strings_from(text, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  return {text.dtype, text.shape, bytes, body.owner};
}

TensorMap tensors_from(const std::vector<TensorText>& texts, const Payload& body) {
  TensorMap tensors;
  for (const TensorText& text : texts) {
    if (!tensors.emplace(text.name, tensor_from(text, body)).second) {
      throw Error(Errc::bad_input, fmt::format("'{}' is there twice", printable(text.name)));
    }
  }
  return tensors;
}

}  // namespace quantlens::remote
