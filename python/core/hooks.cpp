// SPDX-License-Identifier: Apache-2.0
#include "python/core/hooks.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens::python {
namespace {

std::atomic<bool> has_ended = false;

/// Owns a Python object from threads that do not hold the GIL.
std::shared_ptr<PyObject> shared(nb::object object) {
  return {object.release().ptr(), [](PyObject* held) {
            wait_if_python_ends();
            const nb::gil_scoped_acquire gil;
            Py_DECREF(held);
          }};
}

/// Element types as NumPy and other arrays name them.
struct ArrayType {
  DType dtype;
  nb::dlpack::dtype_code code;
  std::uint8_t bits;
};
constexpr ArrayType kArrayTypes[] = {{DType::float16, nb::dlpack::dtype_code::Float, 16},
                                     {DType::float32, nb::dlpack::dtype_code::Float, 32},
                                     {DType::float64, nb::dlpack::dtype_code::Float, 64},
                                     {DType::bfloat16, nb::dlpack::dtype_code::Bfloat, 16},
                                     {DType::int8, nb::dlpack::dtype_code::Int, 8},
                                     {DType::int16, nb::dlpack::dtype_code::Int, 16},
                                     {DType::int32, nb::dlpack::dtype_code::Int, 32},
                                     {DType::int64, nb::dlpack::dtype_code::Int, 64},
                                     {DType::uint8, nb::dlpack::dtype_code::UInt, 8},
                                     {DType::uint16, nb::dlpack::dtype_code::UInt, 16},
                                     {DType::uint32, nb::dlpack::dtype_code::UInt, 32},
                                     {DType::uint64, nb::dlpack::dtype_code::UInt, 64},
                                     {DType::boolean, nb::dlpack::dtype_code::Bool, 8}};

DType dtype_of_array(nb::dlpack::dtype type) {
  const auto* found = std::ranges::find_if(kArrayTypes, [&](const ArrayType& one) {
    return static_cast<std::uint8_t>(one.code) == type.code && one.bits == type.bits;
  });
  if (found == std::end(kArrayTypes) || type.lanes != 1)
    throw Error(Errc::unsupported, "an array has a type that no model takes; convert it first");
  return found->dtype;
}

/// A view of the array, which lives as long as the tensor.
Tensor tensor_of(nb::handle object) {
  using Array = nb::ndarray<nb::numpy, nb::ro, nb::c_contig, nb::device::cpu>;
  auto array = std::make_unique<Array>(nb::cast<Array>(object));
  Shape shape;
  for (std::size_t axis = 0; axis < array->ndim(); ++axis)
    shape.push_back(static_cast<std::int64_t>(array->shape(axis)));
  const DType dtype = dtype_of_array(array->dtype());
  const std::span bytes(static_cast<const std::byte*>(array->data()), array->nbytes());
  const std::shared_ptr<const void> owner(array.release(), [](const void* held) {
    wait_if_python_ends();
    const nb::gil_scoped_acquire gil;
    delete static_cast<const Array*>(held);
  });
  return {dtype, std::move(shape), bytes, owner};
}

nb::dlpack::dtype dtype_of_tensor(DType dtype) {
  const auto* found = std::ranges::find(kArrayTypes, dtype, &ArrayType::dtype);
  if (found == std::end(kArrayTypes) || dtype == DType::bfloat16)
    throw Error(Errc::unsupported, "a metric is given an output of a type that NumPy has not");
  return {static_cast<std::uint8_t>(found->code), found->bits, 1};
}

/// A view of the tensor, which lives as long as the array.
nb::object array_of(const Tensor& given) {
  auto* tensor = new Tensor(aligned(given));
  const nb::capsule owner(tensor, [](void* held) noexcept { delete static_cast<Tensor*>(held); });
  std::vector<std::size_t> shape(tensor->shape().begin(), tensor->shape().end());
  nb::ndarray<nb::numpy, nb::ro> array(tensor->bytes().data(), shape.size(), shape.data(), owner,
                                       nullptr, dtype_of_tensor(tensor->dtype()));
  return nb::cast(std::move(array));
}

/// Where the interpreter ends, a thread that comes back to it is unwound. It must not get further
/// than here: what lies above counts references.
struct Barrier {
  Barrier() = default;
  ~Barrier() { wait_if_python_ends(); }
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;
};

[[gnu::noinline]] PyObject* called_behind_barrier(PyObject* callable, PyObject* arguments) {
  const Barrier barrier;
  return PyObject_CallObject(callable, arguments);
}

/// `of.name(arguments...)`, which runs the caller's own code.
template <class... Arguments>
nb::object called_method(const std::shared_ptr<PyObject>& of, const char* name,
                         const Arguments&... arguments) {
  const nb::object method = nb::handle(of.get()).attr(name);
  const nb::tuple given = nb::make_tuple(arguments...);
  PyObject* result = called_behind_barrier(method.ptr(), given.ptr());
  if (result == nullptr) throw nb::python_error();
  return nb::steal(result);
}

/// The time in which a thread runs the caller's code.
class Inside {
 public:
  explicit Inside(CalledBack& called) : called_(called) { called_.enter(); }
  ~Inside() { called_.leave(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  CalledBack& called_;
};

/// Calls Python from any thread; what it raises is kept, and told in one sentence.
template <class Exception, class Call>
auto call_python(const std::string& who, CalledBack& called, Call&& call) {
  wait_if_python_ends();
  const nb::gil_scoped_acquire gil;
  try {
    const Inside inside(called);
    return call();
  } catch (nb::python_error& error) {
    if (called.is_interrupted() && error.matches(PyExc_KeyboardInterrupt))
      throw Error(Errc::interrupted, "interrupted");
    const std::string type = nb::cast<std::string>(error.type().attr("__name__"));
    const std::string text = nb::cast<std::string>(nb::str(error.value()));
    called.take(std::move(error));
    throw Exception(Errc::failed, fmt::format("{} raised {}: {}", who, type, printable(text)));
  } catch (const nb::cast_error&) {
    throw Exception(Errc::bad_input, fmt::format("{} gave something that is no NumPy array", who));
  }
}

class PythonSamples final : public Dataset {
 public:
  PythonSamples(nb::handle samples, std::shared_ptr<CalledBack> called)
      : size_(nb::cast<std::uint64_t>(samples.attr("size"))),
        has_labels_(nb::cast<bool>(samples.attr("has_labels"))),
        caveat_(nb::cast<std::string>(samples.attr("caveat"))),
        samples_(shared(nb::borrow(samples))),
        called_(std::move(called)) {}

  std::uint64_t size() const override { return size_; }
  bool has_labels() const override { return has_labels_; }
  std::string caveat() const override { return caveat_; }
  std::string name(std::uint64_t index) const override { return fmt::format("sample {}", index); }

  Sample read(std::uint64_t index) const override {
    return call_python<DamagedData>(fmt::format("the data (at sample {})", index), *called_, [&] {
      const nb::tuple read = nb::cast<nb::tuple>(called_method(samples_, "read", index));
      Sample sample;
      for (const auto& [name, value] : nb::cast<nb::dict>(read[0]))
        sample.inputs.emplace(nb::cast<std::string>(name), tensor_of(value));
      if (!read[1].is_none()) sample.label = tensor_of(read[1]);
      return sample;
    });
  }

 private:
  std::uint64_t size_;
  bool has_labels_;
  std::string caveat_;
  std::shared_ptr<PyObject> samples_;
  std::shared_ptr<CalledBack> called_;
};

class PythonMetric final : public Metric {
 public:
  PythonMetric(std::shared_ptr<PyObject> own, std::shared_ptr<CalledBack> called)
      : own_(std::move(own)), called_(std::move(called)) {}

  void add(const Batch& batch, const TensorMap& outputs) override {
    call_python<Error>("the metric", *called_, [&] {
      nb::dict by_name;
      for (const auto& [name, tensor] : outputs) by_name[name.c_str()] = array_of(tensor);
      nb::list labels, samples;
      for (const std::optional<Tensor>& label : batch.labels)
        labels.append(label ? array_of(*label) : nb::object(nb::none()));
      for (const std::uint64_t sample : batch.samples) samples.append(sample);
      called_method(own_, "add", by_name, labels, samples);
      return 0;
    });
  }

  MetricFigure figure() const override {
    return call_python<Error>("the metric", *called_, [&] {
      const nb::object told = called_method(own_, "figure");
      MetricFigure figure;
      figure.value = nb::cast<double>(told.attr("value"));
      figure.samples = nb::cast<std::uint64_t>(told.attr("samples"));
      figure.bounds = {nb::cast<double>(told.attr("low")), nb::cast<double>(told.attr("high"))};
      for (const nb::handle one : nb::cast<nb::list>(told.attr("without")))
        figure.without.push_back(nb::cast<double>(one));
      return figure;
    });
  }

 private:
  std::shared_ptr<PyObject> own_;
  std::shared_ptr<CalledBack> called_;
};

}  // namespace

void wait_if_python_ends() {
  while (has_ended) ::pause();
}

void python_ends() {
  has_ended = true;
}

void CalledBack::take(nb::python_error&& error) {
  if (!first_) first_.emplace(std::move(error));
}

nb::object CalledBack::raised() const {
  return first_ ? nb::borrow(first_->value()) : nb::object();
}

void CalledBack::enter() {
  if (is_interrupted_) throw Error(Errc::interrupted, "interrupted");
  inside_.emplace(PyThread_get_thread_ident(), false);
}

void CalledBack::leave() {
  const auto found = inside_.find(PyThread_get_thread_ident());
  if (found == inside_.end()) return;
  if (found->second) PyThreadState_SetAsyncExc(found->first, nullptr);
  inside_.erase(found);
}

void CalledBack::interrupt() {
  is_interrupted_ = true;
  for (auto& [thread, is_told] : inside_) {
    if (!is_told) PyThreadState_SetAsyncExc(thread, PyExc_KeyboardInterrupt);
    is_told = true;
  }
}

flow::DataChoice data_choice(nb::handle data, nb::dict asked, std::shared_ptr<CalledBack> called) {
  flow::DataChoice choice;
  const auto number = [&](const char* name) -> std::optional<std::uint64_t> {
    if (!asked.contains(name) || asked[name].is_none()) return std::nullopt;
    try {
      return nb::cast<std::uint64_t>(asked[name]);
    } catch (const nb::cast_error&) {
      throw Error(Errc::usage, fmt::format("{}: give a whole number, 0 or above", name));
    }
  };
  choice.options = {.limit = number("limit"), .batch_size = number("batch_size")};
  choice.options.seed = number("seed").value_or(0);
  if (data.is_none()) return choice;
  if (nb::isinstance<nb::str>(data)) {
    choice.data = nb::cast<std::string>(data);
    return choice;
  }
  choice.data = nb::cast<std::string>(data.attr("name"));
  if (!choice.options.batch_size && !data.attr("batch_size").is_none())
    choice.options.batch_size = nb::cast<std::uint64_t>(data.attr("batch_size"));
  choice.samples = std::make_shared<PythonSamples>(data, std::move(called));
  return choice;
}

MetricSpec metric_spec(nb::handle metric, std::shared_ptr<CalledBack> called) {
  if (nb::isinstance<nb::str>(metric)) return parse_metric(nb::cast<std::string>(metric));
  MetricSpec spec{.name = nb::cast<std::string>(metric.attr("name")), .options = {}, .program = {}};
  if (!nb::cast<bool>(metric.attr("higher_is_better"))) spec.options[kHigherIsBetter] = "false";
  spec.make = [own = shared(nb::borrow(metric)), called = std::move(called)] {
    auto made = call_python<Error>("the metric", *called,
                                   [&] { return shared(called_method(own, "begin")); });
    return std::unique_ptr<Metric>(std::make_unique<PythonMetric>(std::move(made), called));
  };
  return spec;
}

}  // namespace quantlens::python
