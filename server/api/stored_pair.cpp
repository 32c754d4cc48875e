// SPDX-License-Identifier: Apache-2.0
#include "server/api/stored_pair.h"

#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/record/files.h"
#include "quantlens/workspace/read_record.h"
#include "server/api/answer.h"
#include "server/api/stored_rows.h"
#include "server/shown.h"

namespace quantlens::server {
namespace {

constexpr std::string_view kHistograms = FileOf<Histograms>::kName;

struct Codes {
  bool is_signed = false;
  QParams params;
};

/// The part of a ValuePair that says what its codes mean.
struct CodesOfPair {
  std::string quantized;
  std::optional<Scheme> scheme;
  std::optional<QParams> params;
};
BOOST_DESCRIBE_STRUCT(CodesOfPair, (), (quantized, scheme, params))

/// Nothing where no record says it, or each channel has its own.
std::optional<Codes> codes_of(Context& context, const Run& run, std::string_view reference,
                              std::string_view quantized) {
  const StoredRows pairs(context, run.folder / FileOf<Pairing>::kName, "pairs");
  for (const json::Value& row : pairs.find("reference", reference)) {
    const auto pair = json::decode<CodesOfPair>(row, FileOf<Pairing>::kName);
    if (pair.quantized != quantized || !pair.scheme || !pair.params) continue;
    return Codes{has_signed_codes(pair.scheme->dtype), *pair.params};
  }
  return std::nullopt;
}

/// A record that is missing or damaged takes away what codes mean, not the other side.
std::optional<Codes> codes_if_known(Context& context, const Run& run, std::string_view reference,
                                    std::string_view quantized) {
  try {
    return codes_of(context, run, reference, quantized);
  } catch (const Error&) {
    return std::nullopt;
  }
}

struct Counts {
  const FloatHistogram& reference;
  const CodeHistogram& codes;
  const FloatHistogram& quantized;
};

Counts counts_of(const PairedStats& pair, std::optional<std::uint32_t> channel) {
  if (!channel) return {pair.reference_histogram, pair.code_histogram, pair.quantized_histogram};
  const auto found =
      std::ranges::find(pair.channel_histograms, *channel, &PairedChannelHistogram::channel);
  if (found == pair.channel_histograms.end()) {
    throw Error(Errc::not_found, fmt::format("Channel {} was not counted by itself.", *channel));
  }
  return {found->reference, found->codes, found->quantized};
}

}  // namespace

PairedStats stored_pair(const Context& context, const Run& run, std::string_view reference,
                        std::string_view quantized) {
  const fs::path path = run.folder / kHistograms;
  const std::optional<MappedFile> file = find_file(context.store, path);
  if (!file) throw Error(Errc::not_found, fmt::format("The workload has no {}.", kHistograms));
  const HistogramsReader reader = context.indexes.histograms(file->text(), path, kHistograms);
  std::optional<PairedStats> pair = reader.find(reference, quantized);
  if (!pair) {
    throw Error(Errc::not_found, fmt::format("{} has no pair of '{}' and '{}'.", kHistograms,
                                             shown(reference), shown(quantized)));
  }
  return *std::move(pair);
}

CountedPair counted_pair(Context& context, const Run& run, std::string_view reference,
                         std::string_view quantized, std::optional<std::uint32_t> channel) {
  return counted_pair(context, run, stored_pair(context, run, reference, quantized), channel);
}

CountedPair counted_pair(Context& context, const Run& run, const PairedStats& pair,
                         std::optional<std::uint32_t> channel) {
  const Counts counts = counts_of(pair, channel);
  CountedPair counted{.reference = counts.reference.bins(), .quantized = {}, .channels = {}};
  for (const PairedChannelHistogram& one : pair.channel_histograms)
    counted.channels.push_back(one.channel);
  if (!counts.quantized.empty()) {
    counted.quantized = counts.quantized.bins();
  } else if (counts.codes.count() > 0) {
    if (const auto codes = codes_if_known(context, run, pair.reference, pair.quantized))
      counted.quantized = stretches_of(counts.codes, codes->params, codes->is_signed);
  }
  return counted;
}

std::string state_of_pairs(const Run& run) {
  return state_of(run.folder / kHistograms) +
         state_of(TableReader::files(run.folder / FileOf<Pairing>::kName, "pairs"));
}

}  // namespace quantlens::server
