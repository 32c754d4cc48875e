// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/diagnosis/verdict/find.h"
#include "quantlens/diagnosis/verdict/found_cause.h"
#include "quantlens/record/op_refs.h"

namespace quantlens {

/// What remedies that put ops into float make float beside these: the quantizer leaves ops in float
/// whose results only floats read then, and ops that then read floats (select.h). A share without
/// their rounding would not be what the remedy gives. Ops that were not compared are none of these:
/// whatever they do otherwise would be given to the others.
class FloatRemedies {
 public:
  /// Views `evidence`, which must outlive it.
  explicit FloatRemedies(const Evidence& evidence) : evidence_(evidence) {}

  /// Makes one of causes whose remedies make the same ops float. What is asked below is of these.
  void join(std::vector<FoundCause>& found);
  /// `measure`, asked for all that such a remedy makes float; of other ops as it is. Views both.
  MeasureShare measuring(const MeasureShare& measure);
  /// Likewise, of what will be asked.
  ExpectShares expecting(const ExpectShares& expect);
  /// Says of a cause whose share was measured which ops the share includes.
  void tell(FoundCause& found);

 private:
  using Ops = std::vector<OpRef>;

  /// Ops that one integer kernel computes.
  struct Group {
    Ops ops;
    std::optional<OpRef> told_as;  // as its value's pair has it; nothing where none was compared
    bool is_integer = false;
  };

  /// Whether a cause's remedy puts its ops into float, and nothing else is measured.
  static bool is_float(const Cause& cause);
  Ops with_followers(const Ops& ops);
  Ops find_followers(const Ops& ops);
  /// Which groups are integer, of those that are in the file, where these ops are not.
  std::vector<bool> integer_without(const Ops& ops) const;
  void find_groups();

  const Evidence& evidence_;
  std::map<Ops, std::optional<Ops>> followers_;  // by the ops of a remedy; those that were asked
  std::vector<Group> groups_;                    // one a pattern, once they are asked for
  std::vector<bool> integer_;                    // likewise: as select has it of the file
};

}  // namespace quantlens
