// SPDX-License-Identifier: Apache-2.0
#include "server/api/what_if_routes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/graph/outline.h"
#include "quantlens/quantizer/ranges/what_if.h"
#include "quantlens/record/columns.h"
#include "quantlens/record/files.h"
#include "quantlens/workspace/read_record.h"
#include "server/api/body.h"
#include "server/api/stored_rows.h"
#include "server/shown.h"

namespace quantlens::server {
namespace {

constexpr std::size_t kMostChanges = 100;

struct AskedChanges {
  std::vector<WhatIf> changes;
};
BOOST_DESCRIBE_STRUCT(AskedChanges, (), (changes))

AskedChanges asked_by(const Request& request) {
  auto asked = body_as<AskedChanges>(request);
  if (asked.changes.empty() || asked.changes.size() > kMostChanges) {
    throw Error(Errc::usage, fmt::format("{}: has {} changes; ask for 1 to {} of them in "
                                         "\"changes\"",
                                         kBody, asked.changes.size(), kMostChanges));
  }
  return asked;
}

constexpr const char* kStored = "a stored row";

/// Parameters of channels stand in columns (record/columns.h).
template <class Row>
Row with_columns(json::Value value, const char* member, std::vector<QParams> Row::*params) {
  auto* object = value.if_object();
  json::Value* found = object != nullptr ? object->if_contains(member) : nullptr;
  auto columns = found != nullptr ? take_columns(*found, kStored) : std::nullopt;
  Row row = json::decode<Row>(value, kStored);
  if (columns) row.*params = *std::move(columns);
  return row;
}

template <class Row>
Row decoded(const json::Value& value) {
  return json::decode<Row>(value, kStored);
}
template <>
ValuePair decoded(const json::Value& value) {
  return with_columns(value, "channel_params", &ValuePair::channel_params);
}
template <>
WeightPair decoded(const json::Value& value) {
  return with_columns(value, "params", &WeightPair::params);
}

template <class Row>
std::vector<Row> decoded(const std::vector<json::Value>& rows) {
  std::vector<Row> read;
  read.reserve(rows.size());
  for (const json::Value& row : rows) read.push_back(decoded<Row>(row));
  return read;
}

/// What is stored of a diagnosed run, read where a change asks for it.
class StoredDiagnosis {
 public:
  StoredDiagnosis(Context& context, const Run& run)
      : activations_(context, run.folder / FileOf<Diagnosis>::kName, "activations"),
        weights_(context, run.folder / FileOf<Diagnosis>::kName, "weights"),
        pairs_(context, run.folder / FileOf<Pairing>::kName, "pairs"),
        weight_pairs_(context, run.folder / FileOf<Pairing>::kName, "weights"),
        graph_(context, run.folder / FileOf<GraphOutline>::kName, "ops"),
        file_(find_file(context.store, run.folder / FileOf<Histograms>::kName)) {
    constexpr std::string_view kName = FileOf<Histograms>::kName;
    if (file_) reader_ = context.indexes.histograms(file_->text(), run.folder / kName, kName);
  }

  Expectation expect(const WhatIf& change) const {
    const std::optional<ActivationRow> row =
        of_side(decoded<ActivationRow>(activations_.find("value", change.value)), change.quantized);
    if (!row) {
      throw Error(Errc::not_found,
                  fmt::format("No activation '{}' was compared.", shown(change.value)));
    }
    StoredOp op{.row = &*row};
    const auto pair =
        of_side(decoded<ValuePair>(pairs_.find("reference", row->value)), row->quantized);
    op.pair = pair ? &*pair : nullptr;
    const auto source = pair && pair->same_as ? at(*pair->same_as) : pair;
    const auto activation = source ? counted(source->reference, source->quantized) : std::nullopt;
    op.activation = activation ? &*activation : nullptr;
    const std::vector<WeightRow> weights = decoded<WeightRow>(weights_.find("op.id", row->op.id));
    if (weights.empty()) return quantlens::expect(op, change);
    op.weight_row = &weights.front();
    const auto weight_pair = of_side(decoded<WeightPair>(weight_pairs_.find("op.id", row->op.id)),
                                     weights.front().quantized);
    op.weight_pair = weight_pair ? &*weight_pair : nullptr;
    const auto weight = counted(weights.front().weight, weights.front().quantized);
    op.weight = weight ? &*weight : nullptr;
    for (const OpOutline& one : decoded<OpOutline>(graph_.find("op", row->op.id))) {
      if (const auto* conv = std::get_if<roles::Convolution>(&one.roles)) op.groups = conv->groups;
    }
    return quantlens::expect(op, change);
  }

 private:
  /// The first row, or that of this quantized side.
  template <class Row>
  static std::optional<Row> of_side(std::vector<Row> rows, std::string_view quantized) {
    const auto found = std::ranges::find_if(
        rows, [&](const Row& row) { return quantized.empty() || row.quantized == quantized; });
    return found == rows.end() ? std::nullopt : std::optional(std::move(*found));
  }

  std::optional<ValuePair> at(std::uint64_t number) const {
    const std::optional<json::Value> row = pairs_.at(number);
    return row ? std::optional(decoded<ValuePair>(*row)) : std::nullopt;
  }

  std::optional<PairedStats> counted(const std::string& reference,
                                     const std::string& quantized) const {
    return reader_ ? reader_->find(reference, quantized) : std::nullopt;
  }

  StoredRows activations_;
  StoredRows weights_;
  StoredRows pairs_;
  StoredRows weight_pairs_;
  StoredRows graph_;
  std::optional<MappedFile> file_;
  std::optional<HistogramsReader> reader_;
};

}  // namespace

Answer what_if(Context& context, const Call& call) {
  const Runs::One run = context.runs.find(call.in_path[0]);
  const AskedChanges asked = asked_by(call.request);
  const StoredDiagnosis stored(context, *run);
  std::vector<Expectation> told;
  for (const WhatIf& change : asked.changes) told.push_back(stored.expect(change));
  return json_at_once(json::encode(sum_up(std::move(told), asked.changes)));
}

json::Value what_if_body(Schemas& schemas) {
  return schemas.of<AskedChanges>();
}

json::Value what_if_schema(Schemas& schemas) {
  return schemas.of<Expectations>();
}

}  // namespace quantlens::server
