// SPDX-License-Identifier: Apache-2.0
#include "server/api/histogram_routes.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/record/files.h"
#include "quantlens/workspace/read_record.h"
#include "server/api/channel_figures.h"
#include "server/api/stored_pair.h"

namespace quantlens::server {
namespace {

constexpr std::uint64_t kUsualBins = 100, kMostBins = 1000;
constexpr std::uint64_t kMostChannel = 0xFFFFFFFF;
constexpr std::uint64_t kUsualPage = 1000, kMostPage = 100'000, kMostOffset = 1'000'000'000;
constexpr std::uint64_t kUsualChannels = 10'000;

BOOST_DEFINE_ENUM_CLASS(CountedKind, value, weight)

struct CountedEntry {
  CountedKind kind = CountedKind::value;
  std::string reference;
  std::string quantized;
};
BOOST_DESCRIBE_STRUCT(CountedEntry, (), (kind, reference, quantized))

struct HistogramList {
  std::uint64_t total = 0;
  std::uint64_t offset = 0;
  std::vector<CountedEntry> histograms;  ///< sorted by (reference, quantized)
};
BOOST_DESCRIBE_STRUCT(HistogramList, (), (total, offset, histograms))

/// Counts of both sides between the same edges.
struct HistogramPair {
  std::string reference_name;
  std::string quantized_name;
  std::optional<std::uint32_t> channel;
  std::vector<std::uint32_t> channels;  ///< that can be asked for
  std::vector<double> edges;            ///< one more than counts; empty: nothing was counted
  std::vector<std::uint64_t> reference;
  std::optional<std::vector<std::uint64_t>> quantized;  ///< null: what its codes mean is not known
};
BOOST_DESCRIBE_STRUCT(HistogramPair, (),
                      (reference_name, quantized_name, channel, channels, edges, reference,
                       quantized))

/// Names of the weights, which the diagnosis has by (weight, quantized).
std::unordered_set<std::string> weights_of(const Context& context, const Run& run) {
  std::unordered_set<std::string> names;
  try {
    const TableReader weights = TableReader::open(context.store, context.indexes,
                                                  run.folder / FileOf<Diagnosis>::kName, "weights");
    for (const json::Value& cell : weights.column("weight", 0, weights.size())) {
      if (const auto* name = cell.if_string()) names.emplace(*name);
    }
  } catch (const Error&) {
    names.clear();  // without a diagnosis all are called values
  }
  return names;
}

std::string list_text(const Context& context, const Run& run, std::uint64_t offset,
                      std::uint64_t limit) {
  const fs::path file = run.folder / FileOf<Histograms>::kName;
  const std::optional<MappedFile> found = find_file(context.store, file);
  HistogramList list{.offset = offset};
  if (!found) return compact(json::encode(list));
  const HistogramsReader reader =
      context.indexes.histograms(found->text(), file, FileOf<Histograms>::kName);
  const std::unordered_set<std::string> weights = weights_of(context, run);
  list.total = reader.entries().size();
  const std::uint64_t begin = std::min(offset, list.total);
  const std::uint64_t end = begin + std::min(limit, list.total - begin);
  for (std::uint64_t i = begin; i < end; ++i) {
    const PairEntry& entry = reader.entries()[i];
    const bool is_weight = weights.contains(entry.reference);
    list.histograms.push_back({.kind = is_weight ? CountedKind::weight : CountedKind::value,
                               .reference = entry.reference,
                               .quantized = entry.quantized});
  }
  return compact(json::encode(list));
}

HistogramPair histogram(const CountedPair& pair, std::uint64_t bins) {
  HistogramPair made;
  made.channels = pair.channels;
  const std::optional<Extent> extent = extent_of(pair.reference, pair.quantized);
  if (!extent) return made;
  made.edges = edges_of(*extent, bins);
  made.reference = counts_between(pair.reference, made.edges);
  if (!pair.quantized.empty()) made.quantized = counts_between(pair.quantized, made.edges);
  return made;
}

/// Which pair is asked for.
struct AskedPair {
  std::string reference, quantized;
};

AskedPair asked_pair(const Call& call) {
  return {std::string(call.arguments.needed("reference", "Say which with reference=.")),
          std::string(call.arguments.needed("quantized", "Say which with quantized=."))};
}

}  // namespace

json::Value histogram_of(const CountedPair& pair, const std::string& reference,
                         const std::string& quantized, std::uint64_t bins) {
  HistogramPair made = histogram(pair, bins);
  made.reference_name = reference;
  made.quantized_name = quantized;
  return json::encode(made);
}

Answer list_histograms(Context& context, const Call& call) {
  const Runs::One run = context.runs.find(call.in_path[0]);
  const std::uint64_t offset = call.arguments.number("offset", 0, 0, kMostOffset);
  const std::uint64_t limit = call.arguments.number("limit", kUsualPage, 1, kMostPage);
  Answer answer;
  answer.state = state_of(run->folder / FileOf<Histograms>::kName) +
                 state_of(TableReader::files(run->folder / FileOf<Diagnosis>::kName, "weights"));
  answer.make = [=, &context] { return list_text(context, *run, offset, limit); };
  return answer;
}

Answer show_histogram(Context& context, const Call& call) {
  const Runs::One run = context.runs.find(call.in_path[0]);
  const AskedPair asked = asked_pair(call);
  const std::uint64_t bins = call.arguments.number("bins", kUsualBins, 1, kMostBins);
  std::optional<std::uint32_t> channel;
  if (call.arguments.text("channel"))
    channel = static_cast<std::uint32_t>(call.arguments.number("channel", 0, 0, kMostChannel));
  Answer answer;
  answer.state = state_of_pairs(*run);
  answer.make = [=, &context] {
    HistogramPair made =
        histogram(counted_pair(context, *run, asked.reference, asked.quantized, channel), bins);
    made.reference_name = asked.reference;
    made.quantized_name = asked.quantized;
    made.channel = channel;
    return compact(json::encode(made));
  };
  return answer;
}

Answer show_channels(Context& context, const Call& call) {
  const Runs::One run = context.runs.find(call.in_path[0]);
  const AskedPair asked = asked_pair(call);
  const std::uint64_t offset = call.arguments.number("offset", 0, 0, kMostOffset);
  const std::uint64_t limit = call.arguments.number("limit", kUsualChannels, 1, kMostPage);
  Answer answer;
  answer.state = state_of(run->folder / FileOf<Histograms>::kName);
  answer.make = [=, &context] {
    const PairedStats pair = stored_pair(context, *run, asked.reference, asked.quantized);
    return compact(json::encode(channel_figures(pair, offset, limit)));
  };
  return answer;
}

json::Value histogram_list_schema(Schemas& schemas) {
  return schemas.of<HistogramList>();
}

json::Value histogram_schema(Schemas& schemas) {
  return schemas.of<HistogramPair>();
}

json::Value channels_schema(Schemas& schemas) {
  return schemas.of<ChannelFigures>();
}

}  // namespace quantlens::server
