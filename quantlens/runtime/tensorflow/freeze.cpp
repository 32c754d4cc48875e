// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/tensorflow/freeze.h"

#include <map>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/graphdef/saved_model.h"
#include "quantlens/runtime/tensorflow/library.h"
#include "quantlens/runtime/tensorflow/result.h"
#include "quantlens/runtime/tensorflow/tensors.h"

namespace quantlens::tensorflow {
namespace {

/// A SavedModel with its variables in memory.
class LoadedVariables {
 public:
  LoadedVariables(const fs::path& folder, const std::vector<std::string>& tags,
                  const fs::path& where)
      : api_(tensorflow::api()),
        where_(printable(where.string())),
        graph_(api_.new_graph(), api_.delete_graph) {
    std::vector<const char*> names;
    names.reserve(tags.size());
    for (const std::string& tag : tags) names.push_back(tag.c_str());
    const std::unique_ptr<SessionConfig, void (*)(SessionConfig*)> options(
        api_.new_session_options(), api_.delete_session_options);
    Result result(api_);
    session_ =
        api_.load_saved_model(options.get(), nullptr, folder.c_str(), names.data(),
                              static_cast<int>(names.size()), graph_.get(), nullptr, result.get());
    if (result.is_ok()) return;
    throw Error(Errc::bad_input,
                fmt::format("{}: TensorFlow cannot load the SavedModel: {}; export it again, or "
                            "copy all of its folder",
                            where_, result.reason()));
  }
  LoadedVariables(const LoadedVariables&) = delete;
  LoadedVariables& operator=(const LoadedVariables&) = delete;
  ~LoadedVariables() {
    if (session_ == nullptr) return;
    Result ignored(api_);
    api_.close_session(session_, ignored.get());
    api_.delete_session(session_, ignored.get());
  }

  /// Without those whose types are not known here.
  std::map<std::string, Tensor> read(const std::vector<graphdef::Variable>& variables) {
    std::vector<std::string> names;
    std::vector<ValueHandle> values;
    for (const graphdef::Variable& variable : variables) {
      const auto type = static_cast<DataType>(variable.type);
      if (!dtype_of(type) || type == DataType::string) continue;
      names.push_back(variable.node);
      values.push_back(value_of(variable));
    }
    std::vector<TensorHandle*> made(values.size(), nullptr);
    Result result(api_);
    if (!values.empty()) {
      api_.run(session_, nullptr, nullptr, nullptr, 0, values.data(), made.data(),
               static_cast<int>(made.size()), nullptr, 0, nullptr, result.get());
    }
    std::map<std::string, Tensor> read;
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (made[i] == nullptr) continue;
      read.emplace(names[i], tensor_of(api_, TensorPtr(made[i], api_.delete_tensor)));
    }
    check(result, "has no value for each of its variables");
    return read;
  }

 private:
  void check(const Result& result, const char* problem) const {
    if (result.is_ok()) return;
    throw Error(Errc::bad_input, fmt::format("{}: the SavedModel {}: {}; export it again", where_,
                                             problem, result.reason()));
  }

  ValueHandle value_of(const graphdef::Variable& variable) {
    Operation* const node = api_.find_operation(graph_.get(), variable.node.c_str());
    if (node == nullptr) {
      throw Error(Errc::bad_input,
                  fmt::format("{}: TensorFlow has no variable '{}' in the SavedModel; export it "
                              "again",
                              where_, printable(variable.node)));
    }
    if (!variable.is_resource) return {node, 0};
    const std::string name = fmt::format("quantlens/read_{}", count_++);
    OperationBuilder* const reader =
        api_.new_operation(graph_.get(), "ReadVariableOp", name.c_str());
    api_.add_operation_input(reader, {node, 0});
    api_.set_type(reader, "dtype", static_cast<DataType>(variable.type));
    Result result(api_);
    Operation* const made = api_.finish_operation(reader, result.get());
    check(result, "has a variable that cannot be read");
    return {made, 0};
  }

  const Api& api_;
  std::string where_;
  std::unique_ptr<GraphHandle, void (*)(GraphHandle*)> graph_;
  SessionHandle* session_ = nullptr;
  int count_ = 0;
};

}  // namespace

std::string frozen(const fs::path& folder, const fs::path& where) {
  const graphdef::SavedGraph graph(where, MappedFile::open(folder / graphdef::kSavedModelFile));
  std::error_code ignored;
  const fs::path index = fs::path("variables") / "variables.index";
  if (!graph.variables().empty() && !fs::exists(folder / index, ignored)) {
    throw Error(
        Errc::bad_input,
        fmt::format("{}: the SavedModel has no {}, and needs its variables; copy all of its "
                    "folder",
                    printable(where.string()), index.string()));
  }
  LoadedVariables loaded(folder, graph.tags(), where);
  return graph.frozen(loaded.read(graph.variables()));
}

}  // namespace quantlens::tensorflow
