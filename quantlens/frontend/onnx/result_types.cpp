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
Results window(const Node& node) {
  return numbered(node, "output_datatype", DType::float32);
}

/// Values like the input's, then where they stood.
Results with_indices(const Node& node) {
  Results results(node.outputs.size(), ResultType{.dtype = DType::int64});
  results.front() = {.like = 0};
  return results;
}

struct Row {
  std::string_view type;
  Results (*results)(const Node& node);
};

// Those whose first result is not of their first input's type, by the schemas of ONNX 1.20; sorted.
constexpr std::array kRows = {
    Row{"And", boolean},
    Row{"ArgMin", int64},
    Row{"Bernoulli", drawn_like},
    Row{"BitCast", cast},
    Row{"BlackmanWindow", window},
    Row{"Cast", cast},
    Row{"CastLike", like_second},
    Row{"ConcatFromSequence", unknown},
    Row{"ConstantOfShape", filled},
    Row{"Equal", boolean},
    Row{"EyeLike", drawn_like},
    Row{"Greater", boolean},
    Row{"GreaterOrEqual", boolean},
    Row{"HammingWindow", window},
    Row{"HannWindow", window},
    Row{"ImageDecoder", unknown},
    Row{"IsInf", boolean},
    Row{"IsNaN", boolean},
    Row{"Less", boolean},
    Row{"LessOrEqual", boolean},
    Row{"MelWeightMatrix", window},
    Row{"Multinomial", drawn_numbers},
    Row{"NonMaxSuppression", int64},
    Row{"NonZero", int64},
    Row{"Not", boolean},
    Row{"OneHot", like_third},
    Row{"Optional", unknown},
    Row{"OptionalGetElement", unknown},
    Row{"OptionalHasElement", boolean},
    Row{"Or", boolean},
    Row{"RMSNormalization", like_second},
    Row{"RandomNormal", drawn},
    Row{"RandomNormalLike", drawn_like},
    Row{"RandomUniform", drawn},
    Row{"RandomUniformLike", drawn_like},
    Row{"RegexFullMatch", boolean},
    Row{"SequenceAt", unknown},
    Row{"SequenceConstruct", unknown},
    Row{"SequenceEmpty", unknown},
    Row{"SequenceErase", unknown},
    Row{"SequenceInsert", unknown},
    Row{"SequenceLength", int64},
    Row{"SequenceMap", unknown},
    Row{"Size", int64},
    Row{"SplitToSequence", unknown},
    Row{"StringConcat", unknown},
    Row{"StringNormalizer", unknown},
    Row{"StringSplit", unknown},
    Row{"TfIdfVectorizer", float32},
    Row{"TopK", with_indices},
    Row{"Unique", with_indices},
    Row{"Xor", boolean},
};
static_assert(std::ranges::is_sorted(kRows, {}, &Row::type));

}  // namespace

std::vector<ResultType> result_types(const Node& node) {
  if (!node.domain.empty()) return {};
  const auto row = std::ranges::lower_bound(kRows, node.type, {}, &Row::type);
  if (row != kRows.end() && row->type == node.type) return row->results(node);
  if (node.inputs.empty()) return {};
  return {{.like = 0}};
}

}  // namespace quantlens::onnx
