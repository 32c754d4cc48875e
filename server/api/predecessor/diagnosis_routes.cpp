// SPDX-License-Identifier: Apache-2.0
#include "server/api/predecessor/diagnosis_routes.h"

#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/record/files.h"
#include "quantlens/workspace/read_record.h"
#include "server/api/op_rows.h"
#include "server/api/predecessor/ids.h"
#include "server/api/stored_pair.h"
#include "server/shown.h"

namespace quantlens::server::predecessor {
namespace {

constexpr std::uint64_t kBins = 100, kValues = 256;
constexpr std::size_t kMostChannels = 64, kMostTensors = 16;

/// Of one tensor, or of one channel of it.
struct ValuesAndCounts {
  std::vector<double> data;  ///< at most kValues, spread as all are
  std::vector<double> bins;  ///< edges, one more than counts
  std::vector<std::uint64_t> counts;
  std::optional<std::uint32_t> channel;
};
BOOST_DESCRIBE_STRUCT(ValuesAndCounts, (), (data, bins, counts, channel))

struct TensorHistograms {
  std::string name;
  std::vector<ValuesAndCounts> histograms;  ///< the whole tensor first, then channels
};
BOOST_DESCRIBE_STRUCT(TensorHistograms, (), (name, histograms))

fs::path diagnosis_of(const Run& run) {
  return run.folder / FileOf<Diagnosis>::kName;
}

Error no_data() {
  return {Errc::not_found, "Could not find tensor data for specified optimization."};
}

std::string op_name(const Call& call) {
  return std::string(call.arguments.needed("op_name", "Missing op_name parameter"));
}

std::string op_list_text(const Context& context, const fs::path& file) {
  if (!find_file(context.store, file)) throw no_data();
  const TableReader rows = TableReader::open(context.store, context.indexes, file, "activations");
  const auto column = [&](std::string_view name) { return rows.column(name, 0, rows.size()); };
  if (rows.size() == 0) return "[]";
  const boost::json::array names = column("op.name"), mse = column("mse"), low = column("min"),
                           high = column("max");
  const std::size_t count = std::min({names.size(), mse.size(), low.size(), high.size()});
  boost::json::array list;
  for (std::size_t i = 0; i < count; ++i) {
    list.push_back(boost::json::object{{"OP name", names[i]},
                                       {"MSE", mse[i]},
                                       {"Activation Min", low[i]},
                                       {"Activation Max", high[i]}});
  }
  return compact(list);
}

const json::Value* member(const std::vector<json::Value>& rows, std::string_view name) {
  const auto* row = rows.empty() ? nullptr : rows.front().if_object();
  return row != nullptr ? row->if_contains(name) : nullptr;
}

/// The predecessors leave out what is not there.
void set(boost::json::object& object, std::string_view key, const json::Value* value) {
  if (value != nullptr && !value->is_null()) object[key] = *value;
}

boost::json::object details(Context& context, const Run& run, const std::string& op) {
  const OpRows rows(context, run, op);
  const std::vector<json::Value> plan = rows.of<Plan>("ops");
  const std::vector<json::Value> activations = rows.of<Diagnosis>("activations");
  const std::vector<json::Value> weights = rows.of<Diagnosis>("weights");
  if (plan.empty() && activations.empty() && weights.empty()) return {};
  boost::json::object pattern, weight, activation;
  set(pattern, "sequence", member(activations.empty() ? plan : activations, "pattern"));
  set(pattern, "precision", member(plan, "precision"));
  set(weight, "dtype", member(weights, "dtype"));
  set(weight, "granularity", member(weights, "granularity"));
  const std::vector<json::Value> pairs = rows.of<Pairing>("pairs");
  const json::Value* scheme = member(pairs, "scheme");
  boost::json::object made{{"OP name", op}};
  if (scheme != nullptr && scheme->is_object())
    set(activation, "dtype", scheme->get_object().if_contains("dtype"));
  if (!pattern.empty()) made["Pattern"] = std::move(pattern);
  if (!weight.empty()) made["Weights"] = std::move(weight);
  if (!activation.empty()) made["Activation"] = std::move(activation);
  return made;
}

ValuesAndCounts binned(const std::vector<Stretch>& stretches,
                       std::optional<std::uint32_t> channel) {
  ValuesAndCounts made{.data = spread_values(stretches, kValues), .channel = channel};
  if (const auto extent = extent_of(stretches, {})) {
    made.bins = edges_of(*extent, kBins);
    made.counts = counts_between(stretches, made.bins);
  }
  return made;
}

/// Of the quantized model, as the predecessors; of the reference where that was not counted.
TensorHistograms tensor(Context& context, const Run& run, const std::string& reference,
                        const std::string& quantized, std::string_view kind) {
  TensorHistograms made{.name = fmt::format("{} {} histogram", reference, kind)};
  const auto add = [&](std::optional<std::uint32_t> channel) {
    const CountedPair pair = counted_pair(context, run, reference, quantized, channel);
    made.histograms.push_back(
        binned(pair.quantized.empty() ? pair.reference : pair.quantized, channel));
    return pair.channels;
  };
  std::vector<std::uint32_t> channels = add(std::nullopt);
  channels.resize(std::min(channels.size(), kMostChannels));
  for (const std::uint32_t channel : channels) add(channel);
  return made;
}

std::string text_of(const json::Value& row, std::string_view name) {
  const auto* object = row.if_object();
  const json::Value* value = object != nullptr ? object->if_contains(name) : nullptr;
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::string histogram_text(Context& context, const Run& run, const std::string& op,
                           bool is_weights) {
  const fs::path counts = run.folder / FileOf<Histograms>::kName;
  if (!find_file(context.store, counts) || !find_file(context.store, diagnosis_of(run)))
    throw no_data();
  const OpRows all(context, run, op);
  std::vector<json::Value> rows = all.of<Diagnosis>(is_weights ? "weights" : "activations");
  if (rows.empty()) {
    throw Error(Errc::not_found,
                fmt::format("Could not get tensor information for {} OP.", shown(op)));
  }
  rows.resize(std::min(rows.size(), kMostTensors));
  std::vector<TensorHistograms> tensors;
  for (const json::Value& row : rows) {
    try {
      tensors.push_back(tensor(context, run, text_of(row, is_weights ? "weight" : "value"),
                               text_of(row, "quantized"), is_weights ? "weight" : "activation"));
    } catch (const Error& error) {
      if (error.code() != Errc::not_found) throw;  // one that was not counted is left out
    }
  }
  return compact(json::encode(tensors));
}

}  // namespace

Answer op_list(Context& context, const Call& call) {
  const Runs::One run = run_of(context, call);
  Answer answer;
  answer.state = state_of(TableReader::files(diagnosis_of(*run), "activations"));
  answer.make = [=, &context] { return op_list_text(context, diagnosis_of(*run)); };
  return answer;
}

Answer op_details(Context& context, const Call& call) {
  const Runs::One run = run_of(context, call);
  const std::string op = op_name(call);
  Answer answer;
  answer.state = OpRows::state(*run);
  answer.make = [=, &context] { return compact(details(context, *run, op)); };
  return answer;
}

Answer histogram(Context& context, const Call& call) {
  const Runs::One run = run_of(context, call);
  const std::string op = op_name(call);
  const std::string_view type = call.arguments.text("type").value_or("");
  if (type != "weights" && type != "activation") {
    throw Error(Errc::usage,
                "Histogram type not supported. Use one of following: weights, activation");
  }
  const bool is_weights = type == "weights";
  Answer answer;
  answer.state = state_of_pairs(*run) + OpRows::state(*run);
  answer.make = [=, &context] { return histogram_text(context, *run, op, is_weights); };
  return answer;
}

json::Value op_list_schema(Schemas& schemas) {
  const json::Value real = schemas.of<double>();
  const boost::json::object row{
      {"type", "object"},
      {"properties",
       {{"OP name", schemas.of<std::string>()},
        {"MSE", real},
        {"Activation Min", real},
        {"Activation Max", real}}},
      {"required", {"OP name", "MSE", "Activation Min", "Activation Max"}}};
  return boost::json::object{{"type", "array"}, {"items", row}};
}

json::Value op_details_schema(Schemas& schemas) {
  const json::Value text = schemas.of<std::string>();
  const auto object = [](boost::json::object properties) {
    return boost::json::object{{"type", "object"}, {"properties", std::move(properties)}};
  };
  return object({{"OP name", text},
                 {"Pattern", object({{"sequence", schemas.of<std::vector<std::string>>()},
                                     {"precision", text}})},
                 {"Weights", object({{"dtype", text}, {"granularity", text}})},
                 {"Activation", object({{"dtype", text}})}});
}

json::Value histograms_schema(Schemas& schemas) {
  return schemas.of<std::vector<TensorHistograms>>();
}

}  // namespace quantlens::server::predecessor
