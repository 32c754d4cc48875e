// SPDX-License-Identifier: Apache-2.0
#include "quantlens/report/histogram_rows.h"

#include <string_view>

#include "quantlens/report/table.h"

namespace quantlens {
namespace {

Table histogram_table() {
  return {.title = "",
          .columns = {{"Reference"}, {"Quantized"}, {"Side"}, {"Low"}, {"High"}, {"Count"}},
          .rows = {}};
}

void add_bins(Table& table, const PairedStats& pair, const std::string& side,
              const FloatHistogram& histogram) {
  for (const FloatHistogram::Bin& bin : histogram.bins())
    table.rows.push_back({pair.reference, pair.quantized, side, bin.low, bin.high,
                          static_cast<std::int64_t>(bin.count)});
}

}  // namespace

std::string histogram_header() {
  return to_csv(histogram_table());
}

std::string histogram_rows(const PairedStats& pair) {
  Table table = histogram_table();
  add_bins(table, pair, "reference", pair.reference_histogram);
  add_bins(table, pair, "quantized", pair.quantized_histogram);
  for (std::size_t i = 0; i < pair.code_histogram.counts.size(); ++i) {
    if (pair.code_histogram.counts[i] == 0) continue;
    const auto place = static_cast<double>(i);
    table.rows.push_back({pair.reference, pair.quantized, std::string("code"), place, place,
                          static_cast<std::int64_t>(pair.code_histogram.counts[i])});
  }
  const std::string text = to_csv(table);
  return text.substr(histogram_header().size());
}

}  // namespace quantlens
