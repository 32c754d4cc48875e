// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/tensorflow/library.h"

#include <charconv>
#include <cstdlib>
#include <utility>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/text.h"
#include "quantlens/runtime/locate.h"
#include "quantlens/runtime/shared_library.h"

namespace quantlens::tensorflow {
namespace {

constexpr int kMajor = 2;
constexpr int kLeastMinor = 16;  // the oldest that this was tried with

/// Looks functions up in a library by their names.
class Binder {
 public:
  explicit Binder(void* handle) : handle_(handle) {}

  template <class Function>
  void bind(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(handle_, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }
  const std::string& missing() const { return missing_; }

 private:
  void* handle_;
  std::string missing_;  // the first
};

void bind_tensors(Api& api, Binder& in) {
  in.bind(api.new_status, "TF_NewStatus");
  in.bind(api.delete_status, "TF_DeleteStatus");
  in.bind(api.get_code, "TF_GetCode");
  in.bind(api.message, "TF_Message");
  in.bind(api.set_status, "TF_SetStatus");
  in.bind(api.new_buffer, "TF_NewBufferFromString");
  in.bind(api.new_empty_buffer, "TF_NewBuffer");
  in.bind(api.delete_buffer, "TF_DeleteBuffer");
  in.bind(api.allocate_tensor, "TF_AllocateTensor");
  in.bind(api.delete_tensor, "TF_DeleteTensor");
  in.bind(api.tensor_type, "TF_TensorType");
  in.bind(api.rank, "TF_NumDims");
  in.bind(api.extent, "TF_Dim");
  in.bind(api.tensor_bytes, "TF_TensorByteSize");
  in.bind(api.tensor_data, "TF_TensorData");
  in.bind(api.string_init, "TF_StringInit");
  in.bind(api.string_copy, "TF_StringCopy");
  in.bind(api.string_data, "TF_StringGetDataPointer");
  in.bind(api.string_size, "TF_StringGetSize");
  in.bind(api.string_dealloc, "TF_StringDealloc");
}

void bind_sessions(Api& api, Binder& in) {
  in.bind(api.new_graph, "TF_NewGraph");
  in.bind(api.delete_graph, "TF_DeleteGraph");
  in.bind(api.new_import_options, "TF_NewImportGraphDefOptions");
  in.bind(api.delete_import_options, "TF_DeleteImportGraphDefOptions");
  in.bind(api.import_graph, "TF_GraphImportGraphDef");
  in.bind(api.find_operation, "TF_GraphOperationByName");
  in.bind(api.output_count, "TF_OperationNumOutputs");
  in.bind(api.output_type, "TF_OperationOutputType");
  in.bind(api.new_operation, "TF_NewOperation");
  in.bind(api.add_operation_input, "TF_AddInput");
  in.bind(api.set_type, "TF_SetAttrType");
  in.bind(api.finish_operation, "TF_FinishOperation");
  in.bind(api.new_session_options, "TF_NewSessionOptions");
  in.bind(api.delete_session_options, "TF_DeleteSessionOptions");
  in.bind(api.set_config, "TF_SetConfig");
  in.bind(api.new_session, "TF_NewSession");
  in.bind(api.load_saved_model, "TF_LoadSessionFromSavedModel");
  in.bind(api.close_session, "TF_CloseSession");
  in.bind(api.delete_session, "TF_DeleteSession");
  in.bind(api.run, "TF_SessionRun");
}

void bind_kernels(Api& api, Binder& in) {
  in.bind(api.new_op, "TF_NewOpDefinitionBuilder");
  in.bind(api.add_attribute, "TF_OpDefinitionBuilderAddAttr");
  in.bind(api.add_input, "TF_OpDefinitionBuilderAddInput");
  in.bind(api.add_output, "TF_OpDefinitionBuilderAddOutput");
  in.bind(api.set_stateful, "TF_OpDefinitionBuilderSetIsStateful");
  in.bind(api.set_shape_function, "TF_OpDefinitionBuilderSetShapeInferenceFunction");
  in.bind(api.register_op, "TF_RegisterOpDefinition");
  in.bind(api.new_shape, "TF_NewShapeHandle");
  in.bind(api.delete_shape, "TF_DeleteShapeHandle");
  in.bind(api.get_shape, "TF_ShapeInferenceContextGetInput");
  in.bind(api.set_shape, "TF_ShapeInferenceContextSetOutput");
  in.bind(api.new_kernel, "TF_NewKernelBuilder");
  in.bind(api.register_kernel, "TF_RegisterKernelBuilder");
  in.bind(api.get_integer, "TF_OpKernelConstruction_GetAttrInt64");
  in.bind(api.fail_construction, "TF_OpKernelConstruction_Failure");
  in.bind(api.get_input, "TF_GetInput");
  in.bind(api.wanted_type, "TF_ExpectedOutputDataType");
  in.bind(api.set_output, "TF_SetOutput");
  in.bind(api.fail_kernel, "TF_OpKernelContext_Failure");
}

/// Fills the table; says what the library lacks, if anything.
std::string bind_api(Api& api, void* handle) {
  Binder binder(handle);
  bind_tensors(api, binder);
  bind_sessions(api, binder);
  bind_kernels(api, binder);
  return binder.missing();
}

std::string needed() {
  return fmt::format("quantlens needs {}.{} or a later {}.x", kMajor, kLeastMinor, kMajor);
}

/// Loads one candidate into `out`, or says why not.
std::string load_one(const fs::path& candidate, Library& out) {
  void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return printable(reason != nullptr ? reason : candidate.string());
  }
  Binder first(handle);
  first.bind(out.api.version, "TF_Version");
  if (out.api.version == nullptr) {
    dlclose(handle);
    return fmt::format("{}: is not TensorFlow's C API", printable(candidate.string()));
  }
  const std::string version = out.api.version();
  const std::string path = file_of(reinterpret_cast<void*>(out.api.version), candidate);
  if (!is_new_enough(version)) {
    out.code = Errc::unsupported;
    return fmt::format("{}: is TensorFlow {}, and {}", printable(path), printable(version),
                       needed());
  }
  if (const std::string missing = bind_api(out.api, handle); !missing.empty()) {
    return fmt::format("{}: TensorFlow {} has no {} in it", printable(path), printable(version),
                       missing);
  }
  out.version = version;
  out.path = path;
  out.is_there = true;
  return {};
}

/// What the library reads once, when it is loaded or makes its first session. A setting of the
/// user's own stands.
void set_environment() {
  constexpr int kKeep = 0;
  setenv("TF_CPP_MIN_LOG_LEVEL", "3", kKeep);           // what matters comes back as an error
  setenv("TF_OVERRIDE_GLOBAL_THREADPOOL", "1", kKeep);  // each session has threads of its own
}

}  // namespace

bool is_new_enough(std::string_view version) {
  int major = 0, minor = 0;
  const char* const end = version.data() + version.size();
  const auto [dot, error] = std::from_chars(version.data(), end, major);
  if (error != std::errc() || dot == end || *dot != '.') return false;
  if (std::from_chars(dot + 1, end, minor).ec != std::errc()) return false;
  return major == kMajor && minor >= kLeastMinor;
}

Library load_library(const std::vector<fs::path>& candidates) {
  return first_loaded<Library>(candidates, load_one, [](const std::vector<std::string>& tried) {
    return tensorflow_problem(fmt::format("{}", fmt::join(tried, "; ")));
  });
}

const Library& library() {
  static const Library loaded = [] {
    set_environment();
    return load_library(tensorflow_candidates());
  }();
  return loaded;
}

const Api& api() {
  const Library& found = library();
  if (!found.is_there) throw Error(found.code, found.problem);
  return found.api;
}

}  // namespace quantlens::tensorflow
