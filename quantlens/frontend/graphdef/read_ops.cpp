// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/graphdef/source.h"

namespace quantlens::graphdef {
namespace {

constexpr std::size_t kMostOutputs = 65'536;  // of one op
// What a node of a function is charged with, so that 130,000 of them are the most.
constexpr std::uint64_t kBytesOfNode = 8192;

std::string value_name(const std::string& node, std::size_t number) {
  return number == 0 ? node : fmt::format("{}:{}", node, number);
}

/// A node of one function, or of the graph itself.
struct Local {
  NodeParts parts;
  std::string name;                    ///< with those of the calls around it
  std::optional<std::size_t> op = {};  ///< its number among the ops
  const OpRow* row = nullptr;
  const Function* callee = nullptr;
  Values callee_values = {};
  std::vector<std::string> outputs = {};
  bool has_all_outputs = false;               ///< else as many as are read
  std::unordered_set<std::string> seen = {};  ///< names in `outputs`, where these grow
};

/// What a function's nodes see beside each other.
struct Call {
  std::string prefix;
  std::map<std::string_view, std::string> arguments;  ///< values, by what the function calls them
  const Values* values = nullptr;                     ///< what the caller says
  int depth = 0;
};

std::optional<Graph> read_body(Source& source, std::string_view name, const Values& values,
                               int depth);

class OpReader {
 public:
  explicit OpReader(Source& source, KeepParts keep = KeepParts::no)
      : source_(source), keep_(keep) {}

  /// The values that `returned` name, of which there are as many.
  std::vector<std::string> read(std::span<const std::string_view> nodes, const Call& call,
                                std::span<const std::string_view> returned) {
    if (call.depth > kMostNesting) {
      unsound(source_.path,
              fmt::format("its functions call each other more than {} deep", kMostNesting));
    }
    std::vector<Local> locals;
    locals.reserve(nodes.size());
    Scope scope{.call = call, .by_name = {}};
    for (const std::string_view node : nodes) locals.push_back(local_of(node, call));
    for (Local& local : locals) {
      const bool is_new = scope.by_name.emplace(local.parts.name, &local).second;
      if (!is_new || call.arguments.contains(local.parts.name)) {
        unsound(source_.path, fmt::format("two nodes are named '{}'", printable(local.parts.name)));
      }
      names_.insert(local.name);
    }
    for (Local& local : locals) {
      if (local.callee == nullptr || local.outputs.empty()) make(local, call.depth);
    }
    for (Local& local : locals) read_inputs(local, scope);
    std::vector<std::string> values;
    for (const std::string_view text : returned) {
      values.push_back(value_of(scope, read_reference(source_, text), "a function"));
    }
    for (Local& local : locals) {
      if (!local.op) continue;
      if (keep_ == KeepParts::yes) ops_[*local.op].parts = std::move(local.parts);
      ops_[*local.op].node.outputs = local.outputs;
      // An op that is not known gives something, also where nobody reads it.
      if (!local.has_all_outputs && local.outputs.empty())
        ops_[*local.op].node.outputs = {local.name};
    }
    return values;
  }

  std::vector<Op> take() { return std::move(ops_); }

 private:
  struct Scope {
    const Call& call;
    std::unordered_map<std::string_view, Local*> by_name;
  };

  Local local_of(std::string_view message, const Call& call) {
    Local local{.parts = split_node(source_, message), .name = {}};
    local.name = call.prefix + std::string(local.parts.name);
    if (call.depth > 0) spend(source_, kBytesOfNode + 2 * local.name.size() + message.size());
    for (auto& [key, value] : local.parts.values) {
      if (value.field != AttrValue::placeholder) continue;
      const auto given =
          call.values == nullptr ? Values::const_iterator() : call.values->find(value.bytes);
      const bool is_given = call.values != nullptr && given != call.values->end();
      value = is_given ? given->second : Value();
    }
    find_callee(local);
    return local;
  }

  /// Where the node calls a function whose body can stand in its place.
  void find_callee(Local& local) const {
    std::string_view name = local.parts.type;
    if (name == "PartitionedCall" || name == "StatefulPartitionedCall") {
      const auto called = local.parts.values.find("f");
      if (called == local.parts.values.end()) return;
      std::tie(name, local.callee_values) = read_function_value(called->second);
      if (!source_.functions.contains(name)) {
        unsound(source_.path,
                fmt::format("the node '{}' calls the function '{}', which is not there",
                            printable(local.parts.name), printable(name)));
      }
    } else {
      local.callee_values = local.parts.values;
    }
    const auto found = source_.functions.find(name);
    if (found == source_.functions.end()) return;
    const auto is_list = [](const Argument& one) { return one.is_list; };
    if (std::ranges::any_of(found->second.inputs, is_list) ||
        std::ranges::any_of(found->second.outputs, is_list))
      return;
    local.callee = &found->second;
    name_outputs(local, found->second.outputs.size());
  }

  void name_outputs(Local& local, std::size_t count) const {
    if (count > kMostOutputs) {
      unsound(source_.path,
              fmt::format("the node '{}' has {} results", printable(local.parts.name), count));
    }
    spend(source_, count > 8 ? count * (256 + 3 * local.name.size()) : 0);
    for (std::size_t i = 0; i < count; ++i) local.outputs.push_back(value_name(local.name, i));
    local.has_all_outputs = true;
  }

  [[noreturn]] void fail_reading(std::string_view reader, const Reference& wanted,
                                 std::string_view problem) const {
    unsound(source_.path,
            fmt::format("'{}' reads '{}', {}", printable(reader), printable(wanted.node), problem));
  }

  /// The value of an op of which it is not known how many it has.
  std::string value_seen(Local& local, const Reference& wanted, std::string_view reader) const {
    if (wanted.number >= kMostOutputs)
      fail_reading(reader, wanted, "of which no op has so many results");
    std::string value = wanted.output.empty()
                            ? value_name(local.name, wanted.number)
                            : fmt::format("{}:{}:{}", local.name, wanted.output, wanted.number);
    if (local.seen.insert(value).second) {
      spend(source_, 256 + 3 * value.size());
      local.outputs.push_back(value);
    }
    return value;
  }

  std::string value_of(Scope& scope, const Reference& wanted, std::string_view reader) const {
    const auto argument = scope.call.arguments.find(wanted.node);
    if (argument != scope.call.arguments.end()) return argument->second;
    const auto found = scope.by_name.find(wanted.node);
    if (found == scope.by_name.end()) fail_reading(reader, wanted, "which is not there");
    Local& local = *found->second;
    if (!local.has_all_outputs) return value_seen(local, wanted, reader);
    std::optional<std::size_t> number = wanted.number;
    if (!wanted.output.empty()) number = number_of(local, wanted);
    if (!number || *number >= local.outputs.size()) {
      fail_reading(
          reader, wanted,
          fmt::format("of which there is no such result: it has {}", local.outputs.size()));
    }
    return local.outputs[*number];
  }

  /// By the name of the output; ops_ has the attributes of those that were added already.
  std::optional<std::size_t> number_of(const Local& local, const Reference& wanted) const {
    if (local.callee != nullptr) {
      const auto& outputs = local.callee->outputs;
      if (local.parts.type == "PartitionedCall" || local.parts.type == "StatefulPartitionedCall")
        return wanted.number;
      const auto found = std::ranges::find(outputs, wanted.output, &Argument::name);
      return found == outputs.end()
                 ? std::nullopt
                 : std::optional(static_cast<std::size_t>(found - outputs.begin()));
    }
    if (local.outputs.size() == 1) return wanted.number;
    return output_number(*local.row, ops_[*local.op].node, wanted.output, wanted.number);
  }

  /// All but what it reads.
  void make(Local& local, int depth) {
    const NodeParts& parts = local.parts;
    Op op;
    op.node.name = local.name;
    op.node.type = parts.type;
    read_attributes(local, op, depth);
    local.row = find_op(parts.type);
    const auto count = local.row == nullptr ? std::nullopt : count_outputs(*local.row, op.node);
    if (local.callee == nullptr && count) name_outputs(local, *count);
    if (op.is_constant && !local.has_all_outputs) name_outputs(local, 1);
    local.op = ops_.size();
    ops_.push_back(std::move(op));
  }

  void read_attributes(const Local& local, Op& op, int depth) {
    const Values& values = local.parts.values;
    op.is_constant = local.parts.type == "Const" || local.parts.type == "HostConst";
    if (op.is_constant) {
      const auto value = values.find("value");
      if (value == values.end() || value->second.field != AttrValue::tensor) {
        unsound(source_.path,
                fmt::format("the constant '{}' has no value", printable(local.parts.name)));
      }
      op.constant = read_tensor(source_, local.parts.name, value->second.bytes);
      return;
    }
    for (const auto& [key, value] : values) {
      if (auto attribute = attribute_of(source_, value))
        op.node.attributes.insert_or_assign(std::string(key), *std::move(attribute));
    }
    if (!local.parts.device.empty())
      op.node.attributes.insert_or_assign("device", std::string(local.parts.device));
    if (const auto shapes = values.find("_output_shapes"); shapes != values.end())
      op.shapes = read_shapes(shapes->second);
    if (local.parts.type.starts_with("Placeholder") || local.parts.type == "_Arg")
      op.given = given_by(local, op);
    add_bodies(values, op.node, depth);
  }

  std::optional<ValueInfo> given_by(const Local& local, const Op& op) const {
    if (local.parts.type == "PlaceholderWithDefault") return std::nullopt;
    const bool is_argument = local.parts.type == "_Arg";
    ValueInfo info{.name = local.name, .dtype = {}, .shape = {}};
    const Values& values = local.parts.values;
    const auto type = values.find(is_argument ? "T" : "dtype");
    if (type != values.end()) info.dtype = dtype_of_number(type->second.number);
    const auto shape = values.find("shape");
    if (shape != values.end() && shape->second.field == AttrValue::shape)
      info.shape = read_shape(shape->second.bytes);
    constexpr std::int64_t kScalarsAreScalars = 22;  // before, "[]" was what is not known
    if (info.shape && info.shape->empty() && source_.producer < kScalarsAreScalars)
      info.shape = std::nullopt;
    if (!info.shape && !op.shapes.empty()) info.shape = op.shapes[0];
    return info;
  }

  /// Of loops and branches.
  void add_bodies(const Values& values, Node& node, int depth) {
    const std::string_view type = node.type;
    if (!type.ends_with("While") && !type.ends_with("If") && !type.ends_with("Case")) return;
    if (find_op(type) == nullptr) return;
    for (const auto& [key, value] : values) {
      std::size_t number = 0;
      for (const auto& [name, callee_values] : read_functions(value)) {
        const bool is_list = value.field == AttrValue::list;
        const std::string in = is_list ? fmt::format("{}[{}]", key, number++) : std::string(key);
        if (auto body = read_body(source_, name, callee_values, depth + 1))
          node.subgraphs[in] = std::make_shared<const Graph>(*std::move(body));
      }
    }
    if (!node.subgraphs.empty()) node.kind = Kind::control_flow;
  }

  void read_inputs(Local& local, Scope& scope) {
    std::vector<std::string> inputs, waits_for;
    for (const std::string_view text : local.parts.inputs) {
      const Reference wanted = read_reference(source_, text);
      if (!wanted.is_control) {
        inputs.push_back(value_of(scope, wanted, local.parts.name));
      } else if (!scope.call.arguments.contains(wanted.node)) {
        const auto found = scope.by_name.find(wanted.node);
        if (found == scope.by_name.end())
          fail_reading(local.parts.name, wanted, "which is not there");
        waits_for.push_back(found->second->name);
      }
    }
    if (scope.call.depth > 0) {
      for (const std::string& input : inputs) spend(source_, 32 + input.size());
    }
    if (local.callee != nullptr && !local.outputs.empty()) {
      return expand(local, inputs, scope.call.depth + 1);
    }
    Op& op = ops_[*local.op];
    op.node.inputs = std::move(inputs);
    if (!waits_for.empty()) op.node.attributes.insert_or_assign("control_inputs", waits_for);
    op.waits_for = std::move(waits_for);
  }

  /// A prefix that no other node's name has.
  std::string prefix_of(const std::string& call) const {
    std::string prefix = call + '/';
    for (int i = 1;; ++i) {
      const auto next = names_.lower_bound(prefix);
      if (next == names_.end() || !next->starts_with(prefix)) return prefix;
      prefix = fmt::format("{}_{}/", call, i);
    }
  }

  /// The function's nodes, and an op under the call's name for each of its results.
  void expand(Local& local, const std::vector<std::string>& inputs, int depth) {
    const Function& callee = *local.callee;
    if (inputs.size() != callee.inputs.size()) {
      unsound(source_.path,
              fmt::format("the node '{}' gives {} values to a function of {}",
                          printable(local.parts.name), inputs.size(), callee.inputs.size()));
    }
    Call call{.prefix = prefix_of(local.name),
              .arguments = {},
              .values = &local.callee_values,
              .depth = depth};
    for (std::size_t i = 0; i < inputs.size(); ++i)
      call.arguments.emplace(callee.inputs[i].name, inputs[i]);
    const std::vector<std::string> results =
        read(callee.nodes, call, returned_by(source_, callee, local.parts.name));
    for (std::size_t i = 0; i < results.size(); ++i) {
      Op op;
      op.node = {.name = local.name,
                 .type = std::string(local.parts.type),
                 .domain = {},
                 .kind = Kind::identity,
                 .inputs = {results[i]},
                 .outputs = {local.outputs[i]},
                 .attributes = {},
                 .subgraphs = {}};
      ops_.push_back(std::move(op));
    }
  }

 public:
  /// What makes each of a function's results.
  static std::vector<std::string_view> returned_by(const Source& source, const Function& function,
                                                   std::string_view name) {
    std::vector<std::string_view> returned;
    for (const Argument& output : function.outputs) {
      const auto found = function.returned.find(output.name);
      if (found == function.returned.end()) {
        unsound(source.path, fmt::format("nothing makes the result '{}' of the function of '{}'",
                                         printable(output.name), printable(name)));
      }
      returned.push_back(found->second);
    }
    return returned;
  }

 private:
  Source& source_;
  KeepParts keep_;
  std::vector<Op> ops_;
  std::set<std::string> names_;
};

ValueInfo info_of(const Argument& argument, const Values& values, std::string name) {
  std::int64_t number = argument.type;
  if (const auto found = values.find(argument.type_attr); found != values.end())
    number = found->second.number;
  return {.name = std::move(name), .dtype = dtype_of_number(number), .shape = {}};
}

/// Nothing where it takes or gives lists.
std::optional<Graph> read_body(Source& source, std::string_view name, const Values& values,
                               int depth) {
  const auto found = source.functions.find(name);
  if (found == source.functions.end())
    unsound(source.path, fmt::format("there is no function '{}'", printable(name)));
  const Function& function = found->second;
  const auto is_list = [](const Argument& one) { return one.is_list; };
  if (std::ranges::any_of(function.inputs, is_list) ||
      std::ranges::any_of(function.outputs, is_list))
    return std::nullopt;
  Call call{.prefix = {}, .arguments = {}, .values = &values, .depth = depth};
  std::vector<Op> ops;
  for (const Argument& input : function.inputs) {
    const std::string value(input.name);
    call.arguments.emplace(input.name, value);
    Op op;
    op.given = info_of(input, values, value);
    op.node.name = value;
    op.node.outputs = {value};
    ops.push_back(std::move(op));
  }
  OpReader reader(source);
  const std::vector<std::string> results =
      reader.read(function.nodes, call, OpReader::returned_by(source, function, name));
  for (Op& op : reader.take()) ops.push_back(std::move(op));
  std::vector<ValueInfo> outputs;
  for (std::size_t i = 0; i < results.size(); ++i)
    outputs.push_back(info_of(function.outputs[i], values, results[i]));
  return make_graph(source, std::move(ops), std::move(outputs));
}

}  // namespace

std::vector<Op> read_ops(Source& source, std::span<const std::string_view> nodes, KeepParts keep) {
  OpReader reader(source, keep);
  reader.read(nodes, Call(), {});
  return reader.take();
}

}  // namespace quantlens::graphdef
