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
#include "quantlens/runtime/remote/memory.h"
#include "quantlens/runtime/run.h"

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

struct ModelText {
  std::string format;     ///< "onnx"
  std::string path;       ///< for messages, and to find files beside it
  bool attached = false;  ///< the next of the frame's files has its bytes; else it is at `path`
};
BOOST_DESCRIBE_STRUCT(ModelText, (), (format, path, attached))

struct OpenText {
  std::vector<ModelText> models;  ///< the reference, and the quantized one if there is one
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

/// Adds the elements to the body. REQUIRES: the tensors outlive it.
std::vector<TensorText> add_tensors(const TensorMap& tensors, Body& body);

/// Views of the body. Throws Errc::bad_input where one is not in the body, has another size than
/// its shape asks for, or is there twice.
TensorMap tensors_from(const std::vector<TensorText>& texts, const Payload& body);

}  // namespace quantlens::remote
