// SPDX-License-Identifier: Apache-2.0
#include "cli/offered.h"

#include <sstream>
#include <string_view>
#include <utility>

#include "quantlens/accuracy/metric.h"

namespace quantlens::cli {
namespace {

// A validator's name is for lookup only and is shown nowhere: a line of its kinds, then its words.
constexpr std::string_view kOffer = "offer:";
constexpr char kFiles = 'f', kFolders = 'd', kRuns = 'r';

std::string name_of_offer(const Offered& offer) {
  std::string name(kOffer);
  if (offer.files) name += kFiles;
  if (offer.folders) name += kFolders;
  if (offer.runs) name += kRuns;
  for (const std::string& word : offer.words) name += '\n' + word;
  return name;
}

void add_offer(Offered& all, const std::string& name) {
  if (!name.starts_with(kOffer)) return;
  std::istringstream lines(name.substr(kOffer.size()));
  std::string kinds;
  std::getline(lines, kinds);
  const auto has = [&](char kind) { return kinds.find(kind) != std::string::npos; };
  all.files |= has(kFiles);
  all.folders |= has(kFolders);
  all.runs |= has(kRuns);
  for (std::string word; std::getline(lines, word);) all.words.push_back(word);
}

}  // namespace

CLI::Validator& with_offer(CLI::Validator& validator, const Offered& offer) {
  return validator.name(name_of_offer(offer));
}

CLI::Validator offered(const Offered& offer) {
  CLI::Validator any([](const std::string&) { return std::string(); }, "");
  return with_offer(any, offer);
}

CLI::Validator offers_files(std::vector<std::string> words) {
  return offered({.words = std::move(words), .files = true});
}

CLI::Validator offers_folders() {
  return offered({.folders = true});
}

CLI::Validator offers_runs() {
  return offered({.runs = true});
}

CLI::Validator offers_metrics() {
  Offered offer;
  std::istringstream names(metric_names());
  for (std::string name; names >> name;) {
    if (name.ends_with(',')) name.pop_back();
    if (name.find(':') == std::string::npos) offer.words.push_back(name);  // else more must follow
  }
  return offered(offer);
}

Offered offer_of(CLI::Option& option) {
  Offered all;
  try {
    for (int i = 0;; ++i) add_offer(all, option.get_validator(i)->get_name());
  } catch (const CLI::OptionNotFound&) {
    return all;  // CLI11 does not tell how many there are
  }
}

}  // namespace quantlens::cli
