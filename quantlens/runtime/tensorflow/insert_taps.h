// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/runtime/tensorflow/c_api.h"
#include "quantlens/runtime/tensorflow/local_nodes.h"
#include "quantlens/runtime/tensorflow/tap_ops.h"

namespace quantlens::tensorflow {

/// A tap of one model.
struct WantedTap {
  std::string value;
  std::size_t slot = 0;
  TapUse use = TapUse::observe;
};

/// Where the values of a model stand. Views it.
class TapPlaces {
 public:
  explicit TapPlaces(const Model& model);
  ~TapPlaces();
  TapPlaces(const TapPlaces&) = delete;
  TapPlaces& operator=(const TapPlaces&) = delete;

  /// Why a value cannot be tapped; empty: it can. Throws Errc::not_found where the model has no
  /// such value, or it is a weight.
  std::string obstacle(const std::string& value) const;

 private:
  struct Known;
  std::unique_ptr<const Known> known_;
};

/// A GraphDef with taps in it.
struct Tapped {
  std::string bytes;
  std::string number;                ///< the value to feed with the step's number
  std::vector<std::string> targets;  ///< nodes that are to run whatever the outputs need
};

/// Puts taps into the model's file: whoever reads a tapped value reads what its tap hands through,
/// so the tap runs as soon as the value is there, and the value is kept no longer than without.
/// `type_of`: of a value, by the library. With `local`, whoever reads what a tap compares reads
/// what the reference computed instead (local_readers.h). REQUIRES: no obstacle.
Tapped insert_taps(const Model& model, const std::vector<WantedTap>& taps, const TypeOf& type_of,
                   const LocalReference* local = nullptr);

}  // namespace quantlens::tensorflow
