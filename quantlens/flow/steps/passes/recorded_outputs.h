// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantlens/diagnosis/judge.h"
#include "quantlens/record/passes.h"

namespace quantlens::flow {

/// Asks `source`, and keeps what it answers in `passes`. Views both.
class RecordedOutputs final : public OutputErrors {
 public:
  RecordedOutputs(OutputErrors& source, Passes& passes) : source_(source), passes_(passes) {}
  std::optional<OutputsCompared> compared(const std::vector<OpRef>& ops) override;
  void expect(const std::vector<std::vector<OpRef>>& ops) override { source_.expect(ops); }

 private:
  OutputErrors& source_;
  Passes& passes_;
};

/// Answers with what was kept, of those parts of the samples that were asked for these ops then,
/// and with nothing where none was. Views `passes`.
class StoredOutputs final : public OutputErrors {
 public:
  explicit StoredOutputs(const Passes& passes) : passes_(passes) {}
  std::optional<OutputsCompared> compared(const std::vector<OpRef>& ops) override;

 private:
  const Passes& passes_;
};

}  // namespace quantlens::flow
