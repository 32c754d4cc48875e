// SPDX-License-Identifier: Apache-2.0
#include "quantlens/record/columns.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

constexpr const char* kScale = "scale";
constexpr const char* kZeroPoint = "zero_point";

/// Calls `change` on each value inside a record, innermost first. Records are as deep as
/// json::parse allows.
template <class Change>
void for_each_value(json::Value& value, const Change& change) {
  if (auto* object = value.if_object()) {
    for (auto& member : *object) for_each_value(member.value(), change);
  } else if (auto* array = value.if_array()) {
    for (json::Value& element : *array) for_each_value(element, change);
  }
  change(value);
}

bool has_only_parameters(const json::Value& value) {
  const auto* object = value.if_object();
  return object != nullptr && object->size() == 2 && object->contains(kScale) &&
         object->contains(kZeroPoint);
}

void to_columns(json::Value& value) {
  const auto* list = value.if_array();
  if (list == nullptr || list->size() < 2 || !std::ranges::all_of(*list, has_only_parameters)) {
    return;
  }
  boost::json::array scales;
  boost::json::array zero_points;
  for (const json::Value& params : *list) {
    scales.push_back(params.as_object().at(kScale));
    zero_points.push_back(params.as_object().at(kZeroPoint));
  }
  const bool same = std::ranges::all_of(
      zero_points, [&](const json::Value& one) { return one == zero_points.front(); });
  json::Value zero_point = same ? zero_points.front() : json::Value(std::move(zero_points));
  value = {{kScale, std::move(scales)}, {kZeroPoint, std::move(zero_point)}};
}

}  // namespace

json::Value in_columns(json::Value record) {
  for_each_value(record, to_columns);
  return record;
}

json::Value plan_record(const Plan& plan) {
  json::Value record = json::encode(plan);
  for (json::Value& weight : record.at("weights_quantized").as_array()) {
    boost::json::array& params = weight.at("params").as_array();
    if (weight.at("scheme").at("dtype") == "int32" && params.size() > 1) params.clear();
  }
  return in_columns(std::move(record));
}

std::optional<std::vector<QParams>> take_columns(json::Value& list, std::string_view where) {
  if (!has_only_parameters(list) || !list.as_object().at(kScale).is_array()) return std::nullopt;
  const auto scales = json::decode<std::vector<float>>(list.as_object().at(kScale), where);
  const json::Value& zero_point = list.as_object().at(kZeroPoint);
  const auto zero_points =
      zero_point.is_array()
          ? json::decode<std::vector<std::int32_t>>(zero_point, where)
          : std::vector(scales.size(), json::decode<std::int32_t>(zero_point, where));
  if (zero_points.size() != scales.size()) {
    throw Error(Errc::bad_input,
                fmt::format("{}: {} scales have {} zero points; write the record again", where,
                            scales.size(), zero_points.size()));
  }
  std::vector<QParams> params(scales.size());
  for (std::size_t i = 0; i < params.size(); ++i) params[i] = {scales[i], zero_points[i]};
  list = boost::json::array();
  return params;
}

void for_each_scales(json::Value& record, const std::function<void(json::Value& scales)>& visit) {
  for_each_value(record, [&](json::Value& value) {
    if (!has_only_parameters(value)) return;
    json::Value& scales = value.get_object().at(kScale);
    if (!scales.is_number()) visit(scales);
  });
}

}  // namespace quantlens
