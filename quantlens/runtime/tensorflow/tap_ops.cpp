// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/tensorflow/tap_ops.h"

#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/runtime/tensorflow/library.h"
#include "quantlens/runtime/tensorflow/result.h"

namespace quantlens::tensorflow {

/// What the taps of one step share.
class TapCall::State {
 public:
  State(const Api& api, Accumulators::Step& step, TapLimits limits)
      : api_(api), step_(step), limits_(limits) {}

  void see(TapUse use, std::size_t slot, TensorPtr value) {
    if (slot >= (use == TapUse::observe ? limits_.taps : limits_.pairs)) refuse(kTapOp);
    switch (use) {
      case TapUse::observe:
        return step_.observe(slot, Shown(api_, *value).view());
      case TapUse::keep: {
        const std::lock_guard lock(mutex_);
        kept_[slot] = std::move(value);
        return;
      }
      case TapUse::compare: {
        const TensorPtr reference = kept(slot);
        return step_.compare(slot, Shown(api_, *reference).view(), Shown(api_, *value).view());
      }
    }
  }

  /// What a tap of the slot has kept.
  TensorPtr given(std::size_t slot, DataType type) {
    if (!limits_.gives_kept || slot >= limits_.pairs) refuse(kKeptOp);
    TensorPtr value = kept(slot);
    if (api_.tensor_type(value.get()) != type) refuse(kKeptOp);
    return value;
  }

  FirstError errors;

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

  [[noreturn]] static void refuse(const char* op) {
    throw Error(Errc::bad_input, fmt::format("the graph itself has an op {}, which is only for "
                                             "quantlens to put there; rename it",
                                             op));
  }

  TensorPtr kept(std::size_t slot) {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find(slot);
    if (found == kept_.end()) throw Error(Errc::failed, "a value of the other model was not seen");
    return limits_.gives_kept ? found->second : kept_.extract(found).mapped();
  }

  const Api& api_;
  Accumulators::Step& step_;
  TapLimits limits_;
  std::mutex mutex_;                       // of what follows
  std::map<std::size_t, TensorPtr> kept_;  // by slot of the pair
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

/// What a node of an op says.
struct Kernel {
  std::size_t slot = 0;
  TapUse use = TapUse::observe;  ///< of a tap
};

void* create(KernelConstruction* construction, bool is_tap) {
  const Api& api = library().api;
  std::int64_t slot = 0, use = 0;
  Result result(api);
  api.get_integer(construction, kTapSlot, &slot, result.get());
  if (result.is_ok() && is_tap) api.get_integer(construction, kTapUse, &use, result.get());
  if (!result.is_ok()) {
    api.fail_construction(construction, result.get());
    return nullptr;
  }
  return std::make_unique<Kernel>(Kernel{static_cast<std::size_t>(slot), TapUse{use}}).release();
}

void* create_tap(KernelConstruction* construction) {
  return create(construction, true);
}

void* create_kept(KernelConstruction* construction) {
  return create(construction, false);
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

/// What `act` gives to the call of this number; nothing where it throws, or there is no such call.
template <class Act>
TensorPtr in_call(const Api& api, const TensorHandle& number, const Act& act) {
  std::int64_t key = 0;
  if (api.tensor_bytes(&number) != sizeof key) return nullptr;
  std::memcpy(&key, api.tensor_data(&number), sizeof key);
  TapCall::State* const call = Calls::all().find(key);
  if (call == nullptr) return nullptr;
  try {
    return act(*call);
  } catch (...) {
    call->errors.keep();
    return nullptr;
  }
}

void give(const Api& api, KernelContext* context, const TensorPtr& value, Result& result) {
  if (result.is_ok() && value == nullptr) {
    api.set_status(result.get(), Code::internal, "a tap failed");
  }
  if (result.is_ok()) api.set_output(context, 0, value.get(), result.get());
  if (!result.is_ok()) api.fail_kernel(context, result.get());
}

void compute_tap(void* of, KernelContext* context) {
  const Api& api = library().api;
  const Kernel& kernel = *static_cast<const Kernel*>(of);
  Result result(api);
  TensorPtr value = input(api, context, 0, result);
  const TensorPtr number = input(api, context, 1, result);
  TensorPtr seen;
  if (result.is_ok()) {
    seen = in_call(api, *number, [&](TapCall::State& call) {
      call.see(kernel.use, kernel.slot, value);
      return value;
    });
  }
  give(api, context, seen, result);
}

void compute_kept(void* of, KernelContext* context) {
  const Api& api = library().api;
  const Kernel& kernel = *static_cast<const Kernel*>(of);
  Result result(api);
  const TensorPtr number = input(api, context, 1, result);
  TensorPtr kept;
  if (result.is_ok()) {
    kept = in_call(api, *number, [&](TapCall::State& call) {
      return call.given(kernel.slot, api.wanted_type(context, 0));
    });
  }
  give(api, context, kept, result);
}

/// The result has the shape of the first input.
void infer_shape(ShapeContext* context, Status* status) {
  const Api& api = library().api;
  const std::unique_ptr<ShapeHandle, void (*)(ShapeHandle*)> shape(api.new_shape(),
                                                                   api.delete_shape);
  api.get_shape(context, 0, shape.get(), status);
  if (api.get_code(status) == Code::ok) api.set_shape(context, 0, shape.get(), status);
}

/// An op and its kernel.
struct OpOfOurs {
  const char* name;
  std::vector<std::string> attributes, inputs;
  void* (*create)(KernelConstruction*);
  void (*compute)(void*, KernelContext*);
};

/// Empty, or why the library refuses.
std::string register_op(const Api& api, const OpOfOurs& wanted) {
  OpBuilder* const op = api.new_op(wanted.name);
  for (const std::string& attribute : wanted.attributes) api.add_attribute(op, attribute.c_str());
  for (const std::string& input : wanted.inputs) api.add_input(op, input.c_str());
  api.add_output(op, "same: T");
  api.set_stateful(op, true);
  api.set_shape_function(op, infer_shape);
  Result result(api);
  api.register_op(op, result.get());
  if (!result.is_ok()) return result.reason();
  KernelBuilder* const kernel =
      api.new_kernel(wanted.name, "CPU", wanted.create, wanted.compute, destroy);
  api.register_kernel(wanted.name, kernel, result.get());
  return result.is_ok() ? std::string() : result.reason();
}

std::string register_all(const Api& api) {
  const OpOfOurs tap{
      .name = kTapOp,
      .attributes = {"T: type", fmt::format("{}: int", kTapSlot), fmt::format("{}: int", kTapUse)},
      .inputs = {"value: T", "number: int64"},
      .create = create_tap,
      .compute = compute_tap};
  const OpOfOurs kept{.name = kKeptOp,
                      .attributes = {"T: type", "U: type", fmt::format("{}: int", kTapSlot)},
                      .inputs = {"like: U", "number: int64"},
                      .create = create_kept,
                      .compute = compute_kept};
  const std::string problem = register_op(api, tap);
  return problem.empty() ? register_op(api, kept) : problem;
}

}  // namespace

void register_tap_ops(const Api& api) {
  static const std::string problem = register_all(api);
  if (!problem.empty()) {
    throw Error(Errc::failed, fmt::format("TensorFlow takes no op to observe with: {}", problem));
  }
}

TapCall::TapCall(const Api& api, Accumulators::Step& step, TapLimits limits)
    : state_(std::make_unique<State>(api, step, limits)),
      key_(Calls::all().add(*state_)),
      number_(handle_of(api, Tensor::scalar(key_), DataType::int64)) {}

TapCall::~TapCall() {
  Calls::all().remove(key_);
}

FirstError& TapCall::errors() {
  return state_->errors;
}

}  // namespace quantlens::tensorflow
