// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/statement.h"

namespace quantlens {

Statement said_in_words(std::string_view words) {
  return {.says = "words", .figures = {{"text", figure::text(words)}}};
}

namespace figure {
namespace {

Figure named(FigureKind kind, std::string_view name) {
  return {.is = kind, .value = json::Value(name)};
}

Figure all_named(FigureKind kind, const std::vector<std::string>& names) {
  return {.is = kind, .value = json::encode(names)};
}

}  // namespace

Figure number(double value) {
  return {.is = FigureKind::number, .value = json::encode(value)};
}

Figure numbers(const std::array<double, 2>& ends) {
  return {.is = FigureKind::number, .value = json::encode(ends)};
}

Figure whole(std::int64_t value) {
  return {.is = FigureKind::number, .value = json::encode(value)};
}

Figure wholes(const std::vector<std::int64_t>& values) {
  return {.is = FigureKind::number, .value = json::encode(values)};
}

Figure count(std::uint64_t value) {
  return {.is = FigureKind::count, .value = json::encode(value)};
}

Figure counts(const std::vector<std::pair<std::string, std::uint64_t>>& of_each) {
  boost::json::object object;
  for (const auto& [name, count] : of_each) object[name] = count;
  return {.is = FigureKind::count, .value = std::move(object)};
}

Figure share(double value) {
  return {.is = FigureKind::share, .value = json::encode(value)};
}

Figure shares(const std::array<double, 2>& ends) {
  return {.is = FigureKind::share, .value = json::encode(ends)};
}

Figure decibels(double value) {
  return {.is = FigureKind::decibels, .value = json::encode(value)};
}

Figure microseconds(double value) {
  return {.is = FigureKind::microseconds, .value = json::encode(value)};
}

Figure op(const OpRef& op) {
  return {.is = FigureKind::op, .value = json::encode(op)};
}

Figure ops(const std::vector<OpRef>& ops) {
  return {.is = FigureKind::op, .value = json::encode(ops)};
}

Figure value(std::string_view name) {
  return named(FigureKind::value, name);
}

Figure values(const std::vector<std::string>& names) {
  return all_named(FigureKind::value, names);
}

Figure text(std::string_view words) {
  return named(FigureKind::text, words);
}

Figure texts(const std::vector<std::string>& words) {
  return all_named(FigureKind::text, words);
}

}  // namespace figure
}  // namespace quantlens
