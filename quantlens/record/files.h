// The files of a workload: which record stands in which one, and in what form. Nothing else names
// them; a new record is a line here, one in docs/format.md, and who writes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/mp11.hpp>

#include "quantlens/base/json.h"
#include "quantlens/graph/outline.h"
#include "quantlens/record/accuracy.h"
#include "quantlens/record/accuracy_state.h"
#include "quantlens/record/benchmark.h"
#include "quantlens/record/channel_lists.h"
#include "quantlens/record/diagnosis.h"
#include "quantlens/record/float_edit.h"
#include "quantlens/record/histograms.h"
#include "quantlens/record/pairing.h"
#include "quantlens/record/passes.h"
#include "quantlens/record/plan.h"
#include "quantlens/record/prices.h"
#include "quantlens/record/profile.h"
#include "quantlens/record/ranges.h"
#include "quantlens/record/recipe.h"
#include "quantlens/record/rows.h"
#include "quantlens/record/scores.h"
#include "quantlens/record/study.h"
#include "quantlens/record/tap_state.h"
#include "quantlens/record/workload.h"

namespace quantlens {

/// A text as an argument of a template.
template <std::size_t kSize>
struct FileName {
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is what stands in the table
  consteval FileName(const char (&name)[kSize]) { std::copy_n(name, kSize, text); }
  char text[kSize];
};

/// `kLayout`: the layout of workloads (`Workload::format`) that the file has had its form since.
template <class R, FileName kText, std::uint32_t kLayout>
struct RecordFile {
  using Record = R;
  static constexpr std::string_view kName{kText.text};
  static constexpr std::uint32_t kSince = kLayout;
};

using RecordFiles = boost::mp11::mp_list<  //
    RecordFile<Workload, "workload.json", 2>,
    RecordFile<GraphOutline, "graph.json", 9>,                // of the reference
    RecordFile<QuantizedOutline, "graph_quantized.json", 9>,  //
    RecordFile<Recipe, "recipe.json", 3>,                     // of a tune that of the best trial
    RecordFile<FloatEdit, "float_edit.json", 2>,  // where the float model was edited first
    RecordFile<TapState, "statistics.bin", 2>,    // of calibration
    RecordFile<Ranges, "ranges.json", 2>,         //
    RecordFile<Plan, "plan.json", 9>,             //
    RecordFile<Pairing, "pairing.json", 9>,       //
    RecordFile<Diagnosis, "diagnosis.json", 9>,   //
    RecordFile<Histograms, "histograms.bin", 5>,  // of a diagnosis
    RecordFile<Passes, "passes.bin", 9>,          // likewise
    RecordFile<AccuracyRecord, "accuracy.json", 3>,
    RecordFile<AccuracyState, "accuracy_state.bin", 6>,  // what that was made of
    RecordFile<Study, "study.json", 8>,                  // of a tune, like the four below
    RecordFile<StudyTimes, "times.json", 2>,             //
    RecordFile<Scores, "scores.json", 2>,                //
    RecordFile<Prices, "prices.json", 2>,                //
    RecordFile<ProfileRecord, "profile.json", 9>, RecordFile<Benchmark, "benchmark.json", 2>>;

namespace detail {

template <class R>
struct Holds {
  template <class File>
  using fn = std::is_same<typename File::Record, R>;
};

template <class... Files>
constexpr std::uint32_t newest(boost::mp11::mp_list<Files...>) {
  return std::max({Files::kSince...});
}

}  // namespace detail

/// The file that holds records of this kind.
template <class R>
using FileOf =
    boost::mp11::mp_at<RecordFiles, boost::mp11::mp_find_if_q<RecordFiles, detail::Holds<R>>>;

/// The layout of workloads that this quantlens writes, and the newest that it reads.
inline constexpr std::uint32_t kWorkloadFormat = detail::newest(RecordFiles());

/// Records with bytes of their own; all others are JSON.
template <class R>
inline constexpr bool kIsBinary = std::is_same_v<R, TapState> || std::is_same_v<R, Histograms> ||
                                  std::is_same_v<R, Passes> || std::is_same_v<R, AccuracyState>;

/// A record's JSON: by its fields, but for those that have a form of their own.
template <class R>
json::Value to_value(const R& record) {
  return json::encode(record);
}
template <>
json::Value to_value(const Recipe& record);  ///< as `--recipe` takes it
template <>
json::Value to_value(const Study& record);  ///< its recipes likewise
template <>
json::Value to_value(const Plan& record);  ///< see `plan_record`
template <>
json::Value to_value(const Pairing& record);  ///< in columns

/// The reverse, also of the forms that earlier layouts had from 2 on. A plan comes back without the
/// parameters of biases (`plan_record`). Throws Errc::bad_input, naming `where`, for what to_value
/// cannot have made.
template <class R>
R from_value(const json::Value& value, std::string_view where) {
  return json::decode<R>(value, where);
}
template <>
Recipe from_value(const json::Value& value, std::string_view where);
template <>
Study from_value(const json::Value& value, std::string_view where);
template <>
Plan from_value(const json::Value& value, std::string_view where);
template <>
Pairing from_value(const json::Value& value, std::string_view where);
template <>
Diagnosis from_value(const json::Value& value, std::string_view where);
template <>
AccuracyRecord from_value(const json::Value& value, std::string_view where);
template <>
ProfileRecord from_value(const json::Value& value, std::string_view where);

/// A record in one file, whatever its size.
template <class R>
std::string to_file(const R& record) {
  return json::dump(to_value(record));
}
template <>
std::string to_file(const TapState& record);
template <>
std::string to_file(const Histograms& record);
template <>
std::string to_file(const Passes& record);
template <>
std::string to_file(const AccuracyState& record);

/// The reverse. Throws as from_value does, and Errc::unsupported for a newer version of what has
/// its own.
template <class R>
R from_file(std::string_view bytes, std::string_view where) {
  return from_value<R>(json::parse(bytes, where), where);
}
template <>
TapState from_file(std::string_view bytes, std::string_view where);
template <>
Histograms from_file(std::string_view bytes, std::string_view where);
template <>
Passes from_file(std::string_view bytes, std::string_view where);
template <>
AccuracyState from_file(std::string_view bytes, std::string_view where);

/// Records that people hand to other commands: one file, whatever its size.
template <class R>
inline constexpr bool kIsHandedOn =
    std::is_same_v<R, Recipe> || std::is_same_v<R, Ranges> || std::is_same_v<R, Prices>;

/// Records that grow with the network. Where the JSON of one is longer than kPlainBytes, its file
/// is packed, and has kPackedEnding behind its name.
template <class R>
inline constexpr bool kMayBePacked =
    std::is_same_v<R, GraphOutline> || std::is_same_v<R, QuantizedOutline> ||
    std::is_same_v<R, Plan> || std::is_same_v<R, Pairing> || std::is_same_v<R, Diagnosis> ||
    std::is_same_v<R, ProfileRecord>;

inline constexpr std::size_t kPlainBytes = std::size_t{16} << 10;
inline constexpr std::string_view kPackedEnding = ".gz";

/// One of the files of a record.
struct FileBytes {
  std::string name;
  std::string bytes;
};

/// A record as a workload has it. All files stand in one folder.
struct StoredRecord {
  std::vector<FileBytes> files;  ///< its long lists (`rows.h`), and last itself
  ChannelLists channels;         ///< its lists of channels, for kChannels
};

/// The lists of channels of all packed records of a folder (channel_lists.h).
inline constexpr std::string_view kChannels = "channels.bin";

/// Adds the file of a record that may be packed, without its long lists.
void add_packed_if_long(std::string_view name, json::Value head, StoredRecord& stored);

template <class R>
StoredRecord to_files(const R& record) {
  const std::string name(FileOf<R>::kName);
  StoredRecord stored;
  if constexpr (kIsBinary<R> || kIsHandedOn<R>) {
    stored.files.push_back({name, to_file(record)});
  } else {
    SplitRecord split = split_rows(to_value(record));
    for (SplitRecord::List& list : split.lists) {
      stored.files.push_back({rows_file(name, list.path), std::move(list.bytes)});
    }
    if constexpr (kMayBePacked<R>) {
      add_packed_if_long(name, std::move(split.head), stored);
    } else {
      stored.files.push_back({name, json::dump(split.head)});
    }
  }
  return stored;
}

/// Folders of a search, below the run's: what belongs to its trial of this number, and what was
/// made before the first.
std::string trial_folder(std::uint64_t number);
inline constexpr std::string_view kBeforeTrials = "trials/start";

/// What a run reports on its way, line by line (base/progress_events.h).
inline constexpr std::string_view kEvents = "events.jsonl";

/// What is made of records for people and for other programs, and is never read back.
namespace exported {

inline constexpr std::string_view kActivations = "activations_table.csv";
inline constexpr std::string_view kWeights = "weights_table.csv";
inline constexpr std::string_view kJoinedOps = "profiling_ops.csv";

/// Of one model's profile.
struct OfProfile {
  std::string_view nodes, types, trace, data;
};
inline constexpr OfProfile kProfile{"profiling_table.csv", "profiling_types.csv", "trace.json",
                                    "profiling_data.json"};
inline constexpr OfProfile kQuantizedProfile{
    "profiling_table_quantized.csv", "profiling_types_quantized.csv", "trace_quantized.json",
    "profiling_data_quantized.json"};

/// The recipe's fragment of a profile's finding, counted from 1.
std::string remedy(std::size_t number);

}  // namespace exported
}  // namespace quantlens
