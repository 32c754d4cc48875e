// Small ONNX models for tests, and looks into the files that come out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/error.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/frontend/pieces.h"

namespace quantlens::onnx {

using protobuf::Pieces;

Node make_node(const std::string& type, std::vector<std::string> inputs,
               std::vector<std::string> outputs, std::map<std::string, Attribute> attributes = {});
ValueInfo float_value(const std::string& name, std::vector<Dim> shape);
Dim dim(std::int64_t extent);
Dim dim(const std::string& symbol);

/// x [N,3,4,4] -> Conv "c1" (no bias) -> BatchNormalization "n1" -> Relu "r1" -> Conv "c2" (bias
/// from a Constant node) -> y; If "z" whose branches read "r1" and the weight "w2".
Graph small_graph();

/// A model as if read from `path`.
Model model_of(const std::string& bytes, const fs::path& path = "small.onnx");
Model model_of(const Graph& graph, const std::map<std::string, std::int64_t>& opsets = {{"", 13}});

std::string written(const Model& model, const Edit& edit, const WriteOptions& options = {});

/// The sentence of the Error with this code that `call` throws; fails the test where it does not.
template <class F>
std::string sentence_of(Errc code, F&& call);
void expect_code(const Error& error, Errc code);
void fail_no_error();

/// Whole fields (tag and all) of a file's top graph: nodes by first output, weights by name.
std::map<std::string, std::string> node_bytes(std::string_view model);
std::map<std::string, std::string> weight_bytes(std::string_view model);

/// A copy of a ModelProto where every message that quantlens looks into, at any depth, has a field
/// of its own that onnx.proto does not know; and the contents of all such fields of a model, in
/// order.
std::string with_unknown_fields(std::string_view model);
std::vector<std::string> unknown_fields(std::string_view model);

/// A ModelProto with this GraphProto.
std::string file_with(Pieces graph, std::uint64_t ir_version = 8, std::int64_t opset = 13);

template <class F>
std::string sentence_of(Errc code, F&& call) {
  try {
    call();
  } catch (const Error& error) {
    expect_code(error, code);
    return error.what();
  }
  fail_no_error();
  return {};
}

}  // namespace quantlens::onnx
