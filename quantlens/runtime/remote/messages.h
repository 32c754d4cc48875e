// What the frames of the worker pipe say: described structs as JSON, and tensors, whose elements
// lie in the frame's body. Nothing here is about one runtime or one format of models.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/base/error.h"
#include "quantlens/base/json.h"
#include "quantlens/record/plan.h"
#include "quantlens/runtime/remote/frame.h"
#include "quantlens/runtime/remote/memory.h"
#include "quantlens/runtime/run.h"
#include "quantlens/runtime/timed.h"

namespace quantlens {

BOOST_DESCRIBE_ENUM(Errc, failed, usage, bad_input, not_found, unsupported, io, interrupted)

}  // namespace quantlens

namespace quantlens::remote {

/// The worker's first frame.
struct Hello {
  std::string runtime;  ///< "onnxruntime"
  std::string version;  ///< of the runtime; empty where it could not be loaded
};
BOOST_DESCRIBE_STRUCT(Hello, (), (runtime, version))

/// A model as it is given to a worker.
struct ModelFileText {
  std::string format;     ///< "onnx"
  std::string path;       ///< for messages, and to find files beside it
  bool attached = false;  ///< the next of the frame's files has its bytes; else it is at `path`
  /// Values between which it is to be run, for workers whose runtime does that; empty: all of it.
  std::vector<std::string> inputs, outputs;
};
BOOST_DESCRIBE_STRUCT(ModelFileText, (), (format, path, attached, inputs, outputs))

struct OpenText {
  std::vector<ModelFileText> models;  ///< the reference, and the quantized one if there is one
  TapSpec taps;
  RunOptions options;
};
BOOST_DESCRIBE_STRUCT(OpenText, (), (models, taps, options))

struct OpenedText {
  std::vector<NotTapped> not_tapped;
  unsigned in_flight = 1;  ///< Run::in_flight
};
BOOST_DESCRIBE_STRUCT(OpenedText, (), (not_tapped, in_flight))

/// A tensor, and where in the body its elements are. Strings: of each its length, 8 bytes, and its
/// bytes.
struct TensorText {
  std::string name;
  DType dtype = DType::float32;
  Shape shape;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};
BOOST_DESCRIBE_STRUCT(TensorText, (), (name, dtype, shape, offset, bytes))

struct StepText {
  std::vector<std::uint64_t> samples;
  std::vector<TensorText> inputs;
};
BOOST_DESCRIBE_STRUCT(StepText, (), (samples, inputs))

struct SteppedText {
  std::vector<TensorText> reference;
  std::vector<TensorText> quantized;
  std::uint64_t steps = 0;            ///< that were done, this one included
  unsigned in_flight = 1;             ///< Run::in_flight
  bool settled = false;               ///< no other step was under way when this one was done
  std::vector<NotTapped> not_tapped;  ///< all there are, where that is settled
};
BOOST_DESCRIBE_STRUCT(SteppedText, (),
                      (reference, quantized, steps, in_flight, settled, not_tapped))

/// What a worker is and can do.
struct StatusText {
  std::string runtime;
  std::string version;                        ///< of the runtime
  std::string where;                          ///< path of its library
  std::string problem;                        ///< why it is of no use; empty: it is
  std::uint16_t protocol = kProtocolVersion;  ///< of the pipe
  std::vector<std::string> formats;           ///< that it reads
  bool applies = false;                       ///< answers `apply`
  bool patches = false;                       ///< answers `patch`
  bool times = false;                         ///< answers `open_timed`
};
BOOST_DESCRIBE_STRUCT(StatusText, (),
                      (runtime, version, where, problem, protocol, formats, applies, patches,
                       times))

struct OpenTimedText {
  ModelFileText model;
  TimedOptions options;
};
BOOST_DESCRIBE_STRUCT(OpenTimedText, (), (model, options))

/// A batch of a model that was opened for its time.
struct TimedBatchText {
  std::uint64_t model = 0;  ///< its number in this worker
  std::uint64_t batch = 0;  ///< TimedRun::add's number; unused where there is none
};
BOOST_DESCRIBE_STRUCT(TimedBatchText, (), (model, batch))

struct AddText {
  std::uint64_t model = 0;
  std::vector<std::uint64_t> samples;
  std::vector<TensorText> inputs;
};
BOOST_DESCRIBE_STRUCT(AddText, (), (model, samples, inputs))

struct TypeText {
  std::string name;
  DType dtype = DType::float32;
  Shape shape;
};
BOOST_DESCRIBE_STRUCT(TypeText, (), (name, dtype, shape))

/// Runs that are made one right after the other.
struct TimeText {
  std::vector<TimedBatchText> turns;
};
BOOST_DESCRIBE_STRUCT(TimeText, (), (turns))

/// Types of the values of a timed model's graph.
struct ModelTypesText {
  std::uint64_t model = 0;
  std::vector<TypeText> types;
};
BOOST_DESCRIBE_STRUCT(ModelTypesText, (), (model, types))

/// Its body has the times: of each turn the whole run's nanoseconds, then those of each node of the
/// model's graph, 8 bytes each.
struct TimesText {
  std::vector<ModelTypesText> types;  ///< of models that were run for the first time
};
BOOST_DESCRIBE_STRUCT(TimesText, (), (types))

struct OutputsText {
  std::vector<TensorText> outputs;
};
BOOST_DESCRIBE_STRUCT(OutputsText, (), (outputs))

struct ErrorText {
  Errc code = Errc::failed;
  std::string sentence;
};
BOOST_DESCRIBE_STRUCT(ErrorText, (), (code, sentence))

/// A frame's text. Texts that are no valid UTF-8 (names come from files) travel as "\u0001" and
/// their bytes in hexadecimal; so do those that begin with "\u0001".
std::string text_of(const json::Value& value);
template <class T>
std::string text_of(const T& message) {
  return text_of(json::encode(message));
}

/// The reverse. Throws Errc::bad_input.
json::Value value_from(std::string_view text);
template <class T>
T message_from(std::string_view text) {
  return json::decode<T>(value_from(text), "its text");
}

/// Adds the elements to the body, and says where they are. REQUIRES: the tensor outlives it.
TensorText add_tensor(const std::string& name, const Tensor& tensor, Body& body);
std::vector<TensorText> add_tensors(const TensorMap& tensors, Body& body);

/// A view of the body. Throws Errc::bad_input where it is not in the body, or has another size than
/// its shape asks for.
Tensor tensor_from(const TensorText& text, const Payload& body);
/// Likewise of all; throws where one is there twice, too.
TensorMap tensors_from(const std::vector<TensorText>& texts, const Payload& body);

}  // namespace quantlens::remote
