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
  const TapState* as_they_are() override;
  std::optional<TapState> in_float(const std::vector<std::string>& ops) override;
  void expect(const std::vector<std::vector<std::string>>& ops) override { source_.expect(ops); }

 private:
  OutputErrors& source_;
  Passes& passes_;
};

/// Answers with what was kept, and with nothing where it was not asked then. Views `passes`.
class StoredOutputs final : public OutputErrors {
 public:
  explicit StoredOutputs(const Passes& passes) : passes_(passes) {}
  const TapState* as_they_are() override;
  std::optional<TapState> in_float(const std::vector<std::string>& ops) override;

 private:
  const Passes& passes_;
};

}  // namespace quantlens::flow
