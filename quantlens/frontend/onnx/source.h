// What every part of the reader needs: the file, the files beside it, and how to complain.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/frontend/onnx/wire.h"
#include "quantlens/graph/model.h"

namespace quantlens::onnx {

/// How deep graphs may be nested in attributes of nodes.
inline constexpr int kMostNesting = 32;

struct Source {
  fs::path path;
  MappedFile file;
  std::map<std::string, MappedFile> beside;                 ///< external data by location
  std::set<std::pair<std::string, std::string>> functions;  ///< local ones by domain and name
};

/// Throws Errc::bad_input: "<path>: not a sound ONNX file: <problem>; re-export or re-download it".
[[noreturn]] void unsound(const fs::path& path, std::string_view problem);

/// What `call` returns; bytes that are no protobuf become an Error about the file.
template <class F>
auto in_file(const fs::path& path, F&& call) {
  try {
    return call();
  } catch (const protozero::end_of_buffer_exception&) {
    unsound(path, "it ends in the middle, or is no ONNX at all");
  } catch (const protozero::exception& error) {
    unsound(path, std::string("its bytes are no ONNX (") + error.what() + ")");
  }
}

/// Where the bytes of an external tensor are.
struct External {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

/// Reads the entries of TensorProto.external_data.
External read_external(const fs::path& path, std::span<const Field> entries);
/// The file at a location beside the model, opened once. Throws Errc::not_found, or Errc::bad_input
/// where it would lie outside the model's folder.
const MappedFile& file_beside(Source& source, const std::string& location);

/// The fields of a ModelProto that quantlens looks into.
struct ModelParts {
  std::int64_t ir_version = 0;
  std::optional<std::string_view> graph;
  std::size_t graphs = 0;  ///< how often it is there
  std::vector<std::string_view> opsets;
  std::vector<std::string_view> metadata;
  std::vector<std::string_view> functions;
};
ModelParts split_model(std::string_view message);

struct Opset {
  std::string domain;
  std::int64_t version = 0;
};
Opset read_opset(std::string_view message);

struct FunctionId {
  std::string domain;
  std::string name;
  std::string overload;
};
FunctionId read_function_id(std::string_view message);

/// Key and value of a StringStringEntryProto.
std::pair<std::string_view, std::string_view> read_entry(std::string_view message);

/// A TensorProto's name and contents; no contents where its element type has no DType.
struct NamedTensor {
  std::string name;
  std::optional<Tensor> tensor;
};
NamedTensor read_tensor(Source& source, std::string_view message);
std::string tensor_name(std::string_view message);
/// The bytes of a TensorProto that are in another file; nothing where they are in the message.
std::optional<Bytes> external_contents(Source& source, std::string_view message);

/// DType of a TensorProto.DataType; nothing for those that quantlens has no word for.
std::optional<DType> dtype_from_onnx(std::int64_t data_type);
int onnx_from_dtype(DType dtype);

ValueInfo read_value_info(std::string_view message);

/// `depth`: how many graphs are around it.
Graph read_graph(Source& source, std::string_view message, int depth);

/// Puts the nodes of a graph and of its bodies behind what they and their own bodies read, each as
/// near to its place in the file as can be: the runtime takes them in any order. Throws
/// Errc::bad_input where they form a cycle.
void sort_nodes(Graph& graph);

/// What an operator does; Kind::other for those that quantlens does not know.
Kind kind_of(std::string_view domain, std::string_view type);

/// `Node::roles` of an operator. REQUIRES: its kind is known.
Roles read_roles(const Node& node);

/// What operators of this version of ONNX have words for.
Vocabulary vocabulary_of(std::int64_t opset);

/// `Node::results` of an operator of ONNX itself, by its attributes; empty where `kind` says it,
/// and for operators of other domains, of newer versions of ONNX and those that give no single
/// tensor.
std::vector<ResultType> result_types(const Node& node);

}  // namespace quantlens::onnx
