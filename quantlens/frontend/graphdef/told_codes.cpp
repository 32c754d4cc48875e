// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/graphdef/told_codes.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "quantlens/frontend/graphdef/integer_nodes.h"
#include "quantlens/frontend/graphdef/meaning.h"

namespace quantlens::graphdef {
namespace {

/// The greatest code of a type that is written with a symmetric range; 0: of another type.
float greatest_code(std::string_view type) {
  constexpr float kSigned = 127, kUnsigned = 255;
  if (type == "qint8") return kSigned;
  return type == "quint8" ? kUnsigned : 0;
}

std::vector<std::string> words(const Node& node, const std::string& key) {
  const auto found = node.attributes.find(key);
  if (found == node.attributes.end()) return {};
  const auto* list = std::get_if<std::vector<std::string>>(&found->second);
  return list == nullptr ? std::vector<std::string>() : *list;
}

/// What a fused op does behind its product.
struct FusedOps {
  bool has_relu = false, gives_codes = false;
};

/// Nothing where it does something else.
std::optional<FusedOps> fused_ops(const Node& node) {
  const std::vector<std::string> ops = words(node, "fused_ops");
  if (ops.size() < 2 || ops.size() > 3 || ops.front() != "BiasAdd") return std::nullopt;
  if (ops.size() == 3 && ops[1] != "Relu") return std::nullopt;
  if (ops.back() != "Requantize" && ops.back() != "Dequantize") return std::nullopt;
  return FusedOps{.has_relu = ops.size() == 3, .gives_codes = ops.back() == "Requantize"};
}

bool is_scaled(const Node& node) {
  return attribute_string(node, "mode", "MIN_COMBINED") == "SCALED" &&
         attribute_int(node, "axis", -1) == -1;
}

std::string range_of(const std::string& value, int number) {
  return fmt::format("{}:{}", value, number);
}

}  // namespace

bool CodesTeller::tell(Node& node) {
  if (node.outputs.empty()) return false;
  bool is_told = false;
  const std::string type = plain_type(node.type);
  if (type == "QuantizeV2") is_told = tell_quantize(node);
  if (type == "Dequantize") is_told = tell_dequantize(node);
  if (type == "_FusedQuantizedConv2D" || type == "_FusedQuantizedDepthwiseConv2D" ||
      type == "_QuantizedMatMul")
    is_told = tell_fused(node);
  if (type == "QuantizedMaxPool") is_told = tell_pool(node);
  const bool joins = type == "ConcatV2" || type == "Concat";
  if (joins) is_told = tell_concat(node);
  if (is_told) told_.insert(node.outputs[0]);
  if (!is_told && !joins) follow(node);
  return is_told;
}

/// A concatenation of codes of one scale, told as one whose parts say theirs (QLinearConcat).
bool CodesTeller::tell_concat(Node& node) {
  if (node.inputs.empty() || node.outputs.empty()) return false;
  Node floats = node;
  tell_meaning(floats, constants_);
  if (floats.kind != Kind::concat) return false;
  std::vector<std::string> told;
  for (const std::string& part : floats.inputs) {
    const auto known = known_.find(part);
    if (known == known_.end()) return false;
    const Parameters& codes = known->second;
    if (told.empty()) told = {codes.scale, codes.zero_point};
    if (!is_same(told[0], codes.scale) || !is_same(told[1], codes.zero_point)) return false;
    told.insert(told.end(), {part, codes.scale, codes.zero_point});
  }
  const Parameters same = known_.at(floats.inputs.at(0));
  known_.insert_or_assign(node.outputs[0], same);
  node.kind = Kind::qconcat;
  node.roles = floats.roles;
  node.inputs = std::move(told);
  return true;
}

bool CodesTeller::is_same(const std::string& one, const std::string& other) const {
  const Tensor &a = constants_.at(one), &b = constants_.at(other);
  return a.dtype() == b.dtype() && std::ranges::equal(a.bytes(), b.bytes());
}

void CodesTeller::follow(const Node& node) {
  if (!moves_codes(node.type) || node.inputs.empty()) return;
  const auto data = known_.find(node.inputs[0]);
  if (data == known_.end()) return;
  const Parameters same = data->second;
  known_.emplace(node.outputs[0], same);
}

void CodesTeller::know(const std::string& codes, Parameters of) {
  of.min = range_of(codes, 1);
  of.max = range_of(codes, 2);
  known_.insert_or_assign(codes, std::move(of));
}

bool CodesTeller::tell_pool(Node& node) {
  if (node.inputs.size() != 3) return false;
  const Parameters* data = read(node.inputs[0], node.inputs[1], node.inputs[2]);
  const Told told = data == nullptr ? std::nullopt : max_pool_2d({node, constants_});
  if (!told) return false;
  const Parameters same = *data;
  node.kind = Kind::max_pool;
  node.roles = *told;
  node.inputs.resize(1);
  know(node.outputs[0], same);
  return true;
}

std::string CodesTeller::add(const std::string& name, Tensor tensor) {
  weights_.insert_or_assign(name, tensor);
  constants_.insert_or_assign(name, std::move(tensor));
  return name;
}

std::optional<CodesTeller::Parameters> CodesTeller::parameters(const std::string& name,
                                                               const std::string& type,
                                                               const std::string& min,
                                                               const std::string& max) {
  const auto low = constants_.find(min), high = constants_.find(max);
  const float greatest = greatest_code(type);
  if (greatest == 0 || low == constants_.end() || high == constants_.end()) return std::nullopt;
  const Tensor& lows = low->second;
  const Tensor& highs = high->second;
  if (lows.dtype() != DType::float32 || highs.dtype() != DType::float32 ||
      lows.shape() != highs.shape() || lows.shape().size() > 1 || lows.size() == 0)
    return std::nullopt;
  const Tensor from = aligned(lows), to = aligned(highs);
  const std::span<const float> least = from.data<float>(), most = to.data<float>();
  const bool is_signed = type == "qint8";
  std::vector<float> scales;
  for (std::size_t i = 0; i < most.size(); ++i) {
    const float largest = is_signed ? std::max(std::abs(least[i]), std::abs(most[i])) : most[i];
    if (!std::isnormal(largest / greatest) || largest <= 0) return std::nullopt;
    scales.push_back(largest / greatest);
  }
  const auto count = static_cast<std::size_t>(highs.size());
  Tensor zeros = is_signed
                     ? Tensor::from<std::int8_t>(highs.shape(), std::vector<std::int8_t>(count))
                     : Tensor::from<std::uint8_t>(highs.shape(), std::vector<std::uint8_t>(count));
  const Shape shape = highs.shape();
  return Parameters{.scale = add(name + "[scale]", Tensor::from<float>(shape, std::move(scales))),
                    .zero_point = add(name + "[zero point]", std::move(zeros))};
}

const CodesTeller::Parameters* CodesTeller::read(const std::string& codes, const std::string& min,
                                                 const std::string& max) const {
  const auto found = known_.find(codes);
  if (found == known_.end() || min != found->second.min || max != found->second.max) return nullptr;
  return &found->second;
}

bool CodesTeller::tell_quantize(Node& node) {
  if (node.inputs.size() != 3 || !is_scaled(node)) return false;
  const auto codes =
      parameters(node.outputs[0], attribute_string(node, "T", ""), node.inputs[1], node.inputs[2]);
  if (!codes || constants_.at(codes->scale).size() != 1) return false;
  node.kind = Kind::quantize;
  node.roles = roles::Coding{};
  node.inputs = {node.inputs[0], codes->scale, codes->zero_point};
  know(node.outputs[0], *codes);
  return true;
}

bool CodesTeller::tell_dequantize(Node& node) {
  if (node.inputs.size() != 3 || !is_scaled(node)) return false;
  const Parameters* codes = read(node.inputs[0], node.inputs[1], node.inputs[2]);
  if (codes == nullptr) return false;
  node.kind = Kind::dequantize;
  node.roles = roles::Coding{};
  node.inputs = {node.inputs[0], codes->scale, codes->zero_point};
  return true;
}

/// Inputs are the data, the weight, the bias, then the ranges of the data, of the weight and of the
/// result.
bool CodesTeller::tell_fused(Node& node) {
  const std::vector<std::string> inputs = node.inputs;
  const auto ops = fused_ops(node);
  if (!ops || inputs.size() != (ops->gives_codes ? 9 : 7)) return false;
  const std::vector<std::string> types = words(node, "Tdevice_inputs");
  const std::vector<std::string> results = words(node, "Tdevice_outputs");
  if (types.size() != 3 || types[1] != "qint8" || types[2] != "float32" || results.size() != 1)
    return false;
  const Parameters* data = read(inputs[0], inputs[3], inputs[4]);
  const std::string& value = node.outputs[0];
  if (data == nullptr) return false;
  const Parameters of_data = *data;
  const auto weight = parameters(value + "[weight]", types[1], inputs[5], inputs[6]);
  std::optional<Parameters> result;
  if (ops->gives_codes) {
    result = parameters(value, results[0], inputs[7], inputs[8]);
    if (!result || constants_.at(result->scale).size() != 1) return false;
  }
  if (!weight) return false;
  std::vector<std::string> told{inputs[0], of_data.scale, of_data.zero_point,
                                inputs[1], weight->scale, weight->zero_point};
  const bool is_product = plain_type(node.type) == "_QuantizedMatMul";
  if (is_product) told.push_back(inputs[2]);
  if (result) told.insert(told.end(), {result->scale, result->zero_point});
  if (!is_product) told.push_back(inputs[2]);
  // codes that begin at 0 do what a Relu does
  const bool fuses_relu = ops->has_relu && !(ops->gives_codes && results[0] == "quint8");
  const bool is_told = is_product ? tell_product(node, fuses_relu, told)
                                  : ops->gives_codes && tell_convolution(node, fuses_relu, told);
  if (is_told && result) know(value, *result);
  return is_told;
}

bool CodesTeller::tell_convolution(Node& node, bool fuses_activation,
                                   std::vector<std::string> inputs) {
  Reading of{node, constants_};
  const Told told = plain_type(node.type) == "_FusedQuantizedConv2D" ? conv_2d(of) : depthwise(of);
  if (!told) return false;
  roles::Convolution role = std::get<roles::Convolution>(*told);
  role.operands = {.data = 0, .weight = 3, .bias = 8};
  role.fuses_activation = fuses_activation;
  node.kind = Kind::qconv;
  node.roles = role;
  node.inputs = std::move(inputs);
  return true;
}

bool CodesTeller::tell_product(Node& node, bool fuses_activation, std::vector<std::string> inputs) {
  Reading of{node, constants_};
  const Told told = matrix_product(of);
  if (!told) return false;
  roles::MatrixProduct role = std::get<roles::MatrixProduct>(*told);
  if (role.transposes_a) return false;
  role.operands = {.data = 0, .weight = 3, .bias = 6};
  role.fuses_activation = fuses_activation;
  node.kind = Kind::qgemm;
  node.roles = role;
  node.inputs = std::move(inputs);
  return true;
}

void CodesTeller::drop_ranges(Graph& graph) const {
  std::unordered_set<std::string_view> read;
  for (const Node& node : graph.nodes) read.insert(node.inputs.begin(), node.inputs.end());
  for (const ValueInfo& output : graph.outputs) read.insert(output.name);
  for (Node& node : graph.nodes) {
    if (node.outputs.empty() || !told_.contains(node.outputs[0])) continue;
    for (std::size_t i = 1; i < node.outputs.size(); ++i) {
      if (!read.contains(node.outputs[i])) node.outputs[i].clear();
    }
  }
}

}  // namespace quantlens::graphdef
