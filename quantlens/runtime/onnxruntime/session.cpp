// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/onnxruntime/session.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "quantlens/base/cores.h"
#include "quantlens/base/error.h"
#include "quantlens/base/phases.h"
#include "quantlens/base/text.h"
#include "quantlens/runtime/onnxruntime/load_stop.h"

namespace quantlens::onnxruntime {
namespace {

/// Smaller weights stay in the file: among them are the shapes that the runtime reads while
/// loading.
constexpr std::size_t kOutsideBytes = 1024;

using Element = std::pair<DType, ONNXTensorElementDataType>;
constexpr std::array kElements = {
    Element{DType::float32, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT},
    Element{DType::float64, ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE},
    Element{DType::float16, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16},
    Element{DType::bfloat16, ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16},
    Element{DType::int8, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8},
    Element{DType::uint8, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8},
    Element{DType::int16, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16},
    Element{DType::uint16, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16},
    Element{DType::int32, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32},
    Element{DType::uint32, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32},
    Element{DType::int64, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64},
    Element{DType::uint64, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64},
    Element{DType::boolean, ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL},
    Element{DType::string, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING},
};  // not int4 and uint4: the runtime packs two into a byte

ONNXTensorElementDataType element_of(DType dtype) {
  const auto* found = std::ranges::find(kElements, dtype, &Element::first);
  if (found == kElements.end()) {
    throw Error(Errc::unsupported,
                fmt::format("tensors of {} are not passed to ONNX Runtime", name(dtype)));
  }
  return found->second;
}

/// The runtime has no other logger to fall back to: what matters comes back as an error.
void ORT_API_CALL drop_log(void*, OrtLoggingLevel, const char*, const char*, const char*,
                           const char*) {}

Ort::Value strings_of(const Tensor& tensor) {
  Ort::AllocatorWithDefaultOptions allocator;
  Ort::Value value =
      Ort::Value::CreateTensor(allocator, tensor.shape().data(), tensor.shape().size(),
                               ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  std::vector<const char*> texts;
  for (const std::string& text : tensor.strings()) texts.push_back(text.c_str());
  value.FillStringTensor(texts.data(), texts.size());
  return value;
}

Ort::SessionOptions options_for(const SessionOptions& options, TapOps& taps) {
  Ort::SessionOptions result;
  result.SetGraphOptimizationLevel(ORT_ENABLE_ALL);
  result.SetExecutionMode(ORT_SEQUENTIAL);
  result.SetIntraOpNumThreads(static_cast<int>(std::max(options.threads, 1u)));
  result.SetInterOpNumThreads(1);
  // A session alone is at its best where its threads wait busily for the next parallel loop, as the
  // runtime does by itself; between two runs they leave the cores to those that decode the data
  // set. Of two sessions in turn, or two models in one, each is the faster for sleeping threads.
  result.AddConfigEntry("session.intra_op.allow_spinning", options.alone ? "1" : "0");
  result.AddConfigEntry("session.force_spinning_stop", "1");
  result.DisableMemPattern();  // needs less memory, and is no slower
  result.SetLogSeverityLevel(ORT_LOGGING_LEVEL_FATAL);
  if (!options.optimized_dump.empty()) {
    result.SetOptimizedModelFilePath(options.optimized_dump.c_str());
  }
  taps.add_to(result);
  return result;
}

}  // namespace

DType dtype_of_element(ONNXTensorElementDataType type) {
  const auto* found = std::ranges::find(kElements, type, &Element::second);
  if (found == kElements.end()) {
    throw Error(Errc::unsupported,
                fmt::format("tensors of ONNX element type {} are not supported yet",
                            static_cast<int>(type)));
  }
  return found->first;
}

std::shared_ptr<Ort::Env> quiet_env() {
  static std::mutex mutex;
  static std::weak_ptr<Ort::Env> held;
  const std::lock_guard lock(mutex);
  if (std::shared_ptr<Ort::Env> env = held.lock()) return env;
  auto made = std::make_unique<Ort::Env>(ORT_LOGGING_LEVEL_FATAL, "quantlens", drop_log, nullptr);
  std::shared_ptr<Ort::Env> env(made.release(), [](Ort::Env* last) {
    const std::lock_guard until_gone(mutex);
    delete last;
  });
  held = env;
  return env;
}

void check_threads(unsigned count) {
  const Cores started(count);
}

// "/onnxruntime_src/graph/model.cc:256 onnxruntime::Model::Model(int (*)(int)) Unsupported ...".
std::string reason_of(const Ort::Exception& error) {
  std::string text = error.what();
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const std::size_t begin = text.find("/onnxruntime_src/");
  const std::size_t open = begin == std::string::npos ? begin : text.find('(', begin);
  if (open == std::string::npos) return printable(text);
  std::size_t end = open;
  for (int depth = 0; end < text.size(); ++end) {
    if (text[end] == '(') ++depth;
    if (text[end] == ')' && --depth == 0) break;
  }
  end = text.find(' ', end);
  if (end == std::string::npos) return printable(text);
  if (text.compare(end, 7, " const ") == 0) end += 6;
  return printable(text.substr(0, begin) + text.substr(end + 1));
}

Tensor tensor_of(Ort::Value value, const NamedTensors& inputs) {
  const Ort::TensorTypeAndShapeInfo info = value.GetTensorTypeAndShapeInfo();
  const DType dtype = dtype_of_element(info.GetElementType());
  const std::size_t count = info.GetElementCount();
  if (dtype == DType::string) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) texts.push_back(value.GetStringTensorElement(i));
    return Tensor::from_strings(info.GetShape(), std::move(texts));
  }
  const auto* data = static_cast<const std::byte*>(value.GetTensorRawData());
  const std::span<const std::byte> bytes(data, count * byte_size(dtype));
  for (const auto& [name, input] : inputs) {  // an output may be an input itself, handed through
    if (!bytes.empty() && data == input.bytes().data() && bytes.size() == input.bytes().size()) {
      return input.reshaped(info.GetShape());
    }
  }
  return {dtype, info.GetShape(), bytes, std::make_shared<Ort::Value>(std::move(value))};
}

Ort::Value view_of(const Tensor& tensor) {
  if (tensor.dtype() == DType::string) return strings_of(tensor);
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
  // The runtime takes a plain pointer for inputs and outputs alike; it only reads inputs.
  return Ort::Value::CreateTensor(memory, const_cast<std::byte*>(tensor.bytes().data()),
                                  tensor.bytes().size(), tensor.shape().data(),
                                  tensor.shape().size(), element_of(tensor.dtype()));
}

bool is_outside(const Tensor& weight) {
  return weight.bytes().size() > kOutsideBytes && weight.dtype() != DType::string &&
         std::ranges::find(kElements, weight.dtype(), &Element::first) != kElements.end();
}

LoadedModel::LoadedModel(SessionModel model, const SessionOptions& options, TapOps& taps)
    : where_(printable(model.where)) {
  check_threads(options.threads);
  try {
    env_ = quiet_env();
    Ort::SessionOptions ort_options = options_for(options, taps);
    std::vector<std::string> names;
    std::vector<Ort::Value> values;
    for (const auto& [name, weight] : model.weights) {
      names.push_back(name);
      weights_.push_back(aligned(weight));
      values.push_back(view_of(weights_.back()));
    }
    if (!names.empty()) ort_options.AddExternalInitializers(names, values);
    if (!model.data_folder.empty()) {
      ort_options.AddConfigEntry("session.model_external_initializers_file_folder_path",
                                 fs::absolute(model.data_folder).c_str());
      ort_options.AddConfigEntry("session.disable_prepacking", "1");  // would copy them
    }
    Phase loading(options.phases, kLoading);
    {
      const LoadStop stop(ort_options, options.stop_requested);
      session_ = Ort::Session(*env_, model.bytes.data(), model.bytes.size(), ort_options);
    }
    loading.end();
    Ort::AllocatorWithDefaultOptions allocator;
    for (std::size_t i = 0; i < session_.GetOutputCount(); ++i) {
      if (session_.GetOutputTypeInfo(i).GetONNXType() != ONNX_TYPE_TENSOR) continue;
      output_names_.emplace_back(session_.GetOutputNameAllocated(i, allocator).get());
    }
    if (output_names_.empty()) {
      throw Error(Errc::unsupported,
                  fmt::format("{}: no output is a tensor; export the model with one", where_));
    }
  } catch (const Ort::Exception& error) {
    if (options.stop_requested && options.stop_requested()) {
      throw Error(Errc::interrupted, "interrupted");
    }
    throw Error(Errc::bad_input,
                fmt::format("{}: ONNX Runtime refuses the model: {}", where_, reason_of(error)));
  }
}

std::vector<Tensor> LoadedModel::run(const NamedTensors& inputs) {
  try {
    std::vector<const char*> input_names;
    std::vector<Ort::Value> input_values;
    NamedTensors held;  // outlives the run
    for (const auto& [name, tensor] : inputs) {
      held.emplace_back(name, aligned(tensor));
      input_names.push_back(name.c_str());
      input_values.push_back(view_of(held.back().second));
    }
    std::vector<const char*> output_names;
    output_names.reserve(output_names_.size());
    for (const std::string& name : output_names_) output_names.push_back(name.c_str());
    std::vector<Ort::Value> values =
        session_.Run(Ort::RunOptions{nullptr}, input_names.data(), input_values.data(),
                     input_values.size(), output_names.data(), output_names.size());
    std::vector<Tensor> outputs;
    outputs.reserve(values.size());
    for (Ort::Value& value : values) outputs.push_back(tensor_of(std::move(value), held));
    return outputs;
  } catch (const Ort::Exception& error) {
    throw Error(Errc::failed, fmt::format("{}: ONNX Runtime fails: {}", where_, reason_of(error)));
  }
}

}  // namespace quantlens::onnxruntime
