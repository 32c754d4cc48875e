// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/onnxruntime/tap_ops.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "quantlens/base/error.h"
#include "quantlens/runtime/onnxruntime/session.h"

namespace quantlens::onnxruntime {
namespace {

constexpr const char* kSlots = "slots";
constexpr const char* kShifted = "shifted";
constexpr const char* kNames[] = {"Observe", "Compare", "Keep", "CompareKept", "Last"};

/// Below this, waking other threads costs more than they save.
constexpr std::size_t kParallelBytes = 1 << 17;

const char* name_of(TapOp op) {
  return kNames[static_cast<std::size_t>(op)];
}

/// An input of a kernel, in the form that accumulators take.
struct Shown {
  Shape shape;
  DType dtype = DType::float32;
  std::size_t bytes = 0;
  const void* data = nullptr;

  TensorView view() const { return {dtype, shape, data}; }
};

/// A copy of what was shown, but for strings: no pair has those.
struct Kept {
  DType dtype = DType::float32;
  Shape shape;
  std::vector<std::byte> bytes;

  TensorView view() const { return {dtype, shape, bytes.data()}; }
};

Shown show(const Ort::KernelContext& context, std::size_t input) {
  const Ort::ConstValue value = context.GetInput(input);
  const Ort::TensorTypeAndShapeInfo info = value.GetTensorTypeAndShapeInfo();
  Shown shown;
  shown.shape = info.GetShape();
  shown.dtype = dtype_of_element(info.GetElementType());
  shown.bytes = info.GetElementCount() * byte_size(shown.dtype);
  if (shown.dtype != DType::string) shown.data = value.GetTensorRawData();
  return shown;
}

}  // namespace

/// What the kernels share that work for one step.
struct TapOps::CallState {
  explicit CallState(Accumulators::Step& of) : step(of) {}

  Accumulators::Step& step;
  std::mutex mutex;                  // of what follows: a session may have several threads
  std::map<std::size_t, Kept> kept;  // by slot of the pair
  FirstError errors;

  void keep(std::size_t slot, const Shown& shown);
  Kept take_kept(std::size_t slot);
  void compare(std::size_t slot, const TensorView& x, Shown q, bool shifted);
};

/// What the kernels of one Run share with it: whose steps are under way.
struct TapOps::Sink {
  std::mutex mutex;
  std::map<std::thread::id, CallState*> calls;

  /// Null where this thread has no call.
  CallState* of_this_thread() {
    const std::lock_guard lock(mutex);
    const auto found = calls.find(std::this_thread::get_id());
    return found == calls.end() ? nullptr : found->second;
  }
};

void TapOps::CallState::keep(std::size_t slot, const Shown& shown) {
  Kept copy{.dtype = shown.dtype, .shape = shown.shape, .bytes = {}};
  const auto* begin = static_cast<const std::byte*>(shown.data);
  if (begin != nullptr) copy.bytes.assign(begin, begin + shown.bytes);
  const std::lock_guard lock(mutex);
  kept[slot] = std::move(copy);
}

Kept TapOps::CallState::take_kept(std::size_t slot) {
  const std::lock_guard lock(mutex);
  const auto found = kept.extract(slot);
  return std::move(found.mapped());
}

void TapOps::CallState::compare(std::size_t slot, const TensorView& x, Shown q, bool shifted) {
  std::unique_ptr<std::int8_t[]> codes;
  if (shifted && q.dtype == DType::uint8) {
    const std::span given(static_cast<const std::uint8_t*>(q.data), q.bytes);
    codes = std::make_unique_for_overwrite<std::int8_t[]>(given.size());
    std::ranges::transform(given, codes.get(),
                           [](std::uint8_t code) { return static_cast<std::int8_t>(code ^ 0x80); });
    q.dtype = DType::int8;
    q.data = codes.get();
  }
  step.compare(slot, x, q.view());
}

/// Shared by all ops: shows its inputs to the sink and keeps exceptions from the runtime.
struct TapOps::Kernel {
 public:
  Kernel(const OrtKernelInfo* raw, TapOp op, Sink* sink) : op_(op), sink_(sink) {
    if (op == TapOp::last) return;
    const Ort::ConstKernelInfo info(raw);
    slots_ = info.GetAttributes<std::int64_t>(kSlots);
    shifted_ = info.GetAttributes<std::int64_t>(kShifted);
  }

  // NOLINTNEXTLINE(readability-identifier-naming): ORT's base class calls it.
  OrtStatusPtr ComputeV2(OrtKernelContext* raw) noexcept {
    CallState* const call = sink_->of_this_thread();
    if (call == nullptr) {
      return Ort::GetApi().CreateStatus(
          ORT_FAIL, "a tap runs on another thread than the one that called the session");
    }
    try {
      const Ort::KernelContext context(raw);
      feed_all(context, *call);
      constexpr std::array<std::int64_t, 1> kEmpty = {0};
      context.GetOutput(0, kEmpty.data(), kEmpty.size());
    } catch (...) {
      call->errors.keep();
    }
    return call->errors.is_kept() ? Ort::GetApi().CreateStatus(ORT_FAIL, "a tap failed") : nullptr;
  }

 private:
  struct Feeding {
    const Kernel& kernel;
    CallState& call;
    std::vector<Shown> inputs;
    /// Slots that are fed. What their threads wrote is seen by the thread that reads this count, by
    /// the language's own rules: sanitizers do not see how the runtime's threads join.
    std::atomic<std::size_t> fed = 0;
  };

  void feed_all(const Ort::KernelContext& context, CallState& call) const {
    if (op_ == TapOp::last) return;
    Feeding feeding{*this, call, {}};
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < context.GetInputCount(); ++i) {
      feeding.inputs.push_back(show(context, i));
      bytes += feeding.inputs.back().bytes;
    }
    if (slots_.size() == 1 || bytes < kParallelBytes) {
      for (std::size_t i = 0; i < slots_.size(); ++i) feed_one(i, feeding.inputs, call);
      return;
    }
    const auto one = [](void* data, std::size_t i) noexcept {
      auto* what = static_cast<Feeding*>(data);
      try {
        what->kernel.feed_one(i, what->inputs, what->call);
      } catch (...) {
        what->call.errors.keep();
      }
      what->fed.fetch_add(1, std::memory_order_release);
    };
    context.ParallelFor(one, slots_.size(), slots_.size(), &feeding);
    if (feeding.fed.load(std::memory_order_acquire) != slots_.size()) {
      throw Error(Errc::failed, "the runtime has not shown every value to its tap");
    }
  }

  void feed_one(std::size_t i, const std::vector<Shown>& inputs, CallState& call) const {
    const auto slot = static_cast<std::size_t>(slots_[i]);
    const bool shifted = shifted_[i] != 0;
    switch (op_) {
      case TapOp::observe:
        return call.step.observe(slot, inputs.at(i).view());
      case TapOp::compare:
        return call.compare(slot, inputs.at(2 * i).view(), inputs.at(2 * i + 1), shifted);
      case TapOp::keep:
        return call.keep(slot, inputs.at(i));
      case TapOp::compare_kept: {
        const Kept x = call.take_kept(slot);
        return call.compare(slot, x.view(), inputs.at(i), shifted);
      }
      case TapOp::last:
        return;
    }
  }

  TapOp op_;
  Sink* sink_;
  std::vector<std::int64_t> slots_;
  std::vector<std::int64_t> shifted_;
};

/// One op of the domain. Its inputs are any number of tensors of any type.
struct TapOps::Op : Ort::CustomOpBase<Op, Kernel, true> {
  Op(TapOp op_kind, Sink* op_sink) : kind(op_kind), sink(op_sink) {}

  // NOLINTBEGIN(readability-identifier-naming): ORT's base class calls them by these names.
  const char* GetName() const { return name_of(kind); }
  std::size_t GetInputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetInputType(std::size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  }
  OrtCustomOpInputOutputCharacteristic GetInputCharacteristic(std::size_t) const {
    return INPUT_OUTPUT_VARIADIC;
  }
  bool GetVariadicInputHomogeneity() const { return false; }
  std::size_t GetOutputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetOutputType(std::size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8;
  }
  OrtStatusPtr CreateKernelV2(const OrtApi&, const OrtKernelInfo* info,
                              void** kernel) const noexcept {
    try {
      *kernel = std::make_unique<Kernel>(info, kind, sink).release();
      return nullptr;
    } catch (const std::exception& error) {
      return Ort::GetApi().CreateStatus(ORT_FAIL, error.what());
    }
  }
  // NOLINTEND(readability-identifier-naming)

  TapOp kind;
  Sink* sink;
};

Node tap_node(TapOp op, const std::vector<TapItem>& items, const std::string& token) {
  Node node;
  node.name = token;
  node.type = name_of(op);
  node.domain = kTapDomain;
  node.outputs = {token};
  std::vector<std::int64_t> slots;
  std::vector<std::int64_t> shifted;
  for (const TapItem& item : items) {
    node.inputs.insert(node.inputs.end(), item.inputs.begin(), item.inputs.end());
    slots.push_back(static_cast<std::int64_t>(item.slot));
    shifted.push_back(item.shifted ? 1 : 0);
  }
  if (op == TapOp::last) return node;
  node.attributes[kSlots] = std::move(slots);
  node.attributes[kShifted] = std::move(shifted);
  return node;
}

struct TapOps::Ops {
  Ops() {
    for (Op& op : ops) domain.Add(&op);
  }

  Sink sink;
  std::array<Op, 5> ops = {Op(TapOp::observe, &sink), Op(TapOp::compare, &sink),
                           Op(TapOp::keep, &sink), Op(TapOp::compare_kept, &sink),
                           Op(TapOp::last, &sink)};
  Ort::CustomOpDomain domain{kTapDomain};
};

TapOps::TapOps() : ops_(std::make_unique<Ops>()) {}

TapOps::~TapOps() = default;

void TapOps::add_to(Ort::SessionOptions& options) {
  options.Add(ops_->domain);
}

TapOps::Call::Call(TapOps& ops, Accumulators::Step& step)
    : ops_(ops), state_(std::make_unique<CallState>(step)) {
  Sink& sink = ops_.ops_->sink;
  const std::lock_guard lock(sink.mutex);
  sink.calls[std::this_thread::get_id()] = state_.get();
}

TapOps::Call::~Call() {
  Sink& sink = ops_.ops_->sink;
  const std::lock_guard lock(sink.mutex);
  sink.calls.erase(std::this_thread::get_id());
}

FirstError& TapOps::Call::errors() {
  return state_->errors;
}

}  // namespace quantlens::onnxruntime
