// Says what is wrong and what to change, of what passes have gathered. No model is run here: so old
// runs are judged by new rules (flow/judge.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/base/phases.h"
#include "quantlens/diagnosis/diagnose.h"
#include "quantlens/diagnosis/match/paired_models.h"
#include "quantlens/record/diagnosis.h"
#include "quantlens/record/observation.h"
#include "quantlens/record/passes.h"
#include "quantlens/record/tap_state.h"

namespace quantlens {

/// The outputs' errors over the same samples.
struct OutputsCompared {
  TapState as_they_are;  ///< of the files
  TapState in_float;     ///< with some ops computed in float inside the quantized model
};

/// The outputs' errors over a few samples, gathered when they are asked for, or earlier.
class OutputErrors {
 public:
  virtual ~OutputErrors() = default;
  OutputErrors() = default;
  OutputErrors(const OutputErrors&) = delete;
  OutputErrors& operator=(const OutputErrors&) = delete;

  /// With and without these ops in float; nothing where that cannot be had, or where the outputs
  /// have no error.
  virtual std::optional<OutputsCompared> compared(const std::vector<OpRef>& ops) = 0;
  /// Told which ops will be asked for next, in this order.
  virtual void expect(const std::vector<std::vector<OpRef>>& /*ops*/) {}
};

/// What the passes of a diagnosis gathered, and how.
struct States {
  const TapState& accumulated;
  std::function<const LocalStates&()> local;  ///< asked once, and not where no pair has a row
  OutputErrors& outputs;
  const Observation& observation;
  SampleNames names;
  std::string caveat;        ///< of the data, begins the verdict; empty: none
  Phases* phases = nullptr;  ///< may be null
};

/// Tables, findings and verdict. The same states give the same diagnosis, whoever gathered them.
Diagnosis judge(const PairedModels& models, const States& states);

/// The samples that a diagnosis names, as it does, ascending.
std::vector<SampleName> named_samples(const Diagnosis& diagnosis);

}  // namespace quantlens
