// SPDX-License-Identifier: Apache-2.0
#include "server/api/run_routes.h"

#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/workspace/read_record.h"
#include "server/api/body.h"
#include "server/api/shown_run.h"
#include "server/shown.h"

namespace quantlens::server {
namespace {

constexpr std::uint64_t kUsualRuns = 100, kMostRuns = 1000, kMostListed = 1'000'000'000;
constexpr std::uint64_t kUsualEvents = 500, kMostEvents = 5000;
constexpr std::size_t kMostLogBytes = std::size_t{64} << 20;

struct ListedRun : RunSummary, RunLabels {};
BOOST_DESCRIBE_STRUCT(ListedRun, (RunSummary, RunLabels), ())

/// A page of the runs that were asked for.
struct RunList {
  std::uint64_t total = 0;  ///< that were asked for, on all pages
  std::uint64_t offset = 0;
  std::vector<ListedRun> workloads;  ///< newest first
};
BOOST_DESCRIBE_STRUCT(RunList, (), (total, offset, workloads))

/// A part of a run's log.
struct EventList {
  std::uint64_t total = 0;  ///< so far
  std::uint64_t after = 0;  ///< how many are before the first of these
  std::vector<ProgressEvent> events;
};
BOOST_DESCRIBE_STRUCT(EventList, (), (total, after, events))

struct Removed {
  std::string removed;  ///< the id
};
BOOST_DESCRIBE_STRUCT(Removed, (), (removed))

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return made;
}

bool has_text(const ListedRun& run, const std::string& text) {
  if (text.empty()) return true;
  const auto has = [&](std::string_view part) {
    return lower(part).find(text) != std::string::npos;
  };
  return has(run.id) || has(run.name) || has(run.message) || has(run.note) ||
         std::ranges::any_of(run.tags, has) ||
         std::ranges::any_of(run.models, [&](const ModelFile& model) { return has(model.path); });
}

/// What a list is asked for.
struct Filter {
  explicit Filter(const Arguments& arguments)
      : text(lower(arguments.text("q").value_or(""))),
        verb(arguments.text("verb").value_or("")),
        state(arguments.text("state").value_or("")),
        tag(arguments.text("tag").value_or("")) {
    if (!state.empty() && !from_word<WorkloadState>(state)) {
      throw Error(Errc::usage, fmt::format("state='{}' is none; a workload is new, wip, success or "
                                           "failure",
                                           shown(state)));
    }
  }
  bool takes(const ListedRun& run) const {
    return (verb.empty() || run.verb == verb) && (state.empty() || word(run.state) == state) &&
           (tag.empty() || std::ranges::find(run.tags, tag) != run.tags.end()) &&
           has_text(run, text);
  }
  std::string text, verb, state, tag;
};

ListedRun listed(const Run& run, const std::map<std::string, RunLabels>& labels) {
  ListedRun one;
  static_cast<RunSummary&>(one) = run.summary;
  const auto found = labels.find(run.summary.id);
  if (found != labels.end()) static_cast<RunLabels&>(one) = found->second;
  return one;
}

/// 409: another one does something with it at this moment.
Response busy(std::string_view sentence) {
  return text_response(409, sentence);
}

}  // namespace

Answer list_runs(Context& context, const Call& call) {
  const Filter filter(call.arguments);
  const std::uint64_t offset = call.arguments.number("offset", 0, 0, kMostListed);
  const std::uint64_t limit = call.arguments.number("limit", kUsualRuns, 1, kMostRuns);
  std::vector<Runs::One> runs = context.runs.all();
  Answer answer;
  answer.state = context.labels.state();
  for (const Runs::One& run : runs) answer.state += run->state;
  answer.make = [=, runs = std::move(runs), &context] {
    RunList list{.offset = offset};
    const auto labels = context.labels.all();
    for (const Runs::One& run : runs) {
      ListedRun one = listed(*run, labels);
      if (!filter.takes(one)) continue;
      if (list.total >= offset && list.workloads.size() < limit)
        list.workloads.push_back(std::move(one));
      ++list.total;
    }
    return compact(json::encode(list));
  };
  return answer;
}

Answer show_run(Context& context, const Call& call) {
  const Runs::One run = context.runs.find(call.in_path[0]);
  Answer answer;
  answer.state = run->state + context.labels.state() + state_of_folder(context, *run);
  answer.make = [run, &context] { return compact(json::encode(shown_run(context, *run))); };
  return answer;
}

Answer run_events(Context& context, const Call& call) {
  const Runs::One run = context.runs.find(call.in_path[0]);
  const std::uint64_t after = call.arguments.number("after", 0, 0, kMostListed);
  const std::uint64_t limit = call.arguments.number("limit", kUsualEvents, 1, kMostEvents);
  const fs::path file = run->folder / kEvents;
  Answer answer;
  answer.state = state_of(file);
  answer.make = [=, &context] {
    EventList list{.after = after};
    const std::optional<MappedFile> log = find_file(context.store, file);
    if (log && log->bytes().size() > kMostLogBytes)
      throw Error(Errc::unsupported, "The log is too long to be shown; read it in the folder.");
    std::vector<ProgressEvent> events;
    if (log) events = events_of_lines(log->text(), kEvents);
    list.total = events.size();
    const std::uint64_t begin = std::min<std::uint64_t>(after, events.size());
    const std::uint64_t count = std::min<std::uint64_t>(limit, events.size() - begin);
    const auto from = events.begin() + static_cast<std::ptrdiff_t>(begin);
    list.events.assign(from, from + static_cast<std::ptrdiff_t>(count));
    return compact(json::encode(list));
  };
  return answer;
}

Answer label_run(Context& context, const Call& call) {
  const Runs::One run = context.runs.find(call.in_path[0]);
  auto labels = body_as<RunLabels>(call.request);
  make_unique(labels.tags);
  try {
    context.labels.set(run->summary.id, labels);
  } catch (const Error& error) {
    if (error.code() == Errc::failed) return at_once(busy(error.what()));
    throw;
  }
  return json_at_once(json::encode(labels));
}

std::optional<Response> remove(Context& context, const Run& run) {
  try {
    context.workspace.remove(run.summary.id);
  } catch (const Error& error) {
    if (error.code() == Errc::failed) return busy(error.what());
    throw;
  }
  try {
    context.labels.set(run.summary.id, {});
  } catch (const Error&) {
    return std::nullopt;  // the run is gone; what was said of it hurts nobody
  }
  return std::nullopt;
}

Answer remove_run(Context& context, const Call& call) {
  const Runs::One run = context.runs.find(call.in_path[0]);
  const std::string& id = run->summary.id;
  if (call.arguments.text("confirm").value_or("") != id) {
    throw Error(Errc::usage, fmt::format("This removes the workload and all its files; say so with "
                                         "confirm={}",
                                         printable(id)));
  }
  if (auto refused = remove(context, *run)) return at_once(*std::move(refused));
  return json_at_once(json::encode(Removed{id}));
}

json::Value run_list_schema(Schemas& schemas) {
  return schemas.of<RunList>();
}

json::Value event_list_schema(Schemas& schemas) {
  return schemas.of<EventList>();
}

json::Value labels_schema(Schemas& schemas) {
  return schemas.of<RunLabels>();
}

json::Value removed_schema(Schemas& schemas) {
  return schemas.of<Removed>();
}

json::Value shown_run_schema(Schemas& schemas) {
  return schemas.of<ShownRun>();
}

}  // namespace quantlens::server
