// SPDX-License-Identifier: Apache-2.0
#include "quantlens/diagnosis/changes/changed_codes.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "quantlens/diagnosis/changes/misscaled_bias.h"
#include "quantlens/diagnosis/changes/unequal_codes.h"

namespace quantlens {
namespace {

class CodesFinder {
 public:
  CodesFinder(const FloatView& reference, const FloatView& quantized, const StructureMatch& match,
              const std::map<std::size_t, std::size_t>& anchors)
      : reference_(reference), quantized_(quantized), match_(match), anchors_(anchors) {
    for (std::size_t q = 0; q < match.ops.size(); ++q) {
      if (match.ops[q]) op_of_node_.emplace(quantized.ops()[q].node, match.ops[q]->reference);
    }
  }

  std::vector<CodeChange> run() {
    find_unequal();
    find_misscaled();
    return std::move(found_);
  }

 private:
  using Names = std::vector<std::string>;

  const Node& node(std::size_t r) const { return reference_.node(reference_.ops()[r]); }

  static void add_name(Names& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }

  const Node& anchor_of(std::size_t r) const {
    const std::size_t number = reference_.ops()[r].node;
    const auto anchor = anchors_.find(number);
    return reference_.index().graph().nodes[anchor == anchors_.end() ? number : anchor->second];
  }

  std::optional<std::size_t> reference_of(std::size_t value) const {
    const auto& match = match_.values[value];
    return match ? std::optional(match->reference) : std::nullopt;
  }

  /// The op that computes a value of the reference, whether its elements are moved or not.
  std::optional<std::size_t> maker_of(std::size_t value) const {
    return reference_.values()[reference_.values()[value].root].producer;
  }

  /// Who makes and who moves a value; of an input its name.
  Names names_of(std::size_t value) const {
    Names names;
    if (const auto maker = maker_of(value)) {
      add_name(names, op_name(anchor_of(*maker)));
      add_name(names, op_name(node(*maker)));
    } else if (!reference_.values()[reference_.values()[value].root].floats.empty()) {
      add_name(names, reference_.values()[reference_.values()[value].root].floats.front());
    }
    if (const auto& mover = reference_.values()[value].producer)
      add_name(names, op_name(node(*mover)));
    return names;
  }

  void add(std::string rule, std::optional<std::size_t> value, Names names, std::string because,
           std::string unless = {}) {
    Change change{.rule = std::move(rule),
                  .op = {},
                  .ops = std::move(names),
                  .value = {},
                  .weight = {},
                  .because = std::move(because)};
    std::optional<std::size_t> maker;
    if (value) {
      maker = maker_of(*value);
      const std::vector<std::string>& floats = reference_.values()[*value].floats;
      if (!floats.empty()) change.value = floats.front();
    }
    change.op = maker ? op_id(anchor_of(*maker)) : change.ops.front();
    found_.push_back({.op = maker, .change = std::move(change), .unless = std::move(unless)});
  }

  // ---- written and read
  Names reader_names(const UnequalCodes& one) const {
    Names names;
    for (const std::size_t reader : one.nodes) {
      const auto r = op_of_node_.find(reader);
      add_name(names, op_name(r == op_of_node_.end() ? quantized_.index().graph().nodes[reader]
                                                     : node(r->second)));
    }
    return names;
  }

  static std::string read_by(const Names& readers) {
    if (readers.empty()) return {};
    if (readers.size() == 1) return " by " + readers.front();
    return fmt::format(" by {} and {} more", readers.front(), readers.size() - 1);
  }

  void find_unequal() {
    const std::vector<UnequalCodes> all = unequal_codes(quantized_);
    std::set<std::size_t> told;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (told.contains(i)) continue;
      const auto partner = partner_of(all, i);
      if (partner) told.insert(*partner);
      add_unequal(all[i], partner.has_value());
    }
  }

  /// The one that the same op reads with the figures of this one, and the other way round.
  static std::optional<std::size_t> partner_of(const std::vector<UnequalCodes>& all,
                                               std::size_t i) {
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      if (!all[i].nodes.empty() && all[k].nodes == all[i].nodes &&
          mean_the_same(all[k].read, all[i].written) && mean_the_same(all[i].read, all[k].written))
        return k;
    }
    return {};
  }

  void add_unequal(const UnequalCodes& one, bool is_exchange) {
    const Names readers = reader_names(one);
    const std::string written = figures_of(one.written, one.read);
    const std::string read = figures_of(one.read, one.written);
    std::string because =
        is_exchange ? fmt::format(
                          "{} reads the codes of its two inputs with each other's figures: those "
                          "written with {} are read with {}",
                          readers.front(), written, read)
                    : fmt::format("its codes are written with {} and read{} with {}", written,
                                  read_by(readers), read);
    const auto value = reference_of(one.value);
    Names names = value ? names_of(*value) : Names{};
    if (names.empty()) names.push_back(one.tensor);
    // what all read otherwise than it was written is told of who wrote it
    if (readers.empty() || (one.by_all && !is_exchange)) {
      for (const std::string& reader : readers) add_name(names, reader);
      return add("unequal_codes", value, std::move(names), std::move(because));
    }
    Names first = readers;
    for (const std::string& name : names) add_name(first, name);
    add("unequal_codes", value, std::move(first), std::move(because));
  }

  // ---- codes and the bias behind them
  void find_misscaled() {
    for (const MisscaledBias& one : misscaled_biases(quantized_)) {
      const auto& op = match_.ops[one.op];
      if (!op) continue;
      Names names{op_name(node(op->reference))};
      const auto value = reference_of(one.value);
      const Names makers = value ? names_of(*value) : Names{};
      for (const std::string& name : makers) add_name(names, name);
      std::string because = fmt::format(
          "its bias has steps of {:.3g}, its input and its weight have {:.3g} together: integer "
          "kernels add the codes of the bias as they are, so that it counts {:.3g} times. The "
          "scale "
          "of the bias or that of its input{} is not the one that the file was made with",
          one.step, one.step * one.factor, one.factor,
          makers.empty() ? "" : ", the codes of " + makers.front() + ",");
      const std::size_t output = *reference_.ops()[op->reference].outputs.front();
      add("unequal_codes", output, std::move(names), std::move(because), "changed_weight");
    }
  }

  const FloatView& reference_;
  const FloatView& quantized_;
  const StructureMatch& match_;
  const std::map<std::size_t, std::size_t>& anchors_;
  std::unordered_map<std::size_t, std::size_t> op_of_node_;  // node of quantized: op of reference
  std::vector<CodeChange> found_;
};

}  // namespace

std::vector<CodeChange> changed_codes(const FloatView& reference, const FloatView& quantized,
                                      const StructureMatch& match,
                                      const std::map<std::size_t, std::size_t>& anchors) {
  return CodesFinder(reference, quantized, match, anchors).run();
}

}  // namespace quantlens
