// SPDX-License-Identifier: Apache-2.0
#include "server/offline/record_faults.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/record/files.h"
#include "quantlens/workspace/read_record.h"

namespace quantlens::server {
namespace {

constexpr std::string_view kAgain = "run the command again";

bool is_there(const fs::path& record) {
  const auto exists = [](const fs::path& file) { return fs::exists(fs::symlink_status(file)); };
  return exists(record) || exists(packed(record));
}

/// As `sentence` names its file, from the run's id on: whoever reads a report knows no folders.
std::string from_id(std::string_view sentence, const fs::path& folder) {
  const std::string before = printable(folder.parent_path().string()) + "/";
  const std::string id = printable(folder.filename().string()) + "/";
  if (sentence.starts_with(before)) sentence.remove_prefix(before.size());
  return (sentence.starts_with(id) ? "" : id) + std::string(sentence);
}

std::string with_remedy(std::string sentence) {
  if (sentence.find("; ") == std::string::npos) sentence += fmt::format("; {}", kAgain);
  return sentence;
}

}  // namespace

RecordFaults::RecordFaults(const Store& store, fs::path folder) : folder_(std::move(folder)) {
  boost::mp11::mp_for_each<RecordFiles>([&](auto file) {
    using File = decltype(file);
    if constexpr (!kIsBinary<typename File::Record>) {
      try {
        check_record(store, folder_ / File::kName);
      } catch (const Error& error) {
        add(File::kName, error);
      }
    }
  });
  if (!is_there(folder_ / FileOf<Diagnosis>::kName)) return;
  for (const std::string_view needed :
       {FileOf<GraphOutline>::kName, FileOf<Pairing>::kName, FileOf<Histograms>::kName}) {
    if (!is_there(folder_ / needed)) add(needed, fmt::format("{}: is missing; {}", needed, kAgain));
  }
}

bool RecordFaults::is_sound(std::string_view file) const {
  return std::ranges::find(faults_, file, &Fault::file) == faults_.end();
}

void RecordFaults::add(std::string_view file, const Error& error) {
  add(file, std::string(error.what()));
}

void RecordFaults::add(std::string_view file, const std::string& sentence) {
  if (!is_sound(file)) return;
  faults_.push_back({std::string(file), with_remedy(from_id(sentence, folder_))});
}

std::vector<std::string> RecordFaults::sentences() const {
  std::vector<std::string> sentences;
  for (const Fault& fault : faults_) sentences.push_back(fault.sentence);
  return sentences;
}

}  // namespace quantlens::server
