// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/onnxruntime/tap_ops.h"

#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <utility>

#include "quantlens/runtime/onnxruntime/session.h"

namespace quantlens::onnxruntime {
namespace {

constexpr const char* kSlot = "slot";
constexpr const char* kNames[] = {"Observe", "Compare", "Keep", "CompareKept", "Last"};

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

/// A tap as its node describes it.
struct Attributes {
  TapOp op = TapOp::last;
  std::size_t slot = 0;
  bool shifted = false;
};

/// What the kernels of one Run share with it.
struct TapSink {
  Accumulators* accumulators = nullptr;
  std::map<std::size_t, Tensor> kept;  // by slot of the pair
  std::vector<std::int8_t> codes;      // shifted back
  std::exception_ptr error;            // the first

  void take(const Attributes& tap, const Ort::KernelContext& context);
  void keep(std::size_t slot, const Shown& shown);
  void compare(const Attributes& tap, const TensorView& x, Shown q);
};

void TapSink::take(const Attributes& tap, const Ort::KernelContext& context) {
  switch (tap.op) {
    case TapOp::observe:
      return accumulators->observe(tap.slot, show(context, 0).view());
    case TapOp::compare: {
      const Shown x = show(context, 0);
      return compare(tap, x.view(), show(context, 1));
    }
    case TapOp::keep:
      return keep(tap.slot, show(context, 0));
    case TapOp::compare_kept: {
      const Tensor x = std::move(kept.at(tap.slot));
      kept.erase(tap.slot);
      return compare(tap, view(x), show(context, 0));
    }
    case TapOp::last:
      return;
  }
}

void TapSink::compare(const Attributes& tap, const TensorView& x, Shown q) {
  if (tap.shifted && q.dtype == DType::uint8) {
    const std::span shifted(static_cast<const std::uint8_t*>(q.data), q.bytes);
    codes.resize(shifted.size());
    std::ranges::transform(shifted, codes.begin(),
                           [](std::uint8_t code) { return static_cast<std::int8_t>(code ^ 0x80); });
    q.dtype = DType::int8;
    q.data = codes.data();
  }
  accumulators->compare(tap.slot, x, q.view());
}

void TapSink::keep(std::size_t slot, const Shown& shown) {
  if (shown.dtype == DType::string) return accumulators->compare(slot, shown.view(), shown.view());
  const auto* begin = static_cast<const std::byte*>(shown.data);
  const auto copy = std::make_shared<const std::vector<std::byte>>(begin, begin + shown.bytes);
  kept[slot] = Tensor(shown.dtype, shown.shape, *copy, copy);
}

/// Shared by all ops: shows its inputs to the sink and keeps exceptions from the runtime.
class Kernel {
 public:
  Kernel(const OrtKernelInfo* raw, TapOp op, TapSink* sink) : tap_{.op = op}, sink_(sink) {
    if (op == TapOp::last) return;
    const Ort::ConstKernelInfo info(raw);
    tap_.slot = static_cast<std::size_t>(info.GetAttribute<std::int64_t>(kSlot));
    tap_.shifted = info.GetAttribute<std::int64_t>(kShifted) != 0;
  }

  // NOLINTNEXTLINE(readability-identifier-naming): ORT's base class calls it.
  OrtStatusPtr ComputeV2(OrtKernelContext* raw) noexcept {
    try {
      Ort::KernelContext context(raw);
      sink_->take(tap_, context);
      constexpr std::array<std::int64_t, 1> kEmpty = {0};
      context.GetOutput(0, kEmpty.data(), kEmpty.size());
      return nullptr;
    } catch (...) {
      if (!sink_->error) sink_->error = std::current_exception();
      return Ort::GetApi().CreateStatus(ORT_FAIL, "a tap failed");
    }
  }

 private:
  Attributes tap_;
  TapSink* sink_;
};

/// One op of the domain. Its inputs are tensors of any type.
struct Op : Ort::CustomOpBase<Op, Kernel, true> {
  Op(TapOp op_kind, TapSink* op_sink) : kind(op_kind), sink(op_sink) {}

  // NOLINTBEGIN(readability-identifier-naming): ORT's base class calls them by these names.
  const char* GetName() const { return name_of(kind); }
  std::size_t GetInputTypeCount() const { return kind == TapOp::compare ? 2 : 1; }
  ONNXTensorElementDataType GetInputType(std::size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  }
  OrtCustomOpInputOutputCharacteristic GetInputCharacteristic(std::size_t) const {
    return kind == TapOp::last ? INPUT_OUTPUT_VARIADIC : INPUT_OUTPUT_REQUIRED;
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
  TapSink* sink;
};

}  // namespace

Node tap_node(TapOp op, std::size_t slot, std::vector<std::string> inputs,
              const std::string& token) {
  Node node;
  node.name = token;
  node.type = name_of(op);
  node.domain = kTapDomain;
  node.inputs = std::move(inputs);
  node.outputs = {token};
  if (op == TapOp::last) return node;
  node.attributes[kSlot] = static_cast<std::int64_t>(slot);
  node.attributes[kShifted] = std::int64_t{0};
  return node;
}

struct TapOps::Ops {
  explicit Ops(Accumulators& accumulators) {
    sink.accumulators = &accumulators;
    for (Op& op : ops) domain.Add(&op);
  }

  TapSink sink;
  std::array<Op, 5> ops = {Op(TapOp::observe, &sink), Op(TapOp::compare, &sink),
                           Op(TapOp::keep, &sink), Op(TapOp::compare_kept, &sink),
                           Op(TapOp::last, &sink)};
  Ort::CustomOpDomain domain{kTapDomain};
};

TapOps::TapOps(Accumulators& accumulators) : ops_(std::make_unique<Ops>(accumulators)) {}

TapOps::~TapOps() = default;

void TapOps::add_to(Ort::SessionOptions& options) {
  options.Add(ops_->domain);
}

void TapOps::rethrow_error() {
  if (ops_->sink.error) std::rethrow_exception(std::exchange(ops_->sink.error, nullptr));
}

}  // namespace quantlens::onnxruntime
