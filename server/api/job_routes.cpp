// SPDX-License-Identifier: Apache-2.0
#include "server/api/job_routes.h"

#include <algorithm>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "server/api/body.h"
#include "server/api/file_routes.h"
#include "server/jobs/fields.h"
#include "server/jobs/jobs.h"
#include "server/jobs/listing.h"
#include "server/jobs/refusal.h"

namespace quantlens::server {
namespace {

constexpr std::uint64_t kUsualJobs = 100, kMostJobs = 1000, kMostRows = 1'000'000'000;
constexpr std::uint64_t kMostUploadBytes = std::uint64_t{1} << 50;
constexpr unsigned kCreated = 201;
constexpr std::string_view kAnyBytes = "application/octet-stream";

/// A page of the jobs that were asked for.
struct JobList {
  std::uint64_t total = 0;
  std::uint64_t offset = 0;
  std::uint32_t cores = 0;     ///< that all jobs may keep busy
  std::vector<ShownJob> jobs;  ///< the last submitted first
};
BOOST_DESCRIBE_STRUCT(JobList, (), (total, offset, cores, jobs))

struct UploadList {
  std::uint64_t most_bytes = 0;         ///< of one
  std::uint64_t most_bytes_in_all = 0;  ///< of all
  std::vector<Upload> uploads;
};
BOOST_DESCRIBE_STRUCT(UploadList, (), (most_bytes, most_bytes_in_all, uploads))

struct Gone {
  std::string removed;  ///< its id or name
};
BOOST_DESCRIBE_STRUCT(Gone, (), (removed))

Jobs& jobs_of(const Context& context) {
  if (context.jobs == nullptr) throw Refusal(kNotThere, "This server runs no jobs.");
  return *context.jobs;
}

template <class T>
Answer answer_of(const T& value, unsigned status = 200) {
  Response response = json_response(compact(json::encode(value)));
  response.status = status;
  response.headers.emplace_back("Cache-Control", "no-store");
  return at_once(std::move(response));
}

/// A form on another site can send text, and no JSON.
void check_type(const Request& request) {
  std::string_view type = header_of(request, "content-type").value_or("");
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  if (type != kJson) {
    throw Refusal(kWrongType, "Send this request with Content-Type: application/json.");
  }
}

Answer list_jobs(Context& context, const Call& call) {
  const std::string_view state = call.arguments.text("state").value_or("");
  if (!state.empty() && !from_word<JobState>(state)) {
    throw Refusal(kWrongRequest,
                  fmt::format("state: a job is {}", fmt::join(words<JobState>(), ", ")));
  }
  Jobs& jobs = jobs_of(context);
  JobList list{.offset = call.arguments.number("offset", 0, 0, kMostRows),
               .cores = jobs.options().cores};
  const std::uint64_t limit = call.arguments.number("limit", kUsualJobs, 1, kMostJobs);
  for (ShownJob& job : jobs.list()) {
    if (!state.empty() && word(job.state) != state) continue;
    if (list.total >= list.offset && list.jobs.size() < limit) list.jobs.push_back(std::move(job));
    ++list.total;
  }
  return answer_of(list);
}

Answer submit_job(Context& context, const Call& call) {
  check_type(call.request);
  const json::Value asked = json_of(call.request);
  if (!asked.is_object()) throw Refusal(kWrongRequest, fmt::format("{} is no JSON object", kBody));
  return answer_of(jobs_of(context).submit(asked.get_object()), kCreated);
}

Answer show_job(Context& context, const Call& call) {
  return answer_of(jobs_of(context).find(call.in_path[0]));
}

Answer cancel_job(Context& context, const Call& call) {
  check_type(call.request);
  return answer_of(jobs_of(context).cancel(call.in_path[0]));
}

Answer remove_job(Context& context, const Call& call) {
  const std::string id(call.in_path[0]);
  jobs_of(context).remove(id, call.arguments.text("confirm").value_or(""));
  return answer_of(Gone{id});
}

Answer show_log(Context& context, const Call& call) {
  const std::string_view stream = call.arguments.text("stream").value_or("log");
  if (stream != "log" && stream != "output")
    throw Refusal(kWrongRequest, "stream: it is log or output");
  const std::uint64_t after = call.arguments.number("after", 0, 0, kMostUploadBytes);
  return answer_of(jobs_of(context).log(call.in_path[0], after, stream == "output"));
}

Answer send_made(Context& context, const Call& call) {
  const fs::path file = jobs_of(context).made_file(call.in_path[0]);
  return at_once({.type = std::string(kAnyBytes),
                  .headers = {{"Content-Disposition", disposition(file.filename().string())}},
                  .body = {},
                  .file = MappedFile::open(file),
                  .events = {}});
}

Answer list_files(Context& context, const Call& call) {
  const Roots& roots = jobs_of(context).roots();
  const auto root = call.arguments.text("root");
  const Page page{.offset = call.arguments.number("offset", 0, 0, kMostRows),
                  .limit = call.arguments.number("limit", kUsualJobs, 1, kMostJobs)};
  if (!root) return answer_of(list_roots(roots));
  return answer_of(list_folder(roots, *root, call.arguments.text("path").value_or(""), page));
}

Answer list_uploads(Context& context, const Call&) {
  Jobs& jobs = jobs_of(context);
  return answer_of(UploadList{.most_bytes = jobs.options().upload_bytes,
                              .most_bytes_in_all = jobs.options().upload_quota,
                              .uploads = jobs.uploads().list()});
}

BodyPlan plan_upload(Context& context, const Call& call) {
  return jobs_of(context).uploads().begin(std::string(call.in_path[0]),
                                          announced_bytes(call.request));
}

Answer put_upload(Context& context, const Call& call) {
  const std::string name(call.in_path[0]);
  if (!call.request.file) throw Refusal(kWrongRequest, "The upload is empty; send the file.");
  return answer_of(jobs_of(context).uploads().keep(name, *call.request.file), kCreated);
}

Answer remove_upload(Context& context, const Call& call) {
  const std::string name(call.in_path[0]);
  jobs_of(context).uploads().remove(name);
  return answer_of(Gone{name});
}

json::Value schema_of_field(const Field& field) {
  using boost::json::object;
  const auto typed = [](std::string_view type) { return object{{"type", type}}; };
  switch (field.kind) {
    case FieldKind::recipe:
      return object();
    case FieldKind::flag:
      return typed("boolean");
    case FieldKind::count:
      return object{{"type", "integer"}, {"minimum", field.least}, {"maximum", field.most}};
    case FieldKind::counts:
      return object{
          {"anyOf", {typed("integer"), object{{"type", "array"}, {"items", typed("integer")}}}}};
    case FieldKind::real:
      return typed("number");
    case FieldKind::word: {
      const auto words = words_in(field.words);
      return object{{"type", "string"}, {"enum", boost::json::array(words.begin(), words.end())}};
    }
    default:
      return typed("string");
  }
}

/// What may be asked of each verb, from the table that the command lines are made of.
json::Value request_schema(Schemas&) {
  using boost::json::array;
  using boost::json::object;
  array forms;
  for (const std::string_view verb : job_verbs()) {
    object properties{{"verb", {{"type", "string"}, {"enum", {verb}}}}};
    array needed{"verb"};
    object needs;
    for (const Field& field : job_fields()) {
      if (!is_taken_by(field, verb)) continue;
      json::Value schema = schema_of_field(field);
      schema.as_object()["description"] = field.meaning;
      properties[field.name] = std::move(schema);
      if (is_needed_by(field, verb)) needed.emplace_back(field.name);
      if (!field.needs.empty()) needs[field.name] = array{field.needs};
    }
    object form{{"type", "object"},
                {"properties", std::move(properties)},
                {"required", std::move(needed)},
                {"additionalProperties", false}};
    if (!needs.empty()) form["dependentRequired"] = std::move(needs);
    forms.push_back(std::move(form));
  }
  return object{{"anyOf", std::move(forms)}};
}

json::Value any_bytes(Schemas&) {
  return boost::json::object{{"type", "string"}, {"format", "binary"}};
}

template <class T>
json::Value schema(Schemas& schemas) {
  return schemas.of<T>();
}

constexpr Parameter kOffset{"offset", "integer", "how many to leave out first"};
constexpr Parameter kLimit{"limit", "integer", "how many at most"};

std::vector<Route> of_jobs() {
  return {
      {"GET",
       "/api/v1/jobs",
       "A page of the jobs, the last submitted first",
       {{"state", "string", "queued, running, success, failure, cancelled or interrupted"},
        kOffset,
        kLimit},
       schema<JobList>,
       "",
       list_jobs},
      {.methods = "POST",
       .path = "/api/v1/jobs",
       .summary = "Submits a job, which begins when there are cores for it",
       .parameters = {},
       .schema = schema<ShownJob>,
       .type = "",
       .answer = submit_job,
       .body = request_schema,
       .status = kCreated},
      {"GET", "/api/v1/jobs/{job}", "A job", {}, schema<ShownJob>, "", show_job},
      {"DELETE",
       "/api/v1/jobs/{job}",
       "Removes a job that does not run, with what it made in its own folder",
       {{"confirm", "string", "the job's id once more, where it made something"}},
       schema<Gone>,
       "",
       remove_job},
      {"POST",
       "/api/v1/jobs/{job}/cancel",
       "Asks a job to stop, and ends it where it does not",
       {},
       schema<ShownJob>,
       "",
       cancel_job},
      {"GET",
       "/api/v1/jobs/{job}/log",
       "A part of what a job has said",
       {{"after", "integer", "bytes to leave out"},
        {"stream", "string", "log (standard error, with events) or output"}},
       schema<LogPart>,
       "",
       show_log},
  };
}

std::vector<Route> of_results() {
  return {{"GET",
           "/api/v1/jobs/{job}/made",
           "The file that a job has made in its own folder, to be saved",
           {},
           nullptr,
           kAnyBytes,
           send_made}};
}

std::vector<Route> of_files() {
  return {
      {"GET",
       "/api/v1/files",
       "A page of a folder that jobs may use; without a root, these folders",
       {{"root", "string", "one of these folders"},
        {"path", "string", "of a folder below it"},
        kOffset,
        kLimit},
       schema<Listing>,
       "",
       list_files},
      {"GET", "/api/v1/uploads", "What was uploaded", {}, schema<UploadList>, "", list_uploads},
      {.methods = "PUT",
       .path = "/api/v1/uploads/{upload}",
       .summary = "Keeps a model or data under this name",
       .parameters = {},
       .schema = schema<Upload>,
       .type = "",
       .answer = put_upload,
       .body = any_bytes,
       .body_type = kAnyBytes,
       .status = kCreated,
       .plan_body = plan_upload},
      {"DELETE",
       "/api/v1/uploads/{upload}",
       "Removes an upload",
       {},
       schema<Gone>,
       "",
       remove_upload},
  };
}

}  // namespace

std::vector<Route> job_routes() {
  std::vector<Route> all = of_jobs();
  for (const auto& more : {of_results(), of_files()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace quantlens::server
