// What is used of TensorFlow's C API, declared here so that building needs no TensorFlow: its
// functions keep their signatures, and its structs are opaque. library.h has them filled in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace quantlens::tensorflow {

// Opaque: TF_Buffer and so on.
struct GraphHandle;
struct ImportOptions;
struct KernelBuilder;
struct KernelConstruction;
struct KernelContext;
struct OpBuilder;
struct Operation;
struct OperationBuilder;
struct SessionHandle;
struct SessionConfig;
struct ShapeContext;
struct ShapeHandle;
struct Status;
struct StringHandle;
struct TensorHandle;

/// TF_Buffer: bytes, and what frees them.
struct Buffer {
  const void* data = nullptr;
  std::size_t size = 0;
  void (*free)(void*, std::size_t) = nullptr;
};

/// TF_Output: a result of an operation.
struct ValueHandle {
  Operation* operation = nullptr;
  int index = 0;
};

/// TF_DataType: those that have a DType here, codes of quantized ops among them.
enum class DataType : int {
  float32 = 1,
  float64 = 2,
  int32 = 3,
  uint8 = 4,
  int16 = 5,
  int8 = 6,
  string = 7,
  int64 = 9,
  boolean = 10,
  qint8 = 11,
  quint8 = 12,
  qint32 = 13,
  bfloat16 = 14,
  qint16 = 15,
  quint16 = 16,
  uint16 = 17,
  float16 = 19,
  uint32 = 22,
  uint64 = 23,
};

/// TF_Code: those that are used.
enum class Code : int { ok = 0, internal = 13 };

inline constexpr std::size_t kStringBytes = 24;  ///< of a TF_TString

/// The functions, each by what the library calls it in `bind_api` (library.cpp).
struct Api {
  const char* (*version)() = nullptr;

  Status* (*new_status)() = nullptr;
  void (*delete_status)(Status*) = nullptr;
  Code (*get_code)(const Status*) = nullptr;
  const char* (*message)(const Status*) = nullptr;
  void (*set_status)(Status*, Code, const char* message) = nullptr;

  Buffer* (*new_buffer)(const void* bytes, std::size_t size) = nullptr;  ///< copies them
  Buffer* (*new_empty_buffer)() = nullptr;
  void (*delete_buffer)(Buffer*) = nullptr;

  TensorHandle* (*allocate_tensor)(DataType, const std::int64_t* extents, int rank,
                                   std::size_t bytes) = nullptr;
  void (*delete_tensor)(TensorHandle*) = nullptr;
  DataType (*tensor_type)(const TensorHandle*) = nullptr;
  int (*rank)(const TensorHandle*) = nullptr;
  std::int64_t (*extent)(const TensorHandle*, int axis) = nullptr;
  std::size_t (*tensor_bytes)(const TensorHandle*) = nullptr;
  void* (*tensor_data)(const TensorHandle*) = nullptr;

  void (*string_init)(StringHandle*) = nullptr;
  void (*string_copy)(StringHandle*, const char* bytes, std::size_t size) = nullptr;
  const char* (*string_data)(const StringHandle*) = nullptr;
  std::size_t (*string_size)(const StringHandle*) = nullptr;
  void (*string_dealloc)(StringHandle*) = nullptr;

  GraphHandle* (*new_graph)() = nullptr;
  void (*delete_graph)(GraphHandle*) = nullptr;
  ImportOptions* (*new_import_options)() = nullptr;
  void (*delete_import_options)(ImportOptions*) = nullptr;
  void (*import_graph)(GraphHandle*, const Buffer*, const ImportOptions*, Status*) = nullptr;
  Operation* (*find_operation)(GraphHandle*, const char* name) = nullptr;
  int (*output_count)(Operation*) = nullptr;
  DataType (*output_type)(ValueHandle) = nullptr;

  OperationBuilder* (*new_operation)(GraphHandle*, const char* type, const char* name) = nullptr;
  void (*add_operation_input)(OperationBuilder*, ValueHandle) = nullptr;
  void (*set_type)(OperationBuilder*, const char* attribute, DataType) = nullptr;
  Operation* (*finish_operation)(OperationBuilder*, Status*) = nullptr;  ///< takes it over

  SessionConfig* (*new_session_options)() = nullptr;
  void (*delete_session_options)(SessionConfig*) = nullptr;
  void (*set_config)(SessionConfig*, const void* bytes, std::size_t size, Status*) = nullptr;
  SessionHandle* (*new_session)(GraphHandle*, const SessionConfig*, Status*) = nullptr;
  /// Of a SavedModel, with its variables; `graph` gets its nodes.
  SessionHandle* (*load_saved_model)(const SessionConfig*, const Buffer* options,
                                     const char* folder, const char* const* tags, int tag_count,
                                     GraphHandle* graph, Buffer* meta_graph, Status*) = nullptr;
  void (*close_session)(SessionHandle*, Status*) = nullptr;
  void (*delete_session)(SessionHandle*, Status*) = nullptr;
  /// Made tensors are the caller's. `options` (RunOptions) and `metadata` (empty: becomes a
  /// RunMetadata) may be null.
  void (*run)(SessionHandle*, const Buffer* options, const ValueHandle* inputs,
              TensorHandle* const* input_tensors, int input_count, const ValueHandle* outputs,
              TensorHandle** output_tensors, int output_count, const Operation* const* targets,
              int target_count, Buffer* metadata, Status*) = nullptr;

  // Ops of our own.
  OpBuilder* (*new_op)(const char* name) = nullptr;
  void (*add_attribute)(OpBuilder*, const char* spec) = nullptr;
  void (*add_input)(OpBuilder*, const char* spec) = nullptr;
  void (*add_output)(OpBuilder*, const char* spec) = nullptr;
  void (*set_stateful)(OpBuilder*, bool) = nullptr;
  void (*set_shape_function)(OpBuilder*, void (*)(ShapeContext*, Status*)) = nullptr;
  void (*register_op)(OpBuilder*, Status*) = nullptr;  ///< takes it over
  ShapeHandle* (*new_shape)() = nullptr;
  void (*delete_shape)(ShapeHandle*) = nullptr;
  void (*get_shape)(ShapeContext*, int input, ShapeHandle*, Status*) = nullptr;
  void (*set_shape)(ShapeContext*, int output, ShapeHandle*, Status*) = nullptr;

  // Their kernels.
  KernelBuilder* (*new_kernel)(const char* op, const char* device,
                               void* (*create)(KernelConstruction*),
                               void (*compute)(void*, KernelContext*),
                               void (*destroy)(void*)) = nullptr;
  void (*register_kernel)(const char* name, KernelBuilder*, Status*) = nullptr;  ///< takes it over
  void (*get_integer)(KernelConstruction*, const char* attribute, std::int64_t*, Status*) = nullptr;
  void (*fail_construction)(KernelConstruction*, Status*) = nullptr;
  void (*get_input)(KernelContext*, int, TensorHandle**, Status*) = nullptr;  ///< the caller's
  DataType (*wanted_type)(KernelContext*, int output) = nullptr;
  void (*set_output)(KernelContext*, int, const TensorHandle*, Status*) = nullptr;
  void (*fail_kernel)(KernelContext*, Status*) = nullptr;
};

}  // namespace quantlens::tensorflow
