// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/import/exported.h"

#include <array>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/profiling/import/cursor.h"
#include "quantlens/profiling/import/damage.h"
#include "quantlens/profiling/import/events.h"
#include "quantlens/profiling/import/nodes.h"

namespace quantlens::imports {
namespace {

struct ExportedArg {
  enum : std::size_t { name, type, provider, inputs, outputs, position };
};
constexpr std::array<std::string_view, 6> kExportedArgs = {"name",   "type",    "provider",
                                                           "inputs", "outputs", "position"};
constexpr std::size_t kMostStrings = 64;

std::vector<std::string> strings(std::string_view json) {
  std::vector<std::string> texts;
  Cursor cursor(json);
  if (!cursor.eat('[')) return texts;
  while (texts.size() < kMostStrings) {
    const auto text = cursor.string();
    if (!text) break;
    texts.push_back(decoded(text->substr(0, Nodes::kMostText)));
    if (!cursor.eat(',')) break;
  }
  return texts;
}

NodeRole role_named(std::string_view text) {
  return from_word<NodeRole>(text).value_or(NodeRole::op);
}

class ExportedImporter {
 public:
  void take(const Event& event);
  Profile finish(const EventReader& reader, Progress& progress);

 private:
  void take_node(const Event& event, double us);

  std::string process_;  ///< of the model that is read
  bool others_ = false;
  std::uint64_t undated_ = 0;
  Durations wall_;
  Nodes nodes_;
  Profile profile_{.source = ProfileSource::quantlens};
};

void ExportedImporter::take(const Event& event) {
  if (process_.empty()) process_ = event.process.substr(0, Nodes::kMostText);
  if (event.process != process_) {
    others_ = true;
    return;
  }
  if (event.phase == "M" && event.name == "process_name") {
    profile_.model = decoded(event.args[ExportedArg::name].substr(0, Nodes::kMostText));
  }
  if (event.phase != "X") return;
  const auto us = duration_us(event.duration);
  if (!us) {
    ++undated_;
  } else if (event.category == "run") {
    wall_.add(*us, nodes_.budget());
  } else {
    take_node(event, *us);
  }
}

void ExportedImporter::take_node(const Event& event, double us) {
  bool is_new = false;
  const NodeKey key{event.name, event.args[ExportedArg::type], event.args[ExportedArg::position]};
  const std::size_t node = nodes_.find(key, is_new);
  if (is_new) {
    nodes_.describe(node, event.args[ExportedArg::provider],
                    strings(event.args[ExportedArg::inputs]),
                    strings(event.args[ExportedArg::outputs]));
    nodes_[node].row.role = role_named(event.category.substr(0, Nodes::kMostText));
  }
  nodes_.add(node, 0, {.cpu_us = us, .start_us = time_us(event.start)});
}

Profile ExportedImporter::finish(const EventReader& reader, Progress& progress) {
  tell_of_damage({reader.cut_off(), reader.broken(), undated_}, progress);
  if (others_) progress.note("the trace holds two models; the first is read");
  profile_.wall = wall_of(wall_);
  fill(profile_, nodes_, {.kinds = {0}, .runs = 1}, progress);
  return std::move(profile_);
}

}  // namespace

Profile import_exported(std::istream& in, Progress& progress) {
  EventReader reader(in, progress, kExportedArgs);
  ExportedImporter importer;
  for (Event event; reader.next(event);) importer.take(event);
  return importer.finish(reader, progress);
}

}  // namespace quantlens::imports
