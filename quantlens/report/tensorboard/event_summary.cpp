// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/tensorboard/event_summary.h"

#include <protozero/pbf_builder.hpp>

namespace quantlens {
namespace {

// Field numbers, by message.
enum class SummaryField : protozero::pbf_tag_type { value = 1 };
enum class SummaryValueField : protozero::pbf_tag_type {
  tag = 1,
  simple_value = 2,
  histo = 5,
  tensor = 8,
  metadata = 9
};
enum class HistogramField : protozero::pbf_tag_type {
  min = 1,
  max = 2,
  num = 3,
  sum = 4,
  sum_squares = 5,
  bucket_limit = 6,
  bucket = 7
};
enum class MetadataField : protozero::pbf_tag_type { plugin_data = 1, data_class = 4 };
enum class PluginField : protozero::pbf_tag_type { plugin_name = 1, content = 2 };
enum class TensorField : protozero::pbf_tag_type { dtype = 1, tensor_shape = 2, string_val = 8 };
enum class TensorShapeField : protozero::pbf_tag_type { dim = 2 };
enum class TensorDimField : protozero::pbf_tag_type { size = 1 };
enum class HParamsField : protozero::pbf_tag_type {
  version = 1,
  experiment = 2,
  session_start = 3,
  session_end = 4
};
enum class ExperimentField : protozero::pbf_tag_type { hparam_infos = 4, metric_infos = 5 };
enum class ParameterField : protozero::pbf_tag_type { name = 1, type = 4, domain_discrete = 5 };
enum class MetricField : protozero::pbf_tag_type { name = 1 };
enum class MetricNameField : protozero::pbf_tag_type { tag = 2 };
enum class SessionStartField : protozero::pbf_tag_type {
  hparams = 1,
  group_name = 4,
  start_time_secs = 5
};
enum class SessionEndField : protozero::pbf_tag_type { status = 1, end_time_secs = 2 };
enum class MapEntryField : protozero::pbf_tag_type { key = 1, value = 2 };
enum class AnyValueField : protozero::pbf_tag_type { number = 2, string = 3, boolean = 4 };
enum class ValueListField : protozero::pbf_tag_type { values = 1 };

template <class Field>
using Builder = protozero::pbf_builder<Field>;

constexpr int kTypeFloat = 1, kTypeString = 7;  // DT_FLOAT, DT_STRING
constexpr int kClassTensor = 2;                 // DATA_CLASS_TENSOR
constexpr int kStatusSuccess = 1;

std::string tensor_of(int type, std::int64_t size, std::string_view text = {}) {
  std::string bytes;
  Builder<TensorField> tensor(bytes);
  tensor.add_enum(TensorField::dtype, type);
  {
    Builder<TensorShapeField> shape(tensor, TensorField::tensor_shape);
    Builder<TensorDimField> dim(shape, TensorShapeField::dim);
    dim.add_int64(TensorDimField::size, size);
  }
  if (type == kTypeString) tensor.add_bytes(TensorField::string_val, text.data(), text.size());
  return bytes;
}

std::string value_of(const HyperParameter& parameter) {
  std::string bytes;
  Builder<AnyValueField> value(bytes);
  if (const bool* flag = std::get_if<bool>(&parameter))
    value.add_bool(AnyValueField::boolean, *flag);
  else if (const double* number = std::get_if<double>(&parameter))
    value.add_double(AnyValueField::number, *number);
  else
    value.add_string(AnyValueField::string, std::get<std::string>(parameter));
  return bytes;
}

/// DataType of the parameter's values; text where they are of several.
int type_of(const std::vector<HyperParameter>& values) {
  constexpr int kString = 1, kBool = 2, kNumber = 3;
  if (values.empty()) return kString;
  for (const HyperParameter& value : values)
    if (value.index() != values.front().index()) return kString;
  return std::holds_alternative<bool>(values.front())     ? kBool
         : std::holds_alternative<double>(values.front()) ? kNumber
                                                          : kString;
}

/// What the plugin for hyperparameters keeps of one thing.
std::string hparams_data(HParamsField field, std::string_view bytes) {
  std::string data;
  Builder<HParamsField> message(data);
  message.add_int32(HParamsField::version, 0);
  message.add_message(field, bytes.data(), bytes.size());
  return data;
}

constexpr std::string_view kHParams = "hparams";

}  // namespace

void EventSummary::scalar(std::string_view tag, double value) {
  Builder<SummaryField> summary(bytes_);
  Builder<SummaryValueField> one(summary, SummaryField::value);
  one.add_string(SummaryValueField::tag, tag.data(), tag.size());
  one.add_float(SummaryValueField::simple_value, static_cast<float>(value));
}

void EventSummary::histogram(std::string_view tag, const EventBuckets& buckets) {
  Builder<SummaryField> summary(bytes_);
  Builder<SummaryValueField> one(summary, SummaryField::value);
  one.add_string(SummaryValueField::tag, tag.data(), tag.size());
  Builder<HistogramField> histogram(one, SummaryValueField::histo);
  histogram.add_double(HistogramField::min, buckets.min);
  histogram.add_double(HistogramField::max, buckets.max);
  histogram.add_double(HistogramField::num, buckets.count);
  histogram.add_double(HistogramField::sum, buckets.sum);
  histogram.add_double(HistogramField::sum_squares, buckets.sum_squares);
  histogram.add_packed_double(HistogramField::bucket_limit, buckets.limits.begin(),
                              buckets.limits.end());
  histogram.add_packed_double(HistogramField::bucket, buckets.counts.begin(), buckets.counts.end());
}

void EventSummary::of_plugin(std::string_view tag, std::string_view plugin,
                             std::string_view content, std::string_view tensor) {
  Builder<SummaryField> summary(bytes_);
  Builder<SummaryValueField> one(summary, SummaryField::value);
  one.add_string(SummaryValueField::tag, tag.data(), tag.size());
  one.add_message(SummaryValueField::tensor, tensor.data(), tensor.size());
  Builder<MetadataField> metadata(one, SummaryValueField::metadata);
  {
    Builder<PluginField> data(metadata, MetadataField::plugin_data);
    data.add_string(PluginField::plugin_name, plugin.data(), plugin.size());
    data.add_bytes(PluginField::content, content.data(), content.size());
  }
  metadata.add_enum(MetadataField::data_class, kClassTensor);
}

void EventSummary::text(std::string_view tag, std::string_view markdown) {
  of_plugin(tag, "text", {}, tensor_of(kTypeString, 1, markdown));
}

void EventSummary::experiment(const std::map<std::string, std::vector<HyperParameter>>& parameters,
                              const std::vector<std::string>& metrics) {
  std::string bytes;
  Builder<ExperimentField> experiment(bytes);
  for (const auto& [name, values] : parameters) {
    Builder<ParameterField> info(experiment, ExperimentField::hparam_infos);
    info.add_string(ParameterField::name, name);
    info.add_enum(ParameterField::type, type_of(values));
    Builder<ValueListField> domain(info, ParameterField::domain_discrete);
    for (const HyperParameter& value : values)
      domain.add_message(ValueListField::values, value_of(value));
  }
  for (const std::string& metric : metrics) {
    Builder<MetricField> info(experiment, ExperimentField::metric_infos);
    Builder<MetricNameField> name(info, MetricField::name);
    name.add_string(MetricNameField::tag, metric);
  }
  of_plugin("_hparams_/experiment", kHParams, hparams_data(HParamsField::experiment, bytes),
            tensor_of(kTypeFloat, 0));
}

void EventSummary::session(const HyperParameters& parameters, std::string_view name,
                           double seconds) {
  std::string begun, ended;
  {
    Builder<SessionStartField> start(begun);
    for (const auto& [key, value] : parameters) {
      Builder<MapEntryField> entry(start, SessionStartField::hparams);
      entry.add_string(MapEntryField::key, key);
      entry.add_message(MapEntryField::value, value_of(value));
    }
    start.add_string(SessionStartField::group_name, name.data(), name.size());
    start.add_double(SessionStartField::start_time_secs, seconds);
    Builder<SessionEndField> end(ended);
    end.add_enum(SessionEndField::status, kStatusSuccess);
    end.add_double(SessionEndField::end_time_secs, seconds);
  }
  of_plugin("_hparams_/session_start_info", kHParams,
            hparams_data(HParamsField::session_start, begun), tensor_of(kTypeFloat, 0));
  of_plugin("_hparams_/session_end_info", kHParams, hparams_data(HParamsField::session_end, ended),
            tensor_of(kTypeFloat, 0));
}

}  // namespace quantlens
