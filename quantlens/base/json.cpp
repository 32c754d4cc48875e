// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/json.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <fmt/format.h>

#include "quantlens/base/code_points.h"
#include "quantlens/base/error.h"
#include "quantlens/base/json_line.h"
#include "quantlens/base/text.h"

namespace quantlens::json {
namespace {

using boost::system::error_code;

constexpr std::size_t kDeepest = 64;

/// Builds a value out of parser events. Boost 1.81 computes doubles with an error in the last
/// place; here their text is kept and read again exactly.
class Builder {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the parser asks for these names
  static constexpr std::size_t max_object_size = boost::json::object::max_size();
  static constexpr std::size_t max_array_size = boost::json::array::max_size();
  static constexpr std::size_t max_key_size = boost::json::string::max_size();
  static constexpr std::size_t max_string_size = boost::json::string::max_size();
  // NOLINTEND(readability-identifier-naming)

  Builder() { stack_.reset(); }
  Value take() { return stack_.release(); }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t n, error_code&) { return stack_.push_array(n), true; }
  bool on_object_begin(error_code&) { return true; }
  bool on_object_end(std::size_t n, error_code&) { return stack_.push_object(n), true; }
  bool on_key_part(std::string_view s, std::size_t, error_code&) {
    return stack_.push_chars(s), true;
  }
  bool on_key(std::string_view s, std::size_t, error_code&) { return stack_.push_key(s), true; }
  bool on_string_part(std::string_view s, std::size_t, error_code&) {
    return stack_.push_chars(s), true;
  }
  bool on_string(std::string_view s, std::size_t, error_code&) {
    return stack_.push_string(s), true;
  }
  bool on_number_part(std::string_view s, error_code&) { return number_ += s, true; }
  bool on_int64(std::int64_t i, std::string_view, error_code&) {
    number_.clear();
    return stack_.push_int64(i), true;
  }
  bool on_uint64(std::uint64_t u, std::string_view, error_code&) {
    number_.clear();
    return stack_.push_uint64(u), true;
  }
  bool on_double(double rough, std::string_view s, error_code& ec) {
    number_ += s;
    double value = 0;  // stays where the number is too small for a double
    const auto error = std::from_chars(number_.data(), number_.data() + number_.size(), value).ec;
    if (error == std::errc::result_out_of_range && std::abs(rough) > 1) {
      ec = boost::json::error::exponent_overflow;
      return false;
    }
    number_.clear();
    return stack_.push_double(value), true;
  }
  bool on_bool(bool b, error_code&) { return stack_.push_bool(b), true; }
  bool on_null(error_code&) { return stack_.push_null(), true; }
  bool on_comment_part(std::string_view, error_code&) { return true; }
  bool on_comment(std::string_view, error_code&) { return true; }

 private:
  boost::json::value_stack stack_;
  std::string number_;
};

void append_string(std::string& out, std::string_view text) {
  constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  out += '"';
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; };
  if (std::ranges::all_of(text, is_plain)) {
    out += text;
    out += '"';
    return;
  }
  const std::string valid = valid_utf8(text);
  for (std::string_view rest = valid; !rest.empty();) {
    const std::string_view before = rest;
    const char32_t c = *take_code_point(rest);
    const std::size_t special = kEscaped.find(before.front());
    if (special != std::string_view::npos) {
      out += '\\';
      out += kLetters[special];
    } else if (is_escaped(c)) {
      out += escape_of(c);
    } else {
      out += before.substr(0, before.size() - rest.size());
    }
  }
  out += '"';
}

bool is_number(const Value& value) {
  if (value.is_number() || value.is_null()) return true;
  return value.is_string() && (value.get_string() == "nan" || value.get_string() == "inf" ||
                               value.get_string() == "-inf");
}

bool has_only_numbers(const Value& value) {
  return value.is_array() && std::ranges::all_of(value.get_array(), is_number);
}

/// A list of so many objects that it is read as a table, by lines.
bool is_table(const boost::json::array& array) {
  constexpr std::size_t kFewRows = 16;
  return array.size() > kFewRows &&
         std::ranges::all_of(array, [](const Value& row) { return row.is_object(); });
}

class Printer {
 public:
  std::string take() { return std::move(out_); }

  void print(const Value& value, std::size_t depth, bool is_row = false) {
    switch (value.kind()) {
      case boost::json::kind::object:
      case boost::json::kind::array:
        return print_nested(value, depth, is_row);
      case boost::json::kind::string:
        return append_string(out_, value.get_string());
      case boost::json::kind::double_:
        return print_double(value.get_double());
      case boost::json::kind::int64:
        return append(value.get_int64());
      case boost::json::kind::uint64:
        return append(value.get_uint64());
      case boost::json::kind::bool_:
        out_ += value.get_bool() ? "true" : "false";
        return;
      case boost::json::kind::null:
        out_ += "null";
        return;
    }
  }

 private:
  template <class Integer>
  void append(Integer value) {
    fmt::format_to(std::back_inserter(out_), "{}", value);
  }

  void print_double(double value) {
    const std::string text = exact_number(value);
    out_ += std::isfinite(value) ? text : '"' + text + '"';
  }

  /// On the line that has begun, if it may stand there; else on several.
  void print_nested(const Value& value, std::size_t depth, bool is_row) {
    if (depth >= kDeepest) {
      throw Error(Errc::failed,
                  fmt::format("JSON deeper than {} levels cannot be written; make the "
                              "document flatter",
                              kDeepest));
    }
    const bool is_line = is_row || has_only_numbers(value);
    if (line_end_ || (depth == 0 && !is_line)) return print_inside(value, depth);
    const std::size_t begin = out_.size();
    line_end_ = is_line ? out_.max_size() : line_begin_ + kColumns;
    blank_ = is_row ? "" : " ";
    print_inside(value, depth);
    blank_ = " ";
    if (out_.size() <= *std::exchange(line_end_, std::nullopt)) return;
    out_.resize(begin);
    print_inside(value, depth);
  }

  void print_inside(const Value& value, std::size_t depth) {
    value.is_object() ? print_object(value.get_object(), depth)
                      : print_array(value.get_array(), depth);
  }

  void print_object(const boost::json::object& object, std::size_t depth) {
    out_ += '{';
    bool is_first = true;
    for (const auto& member : object) {
      if (is_full()) return;
      begin_element(std::exchange(is_first, false), depth);
      append_string(out_, member.key());
      out_ += ':';
      out_ += blank_;
      print(member.value(), depth + 1);
    }
    if (!line_end_ && !object.empty()) new_line(depth);
    out_ += '}';
  }

  void print_array(const boost::json::array& array, std::size_t depth) {
    const bool has_rows = is_table(array);
    out_ += '[';
    bool is_first = true;
    for (const Value& element : array) {
      if (is_full()) return;
      begin_element(std::exchange(is_first, false), depth);
      print(element, depth + 1, has_rows);
    }
    if (!line_end_ && !array.empty()) new_line(depth);
    out_ += ']';
  }

  void begin_element(bool is_first, std::size_t depth) {
    if (!is_first) out_ += ',';
    if (!line_end_) return new_line(depth + 1);
    if (!is_first) out_ += blank_;
  }

  void new_line(std::size_t depth) {
    out_ += '\n';
    line_begin_ = out_.size();
    out_.append(2 * depth, ' ');
  }

  bool is_full() const { return line_end_ && out_.size() > *line_end_; }

  static constexpr std::size_t kColumns = 99;  // and a comma

  std::string out_;
  std::size_t line_begin_ = 0;
  /// How long `out_` may become, while a value is tried on the line that has begun.
  std::optional<std::size_t> line_end_;
  std::string_view blank_ = " ";  ///< behind commas on a line, and colons; rows have none
};

std::string problem_of(const error_code& ec) {
  if (ec == boost::json::error::too_deep) return fmt::format("more than {} levels", kDeepest);
  if (ec == boost::json::error::exponent_overflow) return "a number is too large";
  if (ec == boost::json::error::incomplete) return "it ends too early";
  if (ec == boost::json::error::extra_data) return "something follows its end";
  return ec.message();
}

[[noreturn]] void fail_parse(std::string_view text, std::string_view where, std::size_t offset,
                             const error_code& ec) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // 0 where there is no line break
  throw Error(Errc::bad_input,
              fmt::format("{}: line {}, column {}: not valid JSON: {}; correct or restore it",
                          printable(where), std::ranges::count(before, '\n') + 1,
                          before.size() - line_start + 1, problem_of(ec)));
}

}  // namespace

std::string dump(const Value& value) {
  Printer printer;
  printer.print(value, 0);
  return printer.take() + '\n';
}

Value parse(std::string_view text, std::string_view where) {
  boost::json::parse_options options;
  options.max_depth = kDeepest;
  boost::json::basic_parser<Builder> parser(options);
  error_code ec;
  const std::size_t used = parser.write_some(false, text.data(), text.size(), ec);
  if (!ec && used < text.size()) ec = boost::json::error::extra_data;
  if (ec) fail_parse(text, where, used, ec);
  return parser.handler().take();
}

namespace detail {

void fail(const Place& place, std::string_view problem) {
  std::string path;
  const Place* at = &place;
  for (; at->parent != nullptr; at = at->parent) {
    std::string step = at->name.empty() ? fmt::format("[{}]", at->index) : printable(at->name);
    if (!path.empty() && path.front() != '[') step += '.';
    path.insert(0, step);
  }
  if (!path.empty()) path += ": ";
  throw Error(Errc::bad_input, fmt::format("{}: {}{}", printable(at->name), path, problem));
}

void fail_enum(const Place& place, const Value& value, const std::vector<std::string_view>& names) {
  constexpr std::size_t kMostListed = 12;
  const bool are_listed = names.size() <= kMostListed;
  const std::string expected =
      are_listed ? fmt::format("expected one of {}", fmt::join(names, ", ")) : "expected a word";
  if (!value.is_string()) fail(place, expected);
  const std::string text(value.get_string());
  const std::vector<std::string> known(names.begin(), names.end());
  const std::string hint = are_listed ? expected : did_you_mean(text, known);
  fail(place, fmt::format("'{}' is unknown{}{}", printable(text), hint.empty() ? "" : "; ", hint));
}

Value encode_double(double value) {
  if (std::isfinite(value)) return value;
  return Value(exact_number(value));
}

Value encode_float(float value) {
  if (!std::isfinite(value)) return encode_double(static_cast<double>(value));
  const std::string text = fmt::format("{}", value);
  double shortest = 0;
  std::from_chars(text.data(), text.data() + text.size(), shortest);
  return static_cast<float>(shortest) == value ? shortest : static_cast<double>(value);
}

double decode_double(const Value& value, const Place& place) {
  if (value.is_double()) return value.get_double();
  if (value.is_int64()) return static_cast<double>(value.get_int64());
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  if (value.is_string()) {
    if (value.get_string() == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (value.get_string() == "inf") return std::numeric_limits<double>::infinity();
    if (value.get_string() == "-inf") return -std::numeric_limits<double>::infinity();
  }
  fail(place, "expected a number");
}

void decode_as(Tag<float>, const Value& value, const Place& place, float& out) {
  const double number = decode_double(value, place);
  if (std::isfinite(number) && std::abs(number) > std::numeric_limits<float>::max()) {
    fail(place, fmt::format("{} is too large for a 32-bit float", exact_number(number)));
  }
  out = static_cast<float>(number);
}

namespace {

/// An integer in either of Boost's two kinds, or a double without a fraction (1e3).
struct Integer {
  bool negative = false;
  std::uint64_t magnitude = 0;
};

Integer integer_of(const Value& value, const Place& place) {
  if (value.is_uint64()) return {false, value.get_uint64()};
  if (value.is_int64()) {
    const auto bits = static_cast<std::uint64_t>(value.get_int64());
    return value.get_int64() < 0 ? Integer{true, 0 - bits} : Integer{false, bits};
  }
  constexpr double kExact = 9007199254740992;  // 2^53: beyond it doubles skip integers
  if (value.is_double() && std::abs(value.get_double()) <= kExact &&
      std::trunc(value.get_double()) == value.get_double()) {
    return {value.get_double() < 0, static_cast<std::uint64_t>(std::abs(value.get_double()))};
  }
  fail(place, "expected an integer");
}

template <class Limit>
[[noreturn]] void fail_range(const Integer& integer, Limit min, Limit max, const Place& place) {
  fail(place, fmt::format("{}{} is outside {}..{}", integer.negative ? "-" : "", integer.magnitude,
                          min, max));
}

}  // namespace

std::int64_t decode_signed(const Value& value, std::int64_t min, std::int64_t max,
                           const Place& place) {
  const Integer integer = integer_of(value, place);
  const auto least = 0 - static_cast<std::uint64_t>(min);  // min's magnitude
  if (integer.magnitude > (integer.negative ? least : static_cast<std::uint64_t>(max))) {
    fail_range(integer, min, max, place);
  }
  return static_cast<std::int64_t>(integer.negative ? 0 - integer.magnitude : integer.magnitude);
}

std::uint64_t decode_unsigned(const Value& value, std::uint64_t max, const Place& place) {
  const Integer integer = integer_of(value, place);
  if (integer.negative || integer.magnitude > max) {
    fail_range(integer, std::uint64_t{0}, max, place);
  }
  return integer.magnitude;
}

const boost::json::array& decode_array(const Value& value, const Place& place) {
  if (!value.is_array()) fail(place, "expected an array");
  return value.get_array();
}

const boost::json::object& decode_object(const Value& value, const Place& place) {
  if (!value.is_object()) fail(place, "expected an object");
  return value.get_object();
}

std::string decode_string(const Value& value, const Place& place) {
  if (!value.is_string()) fail(place, "expected a string");
  return std::string(value.get_string());
}

bool decode_bool(const Value& value, const Place& place) {
  if (!value.is_bool()) fail(place, "expected true or false");
  return value.get_bool();
}

}  // namespace detail
}  // namespace quantlens::json
