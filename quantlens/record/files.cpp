// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/files.h"

#include <fmt/format.h>

#include "quantlens/record/columns.h"
#include "quantlens/record/recipe_document.h"

namespace quantlens {
namespace {

/// Layout 2 had the figures of one model at the top, where now a member has them.
json::Value under(std::string_view member, std::string_view of_layout_2,
                  const json::Value& record) {
  if (!record.is_object() || !record.get_object().contains(of_layout_2)) return record;
  return boost::json::object{{member, record}};
}

}  // namespace

template <>
json::Value to_value(const Recipe& record) {
  return recipe_document(record);
}

template <>
json::Value to_value(const Plan& record) {
  return plan_record(record);
}

template <>
json::Value to_value(const Pairing& record) {
  return in_columns(json::encode(record));
}

template <>
Recipe from_value(const json::Value& value, std::string_view where) {
  return recipe_of_document(value, where);
}

template <>
Plan from_value(const json::Value& value, std::string_view where) {
  return json::decode<Plan>(from_columns(value, where), where);
}

template <>
Pairing from_value(const json::Value& value, std::string_view where) {
  return json::decode<Pairing>(from_columns(value, where), where);
}

template <>
AccuracyRecord from_value(const json::Value& value, std::string_view where) {
  return json::decode<AccuracyRecord>(under("quantized", "metric", value), where);
}

template <>
ProfileRecord from_value(const json::Value& value, std::string_view where) {
  return json::decode<ProfileRecord>(under("reference", "nodes", value), where);
}

template <>
std::string to_file(const TapState& record) {
  return to_bytes(record);
}

template <>
std::string to_file(const Histograms& record) {
  return histograms_to_bytes(record.state, [&](const auto& tell) {
    for (const PairedStats& weight : record.weights) tell(weight);
  });
}

template <>
TapState from_file(std::string_view bytes, std::string_view where) {
  return tap_state_from_bytes(bytes, where);
}

template <>
Histograms from_file(std::string_view bytes, std::string_view where) {
  return histograms_from_bytes(bytes, where);
}

template <>
std::string to_file(const Passes& record) {
  return to_bytes(record);
}

template <>
Passes from_file(std::string_view bytes, std::string_view where) {
  return passes_from_bytes(bytes, where);
}

template <>
std::string to_file(const AccuracyState& record) {
  return to_bytes(record);
}

template <>
AccuracyState from_file(std::string_view bytes, std::string_view where) {
  return accuracy_state_from_bytes(bytes, where);
}

namespace exported {

std::string remedy(std::size_t number) {
  return fmt::format("remedy_{}.json", number);
}

}  // namespace exported
}  // namespace quantlens
