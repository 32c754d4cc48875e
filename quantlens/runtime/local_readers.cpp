// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/local_readers.h"

#include <optional>
#include <set>
#include <utility>

namespace quantlens {
namespace {

class Rewiring {
 public:
  Rewiring(const GraphIndex& quantized, const std::function<std::string()>& new_name)
      : index_(quantized), new_name_(new_name) {}

  void add(const PairTap& pair, std::size_t slot) {
    const bool codes = pair.params.has_value();
    const std::string* before = quantized_value(pair.quantized);
    const bool rounds = !pair.readers_params.empty();
    if (!rounds && index_.is_input(before != nullptr ? *before : pair.quantized)) return;
    redirect({.name = {}, .value = pair.quantized, .slot = slot, .codes = codes},
             [](const Node&) { return true; });
    if (before == nullptr) return;
    redirect({.name = {}, .value = *before, .slot = slot, .codes = false},
             [](const Node& reader) { return reader.kind != Kind::quantize; });
  }

  LocalReaders take() { return std::move(readers_); }

 private:
  /// What a QuantizeLinear reads that makes these codes.
  const std::string* quantized_value(const std::string& codes) const {
    const std::optional<std::size_t> producer = index_.producer(codes);
    if (!producer || index_.graph().nodes[*producer].kind != Kind::quantize) return nullptr;
    return &index_.graph().nodes[*producer].inputs.at(0);
  }

  template <class Wanted>
  void redirect(LocalValue local, const Wanted& wanted) {
    if (!redirected_.insert(local.value).second) return;
    for (const Use& use : index_.uses(local.value)) {
      const Node& reader = index_.graph().nodes[use.node];
      if (!wanted(reader)) continue;
      if (local.name.empty()) local.name = new_name_();
      if (use.input < reader.inputs.size()) {
        readers_.inputs[use.node].emplace(use.input, local.name);
      } else {
        readers_.captured[use.node].emplace(local.value, local.name);
      }
    }
    if (!local.name.empty()) readers_.values.push_back(std::move(local));
  }

  const GraphIndex& index_;
  const std::function<std::string()>& new_name_;
  std::set<std::string> redirected_;
  LocalReaders readers_;
};

}  // namespace

LocalReaders local_readers(const GraphIndex& quantized, const TapSpec& spec,
                           const std::vector<std::size_t>& slots,
                           const std::function<std::string()>& new_name) {
  Rewiring rewiring(quantized, new_name);
  for (const std::size_t slot : slots) rewiring.add(spec.pairs[slot], slot);
  return rewiring.take();
}

}  // namespace quantlens
