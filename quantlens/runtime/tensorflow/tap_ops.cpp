// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/tensorflow/tap_ops.h"

#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/runtime/tensorflow/library.h"
#include "quantlens/runtime/tensorflow/result.h"

namespace quantlens::tensorflow {

/// What the taps of one step share.
class TapCall::State {
 public:
  State(const Api& api, Accumulators::Step& step, TapCounts counts)
      : api_(api), step_(step), counts_(counts) {}

  void see(TapUse use, std::size_t slot, TensorPtr value) {
    if (slot >= (use == TapUse::observe ? counts_.taps : counts_.pairs)) {
      throw Error(Errc::bad_input, fmt::format("the graph itself has an op {}, which is only for "
                                               "quantlens to put there; rename it",
                                               kTapOp));
    }
    switch (use) {
      case TapUse::observe:
        return step_.observe(slot, Shown(api_, *value).view());
      case TapUse::keep: {
        const std::lock_guard lock(mutex_);
        kept_[slot] = std::move(value);
        return;
      }
      case TapUse::compare: {
        const TensorPtr reference = take_kept(slot);
        return step_.compare(slot, Shown(api_, *reference).view(), Shown(api_, *value).view());
      }
    }
  }

  void keep_error() noexcept {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
  }
  void rethrow_error() {
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  /// A value in the form that accumulators take.
  class Shown {
   public:
    Shown(const Api& api, const TensorHandle& value) : api_(api), value_(value) {
      for (int axis = 0; axis < api.rank(&value); ++axis) {
        shape_.push_back(api.extent(&value, axis));
      }
    }
    TensorView view() const {
      const std::optional<DType> dtype = dtype_of(api_.tensor_type(&value_));
      if (!dtype) throw Error(Errc::unsupported, "a value has elements of no known type");
      const bool has_bytes = *dtype != DType::string;
      return {*dtype, shape_, has_bytes ? api_.tensor_data(&value_) : nullptr};
    }

   private:
    const Api& api_;
    const TensorHandle& value_;
    Shape shape_;
  };

  TensorPtr take_kept(std::size_t slot) {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.extract(slot);
    if (found.empty()) throw Error(Errc::failed, "a value of the other model was not seen");
    return std::move(found.mapped());
  }

  const Api& api_;
  Accumulators::Step& step_;
  TapCounts counts_;
  std::mutex mutex_;                       // of what follows
  std::map<std::size_t, TensorPtr> kept_;  // by slot of the pair
  std::exception_ptr error_;               // the first
};

namespace {

/// The calls that are under way, by number. One in a process, as the library's own table of ops is
/// one, which gives its kernels nothing of ours to hold.
class Calls {
 public:
  static Calls& all() {
    static Calls calls;
    return calls;
  }
  std::int64_t add(TapCall::State& call) {
    const std::lock_guard lock(mutex_);
    calls_[++last_] = &call;
    return last_;
  }
  void remove(std::int64_t key) {
    const std::lock_guard lock(mutex_);
    calls_.erase(key);
  }
  /// Null where there is none.
  TapCall::State* find(std::int64_t key) {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(key);
    return found == calls_.end() ? nullptr : found->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::int64_t, TapCall::State*> calls_;
  std::int64_t last_ = 0;
};

/// What a node of the op says.
struct Kernel {
  std::size_t slot = 0;
  TapUse use = TapUse::observe;
};

void* create(KernelConstruction* construction) {
  const Api& api = library().api;
  std::int64_t slot = 0, use = 0;
  Result result(api);
  api.get_integer(construction, kTapSlot, &slot, result.get());
  if (result.is_ok()) api.get_integer(construction, kTapUse, &use, result.get());
  if (!result.is_ok()) {
    api.fail_construction(construction, result.get());
    return nullptr;
  }
  return std::make_unique<Kernel>(Kernel{static_cast<std::size_t>(slot), TapUse{use}}).release();
}

void destroy(void* kernel) {
  const std::unique_ptr<Kernel> gone(static_cast<Kernel*>(kernel));
}

TensorPtr input(const Api& api, KernelContext* context, int number, Result& result) {
  TensorHandle* handle = nullptr;
  if (result.is_ok()) api.get_input(context, number, &handle, result.get());
  return {handle, [&api](TensorHandle* last) {
            if (last != nullptr) api.delete_tensor(last);
          }};
}

/// Shows the value; false where it could not be.
bool show(const Kernel& kernel, const Api& api, const TensorHandle& number, TensorPtr value) {
  std::int64_t key = 0;
  if (api.tensor_bytes(&number) != sizeof key) return false;
  std::memcpy(&key, api.tensor_data(&number), sizeof key);
  TapCall::State* const call = Calls::all().find(key);
  if (call == nullptr) return false;
  try {
    call->see(kernel.use, kernel.slot, std::move(value));
    return true;
  } catch (...) {
    call->keep_error();
    return false;
  }
}

void compute(void* of, KernelContext* context) {
  const Api& api = library().api;
  const Kernel& kernel = *static_cast<const Kernel*>(of);
  Result result(api);
  const TensorPtr value = input(api, context, 0, result);
  const TensorPtr number = input(api, context, 1, result);
  if (result.is_ok() && !show(kernel, api, *number, value)) {
    api.set_status(result.get(), Code::internal, "a tap failed");
  }
  if (result.is_ok()) api.set_output(context, 0, value.get(), result.get());
  if (!result.is_ok()) api.fail_kernel(context, result.get());
}

/// The result has the value's shape.
void infer_shape(ShapeContext* context, Status* status) {
  const Api& api = library().api;
  const std::unique_ptr<ShapeHandle, void (*)(ShapeHandle*)> shape(api.new_shape(),
                                                                   api.delete_shape);
  api.get_shape(context, 0, shape.get(), status);
  if (api.get_code(status) == Code::ok) api.set_shape(context, 0, shape.get(), status);
}

/// Empty, or why the library refuses.
std::string register_op(const Api& api) {
  OpBuilder* const op = api.new_op(kTapOp);
  api.add_attribute(op, "T: type");
  api.add_attribute(op, fmt::format("{}: int", kTapSlot).c_str());
  api.add_attribute(op, fmt::format("{}: int", kTapUse).c_str());
  api.add_input(op, "value: T");
  api.add_input(op, "number: int64");
  api.add_output(op, "same: T");
  api.set_stateful(op, true);
  api.set_shape_function(op, infer_shape);
  Result result(api);
  api.register_op(op, result.get());
  if (!result.is_ok()) return result.reason();
  KernelBuilder* const kernel = api.new_kernel(kTapOp, "CPU", create, compute, destroy);
  api.register_kernel(kTapOp, kernel, result.get());
  return result.is_ok() ? std::string() : result.reason();
}

}  // namespace

void register_tap_op(const Api& api) {
  static const std::string problem = register_op(api);
  if (!problem.empty()) {
    throw Error(Errc::failed, fmt::format("TensorFlow takes no op to observe with: {}", problem));
  }
}

TapCall::TapCall(const Api& api, Accumulators::Step& step, TapCounts counts)
    : state_(std::make_unique<State>(api, step, counts)),
      key_(Calls::all().add(*state_)),
      number_(handle_of(api, Tensor::scalar(key_), DataType::int64)) {}

TapCall::~TapCall() {
  Calls::all().remove(key_);
}

void TapCall::rethrow_error() {
  state_->rethrow_error();
}

}  // namespace quantlens::tensorflow
