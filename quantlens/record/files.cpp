// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/files.h"

#include <utility>

#include <fmt/format.h>

#include "quantlens/record/columns.h"
#include "quantlens/record/recipe_document.h"

namespace quantlens {
namespace {

template <class R>
R from_record_in_columns(std::string_view bytes, std::string_view where) {
  return json::decode<R>(from_columns(json::parse(bytes, where), where), where);
}

/// Layout 2 had the figures of one model at the top, where now a member has them.
json::Value under(std::string_view member, std::string_view of_layout_2, json::Value record) {
  if (!record.is_object() || !record.get_object().contains(of_layout_2)) return record;
  return boost::json::object{{member, std::move(record)}};
}

}  // namespace

template <>
std::string to_file(const Recipe& record) {
  return json::dump(recipe_document(record));
}

template <>
std::string to_file(const Plan& record) {
  return json::dump(plan_record(record));
}

template <>
std::string to_file(const Pairing& record) {
  return json::dump(in_columns(json::encode(record)));
}

template <>
std::string to_file(const TapState& record) {
  return to_bytes(record);
}

template <>
std::string to_file(const Histograms& record) {
  return histograms_to_bytes(record.state);
}

template <>
Recipe from_file(std::string_view bytes, std::string_view where) {
  return recipe_of_document(json::parse(bytes, where), where);
}

template <>
Plan from_file(std::string_view bytes, std::string_view where) {
  return from_record_in_columns<Plan>(bytes, where);
}

template <>
Pairing from_file(std::string_view bytes, std::string_view where) {
  return from_record_in_columns<Pairing>(bytes, where);
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
AccuracyRecord from_file(std::string_view bytes, std::string_view where) {
  return json::decode<AccuracyRecord>(under("quantized", "metric", json::parse(bytes, where)),
                                      where);
}

template <>
ProfileRecord from_file(std::string_view bytes, std::string_view where) {
  return json::decode<ProfileRecord>(under("reference", "nodes", json::parse(bytes, where)), where);
}

namespace exported {

std::string remedy(std::size_t number) {
  return fmt::format("remedy_{}.json", number);
}

}  // namespace exported
}  // namespace quantlens
