// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "quantlens/diagnosis/match/paired_models.h"
#include "quantlens/graph/order.h"
#include "quantlens/record/diagnosis.h"

namespace quantlens {

/// What a file's maker leaves beyond the values, of all values whose codes were chosen for
/// themselves (those that are only moved share their writer's).
struct UsualRoom {
  double middle = 1;  ///< the median
  /// From here on a value is out of line with the others: Tukey's fence over the logarithms, 1.5
  /// times the width of the middle half above that half; and nearer to twice the median than to
  /// once.
  double fence = 0;
};

/// What rules look at: both models, what stands for what, and the figures. Views what it is made
/// of, which must outlive it.
class Evidence {
 public:
  Evidence(const PairedModels& models, const Diagnosis& diagnosis);

  const GraphIndex& reference() const { return models_.reference.index; }
  const GraphIndex& quantized() const { return models_.quantized.index; }
  const Diagnosis& diagnosis() const { return diagnosis_; }
  const Pairing& pairing() const { return models_.pairing; }
  /// The reference as the pairing folded it.
  const Prepared& prepared() const { return models_.prepared; }
  /// What the reference's runtime runs in int8.
  const Capabilities& able() const { return *models_.prepared.able; }

  /// By an op's id; null where there is none.
  const Node* node(const std::string& op) const;
  const WeightRow* weight(const std::string& op) const;
  const WeightPair* weight_pair(const std::string& op) const;
  /// The float tensor that an op reads after folding batch norm; null where it is no constant.
  const Tensor* constant_input(const Node& node, std::size_t input) const;
  /// Likewise the weight of an op with Operands.
  const Tensor* constant_weight(const Node& node) const;

  /// Of the reference's float outputs that were compared.
  struct Outputs {
    bool compared = false;
    /// The lowest of them; where none was compared, of all rows.
    double sqnr_db = 0;
    /// The most of one output's pairs, 0..1, that are finite in the reference alone.
    double became_nonfinite = 0;
  };
  const Outputs& outputs() const { return outputs_; }

  bool is_input(const ActivationRow& row) const { return reference().is_input(row.value); }
  /// The least and the greatest value that the row's codes mean; nothing of a float side, nor where
  /// each channel has a scale of its own.
  std::optional<std::array<double, 2>> reach(const ActivationRow& row) const;

  /// How many steps the row's codes have from the least to the greatest: 255 of 8 bits, 65,535 of
  /// 16; 255 of a float side.
  std::int64_t steps(const ActivationRow& row) const;

  /// By what quantlens chose the ranges of the file; nothing of a file of other tools.
  std::optional<RangeAlgorithm> range_algorithm() const { return range_algorithm_; }

  /// What values of this file have (room.h).
  const std::optional<UsualRoom>& usual_room() const { return usual_room_; }

  /// The ops that give up integers if `row`'s value is to stay float: its own, and
  /// those that read it, also moved, picked or repeated. Without what has no integer kernel anyway.
  std::vector<OpRef> ops_at(const ActivationRow& row) const;
  /// Whether the row's codes are those of a value that is moved or picked here, with its scale: no
  /// other one can be chosen here.
  bool inherits_scale(const ActivationRow& row) const;

  /// As above, of all ops on the way to the logarithm that `row`'s value goes to with its small
  /// values (find_before_logarithms); empty where there is none.
  std::vector<OpRef> ops_before_logarithm(const ActivationRow& row) const;

  /// What reads `value` after moving it (Reshape and the like), with the movers left out.
  std::vector<Use> readers(const std::string& value) const;

 private:
  const PairedModels& models_;
  const Diagnosis& diagnosis_;
  std::map<std::size_t, std::string> before_logarithms_;  // by node; the words name the logarithm
  std::unordered_map<std::string, const WeightRow*> weights_;             // by op id
  std::unordered_map<std::string, const WeightPair*> weight_pairs_;       // by op id
  std::unordered_map<std::string, const ValuePair*> pairs_;               // by quantized side
  std::unordered_map<std::string, const ValuePair*> pairs_of_reference_;  // the first of each value
  Outputs outputs_;
  std::optional<UsualRoom> usual_room_;
  std::optional<RangeAlgorithm> range_algorithm_;
};

}  // namespace quantlens
