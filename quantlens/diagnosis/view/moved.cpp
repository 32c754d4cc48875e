// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/view/moved.h"

#include <map>
#include <utility>

#include "quantlens/diagnosis/view/codes.h"
#include "quantlens/quantizer/plan/parameters.h"

namespace quantlens {
namespace {

const Node* producer_of_kind(const GraphIndex& index, const std::string& value, Kind kind) {
  const std::optional<std::size_t> producer = index.producer(value);
  if (!producer) return nullptr;
  const Node& node = index.graph().nodes[*producer];
  return node.kind == kind && !node.inputs.empty() ? &node : nullptr;
}

/// Whether a node gives, or takes, codes of exactly these parameters.
bool has_params(const GraphIndex& index, const Node& node, const ValuePair& pair) {
  const std::optional<Codes> codes = codes_of(index, node, "", 0);
  return codes && pair.params && codes->params == std::vector<QParams>{*pair.params} &&
         codes->scheme.dtype == pair.scheme->dtype;
}

/// The tensor of the quantized model that the pair's quantized side is moved from. Codes may be
/// dequantized, moved and quantized again with the same parameters, which gives the same codes.
const std::string* quantized_source(const GraphIndex& index, const ValuePair& pair) {
  if (pair.side != Side::q_output) return moved_from(index, pair.quantized);
  const Node* quantize = producer_of_kind(index, pair.quantized, Kind::quantize);
  if (quantize == nullptr || !has_params(index, *quantize, pair)) return nullptr;
  const std::string* value = moved_from(index, quantize->inputs[0]);
  if (value == nullptr) return nullptr;
  const Node* dequantize = producer_of_kind(index, *value, Kind::dequantize);
  if (dequantize == nullptr || !has_params(index, *dequantize, pair)) return nullptr;
  return dequantize->inputs.data();
}

}  // namespace

void mark_moved(const GraphIndex& reference, const GraphIndex& quantized, Pairing& pairing) {
  std::map<std::pair<std::string, std::string>, std::uint64_t> known;
  for (std::uint64_t i = 0; i < pairing.pairs.size(); ++i) {
    ValuePair& pair = pairing.pairs[i];
    const std::string* before = moved_from(reference, pair.reference);
    const std::string* source = before != nullptr ? quantized_source(quantized, pair) : nullptr;
    if (before != nullptr) {
      auto found = known.find({*before, source != nullptr ? *source : pair.quantized});
      if (found != known.end())
        pair.same_as = pairing.pairs[found->second].same_as.value_or(found->second);
    }
    known.emplace(std::pair(pair.reference, pair.quantized), i);
  }
}

}  // namespace quantlens
