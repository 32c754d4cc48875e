// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/onnxruntime/timer_ops.h"

#include <chrono>
#include <utility>

#include "quantlens/base/error.h"
#include "quantlens/runtime/onnxruntime/session.h"

namespace quantlens::onnxruntime {
namespace {

constexpr const char* kSlot = "slot";
constexpr const char* kTimer = "Timer";

/// What the kernels of one session share.
struct Clock {
  std::vector<std::vector<std::string>> values;
  std::vector<Stamp> stamps;
  ValueTypes types;
  std::vector<bool> is_typed;  // by slot

  /// Never throws: a type that cannot be told stays unknown.
  void note_types(std::size_t slot, OrtKernelContext* raw) noexcept {
    is_typed[slot] = true;
    try {
      const Ort::KernelContext context(raw);
      for (std::size_t i = 0; i < context.GetInputCount(); ++i) {
        const auto info = context.GetInput(i).GetTensorTypeAndShapeInfo();
        types.try_emplace(values[slot].at(i),
                          TensorType{dtype_of_element(info.GetElementType()), info.GetShape()});
      }
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): said above
    }
  }
};

class Kernel {
 public:
  Kernel(const OrtKernelInfo* raw, Clock* clock) : clock_(clock) {
    const auto slot = Ort::ConstKernelInfo(raw).GetAttribute<std::int64_t>(kSlot);
    slot_ = static_cast<std::size_t>(slot);
  }

  // NOLINTNEXTLINE(readability-identifier-naming): ORT's base class calls it.
  OrtStatusPtr ComputeV2(OrtKernelContext* context) noexcept {
    if (!clock_->is_typed[slot_]) clock_->note_types(slot_, context);
    clock_->stamps.push_back({slot_, now_ns()});  // within what was reserved
    return nullptr;
  }

 private:
  Clock* clock_;
  std::size_t slot_ = 0;
};

struct Op : Ort::CustomOpBase<Op, Kernel, true> {
  explicit Op(Clock* op_clock) : clock(op_clock) {}

  // NOLINTBEGIN(readability-identifier-naming): ORT's base class calls them by these names.
  const char* GetName() const { return kTimer; }
  std::size_t GetInputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetInputType(std::size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  }
  OrtCustomOpInputOutputCharacteristic GetInputCharacteristic(std::size_t) const {
    return INPUT_OUTPUT_VARIADIC;
  }
  bool GetVariadicInputHomogeneity() const { return false; }
  std::size_t GetOutputTypeCount() const { return 0; }
  ONNXTensorElementDataType GetOutputType(std::size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  }
  OrtStatusPtr CreateKernelV2(const OrtApi&, const OrtKernelInfo* info,
                              void** kernel) const noexcept {
    try {
      *kernel = std::make_unique<Kernel>(info, clock).release();
      return nullptr;
    } catch (const std::exception& error) {
      return Ort::GetApi().CreateStatus(ORT_FAIL, error.what());
    }
  }
  // NOLINTEND(readability-identifier-naming)

  Clock* clock;
};

}  // namespace

Node timer_node(std::size_t slot, const std::vector<std::string>& values, const std::string& name) {
  Node node;
  node.name = name;
  node.type = kTimer;
  node.domain = kTimerDomain;
  node.inputs = values;
  node.attributes[kSlot] = static_cast<std::int64_t>(slot);
  return node;
}

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

struct TimerOps::Ops {
  explicit Ops(std::vector<std::vector<std::string>> values) : op(&clock) {
    clock.stamps.reserve(values.size());
    clock.is_typed.resize(values.size());
    clock.values = std::move(values);
    domain.Add(&op);
  }

  Clock clock;
  Op op;
  Ort::CustomOpDomain domain{kTimerDomain};
};

TimerOps::TimerOps(std::vector<std::vector<std::string>> values)
    : ops_(std::make_unique<Ops>(std::move(values))) {}

TimerOps::~TimerOps() = default;

void TimerOps::add_to(Ort::SessionOptions& options) {
  options.Add(ops_->domain);
}

void TimerOps::begin() {
  ops_->clock.stamps.clear();
}

const std::vector<Stamp>& TimerOps::stamps() const {
  return ops_->clock.stamps;
}

const ValueTypes& TimerOps::types() const {
  return ops_->clock.types;
}

}  // namespace quantlens::onnxruntime
