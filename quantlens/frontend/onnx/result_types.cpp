// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>

#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/frontend/onnx/source.h"

namespace quantlens::onnx {
namespace {

using Results = std::vector<ResultType>;

/// The type by an attribute that holds its number.
Results numbered(const Node& node, const std::string& attribute, std::optional<DType> otherwise) {
  const std::int64_t number = attribute_int(node, attribute, 0);
  if (number != 0) {
    const std::optional<DType> dtype = dtype_from_onnx(number);
    return dtype ? Results{{.dtype = dtype}} : Results{};
  }
  return otherwise ? Results{{.dtype = otherwise}} : Results{{.like = 0}};
}

Results cast(const Node& node) {
  const std::optional<DType> dtype = dtype_from_onnx(attribute_int(node, "to", 0));
  return dtype ? Results{{.dtype = dtype}} : Results{};
}

Results boolean(const Node&) {
  return {{.dtype = DType::boolean}};
}
Results int64(const Node&) {
  return {{.dtype = DType::int64}};
}
Results float32(const Node&) {
  return {{.dtype = DType::float32}};
}
Results like_second(const Node&) {
  return {{.like = 1}};
}
Results like_third(const Node&) {
  return {{.like = 2}};
}
Results unknown(const Node&) {
  return {};
}

Results filled(const Node& node) {
  const auto value = node.attributes.find("value");
  if (value == node.attributes.end()) return float32(node);
  const auto* tensor = std::get_if<Tensor>(&value->second);
  return tensor == nullptr ? Results{} : Results{{.dtype = tensor->dtype()}};
}

Results drawn(const Node& node) {
  return numbered(node, "dtype", DType::float32);
}
Results drawn_like(const Node& node) {
  return numbered(node, "dtype", std::nullopt);
}
Results drawn_numbers(const Node& node) {
  return numbered(node, "dtype", DType::int32);
}
Results window_result(const Node& node) {
  return numbered(node, "output_datatype", DType::float32);
}

/// Values like the input's, then where they stood.
Results with_indices(const Node& node) {
  Results results(node.outputs.size(), ResultType{.dtype = DType::int64});
  results.front() = {.like = 0};
  return results;
}

struct ResultRow {
  std::string_view type;
  Results (*results)(const Node& node);
};

// Those whose first result is not of their first input's type, by the schemas of ONNX 1.20; sorted.
constexpr std::array kResultRows = {
    ResultRow{"And", boolean},
    ResultRow{"ArgMin", int64},
    ResultRow{"Bernoulli", drawn_like},
    ResultRow{"BitCast", cast},
    ResultRow{"BlackmanWindow", window_result},
    ResultRow{"Cast", cast},
    ResultRow{"CastLike", like_second},
    ResultRow{"ConcatFromSequence", unknown},
    ResultRow{"ConstantOfShape", filled},
    ResultRow{"Equal", boolean},
    ResultRow{"EyeLike", drawn_like},
    ResultRow{"Greater", boolean},
    ResultRow{"GreaterOrEqual", boolean},
    ResultRow{"HammingWindow", window_result},
    ResultRow{"HannWindow", window_result},
    ResultRow{"ImageDecoder", unknown},
    ResultRow{"IsInf", boolean},
    ResultRow{"IsNaN", boolean},
    ResultRow{"Less", boolean},
    ResultRow{"LessOrEqual", boolean},
    ResultRow{"MelWeightMatrix", window_result},
    ResultRow{"Multinomial", drawn_numbers},
    ResultRow{"NonMaxSuppression", int64},
    ResultRow{"NonZero", int64},
    ResultRow{"Not", boolean},
    ResultRow{"OneHot", like_third},
    ResultRow{"Optional", unknown},
    ResultRow{"OptionalGetElement", unknown},
    ResultRow{"OptionalHasElement", boolean},
    ResultRow{"Or", boolean},
    ResultRow{"RMSNormalization", like_second},
    ResultRow{"RandomNormal", drawn},
    ResultRow{"RandomNormalLike", drawn_like},
    ResultRow{"RandomUniform", drawn},
    ResultRow{"RandomUniformLike", drawn_like},
    ResultRow{"RegexFullMatch", boolean},
    ResultRow{"SequenceAt", unknown},
    ResultRow{"SequenceConstruct", unknown},
    ResultRow{"SequenceEmpty", unknown},
    ResultRow{"SequenceErase", unknown},
    ResultRow{"SequenceInsert", unknown},
    ResultRow{"SequenceLength", int64},
    ResultRow{"SequenceMap", unknown},
    ResultRow{"Size", int64},
    ResultRow{"SplitToSequence", unknown},
    ResultRow{"StringConcat", unknown},
    ResultRow{"StringNormalizer", unknown},
    ResultRow{"StringSplit", unknown},
    ResultRow{"TfIdfVectorizer", float32},
    ResultRow{"TopK", with_indices},
    ResultRow{"Unique", with_indices},
    ResultRow{"Xor", boolean},
};
static_assert(std::ranges::is_sorted(kResultRows, {}, &ResultRow::type));

}  // namespace

std::vector<ResultType> result_types(const Node& node) {
  if (!node.domain.empty()) return {};
  const auto row = std::ranges::lower_bound(kResultRows, node.type, {}, &ResultRow::type);
  if (row != kResultRows.end() && row->type == node.type) return row->results(node);
  if (node.inputs.empty()) return {};
  return {{.like = 0}};
}

}  // namespace quantlens::onnx
