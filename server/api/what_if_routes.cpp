// SPDX-License-Identifier: Apache-2.0
#include "server/api/what_if_routes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/graph/outline.h"
#include "quantlens/quantizer/ranges/what_if.h"
#include "quantlens/record/columns.h"
#include "quantlens/record/files.h"
#include "quantlens/workspace/read_record.h"

namespace quantlens::server {
namespace {

constexpr std::size_t kMostChanges = 100;
constexpr std::size_t kMostShown = 200;

struct AskedChanges {
  std::vector<WhatIf> changes;
};
BOOST_DESCRIBE_STRUCT(AskedChanges, (), (changes))

/// The first key that was asked with and that nothing reads.
std::optional<std::string> unread_key(const json::Value& asked, const json::Value& read) {
  if (asked.is_object() && read.is_object()) {
    for (const auto& member : asked.get_object()) {
      const json::Value* known = read.get_object().if_contains(member.key());
      if (known == nullptr) return std::string(member.key());
      if (auto inside = unread_key(member.value(), *known)) return inside;
    }
  }
  if (asked.is_array() && read.is_array()) {
    for (std::size_t i = 0; i < asked.get_array().size() && i < read.get_array().size(); ++i) {
      if (auto inside = unread_key(asked.get_array()[i], read.get_array()[i])) return inside;
    }
  }
  return std::nullopt;
}

AskedChanges asked_by(const Request& request) {
  const std::string where = "the request's body";
  const json::Value body = json::parse(request.body, where);
  auto asked = json::decode<AskedChanges>(body, where);
  if (const auto key = unread_key(body, json::encode(asked))) {
    throw Error(Errc::usage, fmt::format("{}: '{}' is no key of a change", where,
                                         printable(key->substr(0, kMostShown))));
  }
  if (asked.changes.empty() || asked.changes.size() > kMostChanges) {
    throw Error(Errc::usage, fmt::format("{}: has {} changes; ask for 1 to {} of them in "
                                         "\"changes\"",
                                         where, asked.changes.size(), kMostChanges));
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

/// Rows of one list of a record, found by a column; each is read alone.
template <class Row>
class StoredRows {
 public:
  StoredRows(Context& context, const fs::path& record, std::string_view list)
      : context_(context),
        table_(TableReader::open(context.store, record, list)),
        state_(state_of(TableReader::files(record, list))) {}

  std::vector<Row> find(std::string_view column, std::string_view text) const {
    std::vector<Row> rows;
    for (const std::uint64_t number : context_.rows.find(table_, state_, column, text)) {
      rows.push_back(at(number));
    }
    return rows;
  }
  std::optional<Row> at_or_none(std::uint64_t number) const {
    return number < table_.size() ? std::optional(at(number)) : std::nullopt;
  }

 private:
  Row at(std::uint64_t number) const {
    const boost::json::array rows = table_.rows(number, 1);
    return decoded<Row>(rows.at(0));
  }

  Context& context_;
  TableReader table_;
  std::string state_;
};

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
    if (file_) reader_.emplace(file_->text(), FileOf<Histograms>::kName);
  }

  Expectation expect(const WhatIf& change) const {
    const std::optional<ActivationRow> row =
        of_side(activations_.find("value", change.value), &ActivationRow::quantized, change);
    if (!row) {
      throw Error(Errc::not_found, fmt::format("No activation '{}' was compared.",
                                               printable(change.value.substr(0, kMostShown))));
    }
    StoredOp op{.row = &*row};
    const auto pair = of_side(pairs_.find("reference", row->value), &ValuePair::quantized,
                              {.value = row->value, .quantized = row->quantized});
    op.pair = pair ? &*pair : nullptr;
    const auto source = pair && pair->same_as ? pairs_.at_or_none(*pair->same_as) : pair;
    const auto activation = source ? counted(source->reference, source->quantized) : std::nullopt;
    op.activation = activation ? &*activation : nullptr;
    const std::vector<WeightRow> weights = weights_.find("op.id", row->op.id);
    if (weights.empty()) return quantlens::expect(op, change);
    op.weight_row = &weights.front();
    const auto weight_pair =
        of_side(weight_pairs_.find("op.id", row->op.id), &WeightPair::quantized,
                {.value = {}, .quantized = weights.front().quantized});
    op.weight_pair = weight_pair ? &*weight_pair : nullptr;
    const auto weight = counted(weights.front().weight, weights.front().quantized);
    op.weight = weight ? &*weight : nullptr;
    for (const OpOutline& one : graph_.find("op", row->op.id)) {
      if (const auto* conv = std::get_if<roles::Convolution>(&one.roles)) op.groups = conv->groups;
    }
    return quantlens::expect(op, change);
  }

 private:
  /// The first row, or that of this quantized side.
  template <class Row>
  static std::optional<Row> of_side(std::vector<Row> rows, std::string Row::*quantized,
                                    const WhatIf& change) {
    const auto found = std::ranges::find_if(rows, [&](const Row& row) {
      return change.quantized.empty() || row.*quantized == change.quantized;
    });
    return found == rows.end() ? std::nullopt : std::optional(std::move(*found));
  }

  std::optional<PairedStats> counted(const std::string& reference,
                                     const std::string& quantized) const {
    return reader_ ? reader_->find(reference, quantized) : std::nullopt;
  }

  StoredRows<ActivationRow> activations_;
  StoredRows<WeightRow> weights_;
  StoredRows<ValuePair> pairs_;
  StoredRows<WeightPair> weight_pairs_;
  StoredRows<OpOutline> graph_;
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
