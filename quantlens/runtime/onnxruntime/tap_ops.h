// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <onnxruntime_cxx_api.h>

#include "quantlens/graph/model.h"
#include "quantlens/runtime/accumulators.h"
#include "quantlens/runtime/first_error.h"

namespace quantlens::onnxruntime {

/// Operator set of the ops below.
inline constexpr const char* kTapDomain = "quantlens";

/// What a node of the domain does with each of its taps; all give one empty tensor that nobody
/// reads.
enum class TapOp : std::uint8_t {
  observe,       ///< (x): shows x to tap `slot`
  compare,       ///< (x, q): shows both to pair tap `slot`
  keep,          ///< (x): keeps a copy of x for `compare_kept` of the same slot, in another session
  compare_kept,  ///< (q): shows what was kept, and q, to pair tap `slot`; forgets the former
  last,          ///< (outputs...): nothing, once they are all there (insert_taps.h says why)
};

/// One tap of a node: its slot and its inputs.
struct TapItem {
  std::size_t slot = 0;
  std::vector<std::string> inputs;
  bool shifted = false;  ///< int8 codes arrive as uint8, all 128 higher (insert_taps.h)
};

/// A node of several taps, which are fed at once by as many threads as the session has.
/// `token` names node and output. A `last` is one item, whose slot is not used.
Node tap_node(TapOp op, const std::vector<TapItem>& items, const std::string& token);

/// The kernels behind these nodes, of all sessions of one Run. They reach what they feed through
/// this object, which outlives the sessions it is registered with. A session runs its kernels on
/// the thread that calls it: so each finds the step that it is of, however many are under way.
class TapOps {
  struct CallState;

 public:
  TapOps();
  ~TapOps();
  TapOps(const TapOps&) = delete;
  TapOps& operator=(const TapOps&) = delete;

  void add_to(Ort::SessionOptions& options);

  /// Until it is gone, kernels that run on this thread feed the step.
  class Call {
   public:
    /// REQUIRES: this thread has no other call of these ops.
    Call(TapOps& ops, Accumulators::Step& step);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    FirstError& errors();  ///< of its kernels

   private:
    TapOps& ops_;
    std::unique_ptr<CallState> state_;
  };

 private:
  struct Sink;
  struct Kernel;
  struct Op;
  struct Ops;
  std::unique_ptr<Ops> ops_;
};

}  // namespace quantlens::onnxruntime
