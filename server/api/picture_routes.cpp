// SPDX-License-Identifier: Apache-2.0
#include "server/api/picture_routes.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/record/data_of.h"
#include "quantlens/workspace/read_record.h"
#include "server/jobs/data_paths.h"
#include "server/jobs/jobs.h"
#include "server/jobs/refusal.h"
#include "server/read_bounded.h"
#include "server/shown.h"

namespace quantlens::server {
namespace {

constexpr std::uint64_t kMostPictureBytes = std::uint64_t{32} << 20;

std::string named_sample(const Context& context, const Run& run, std::string_view number) {
  std::uint64_t sample = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), sample);
  std::optional<std::string> name;
  if (error == std::errc() && end == number.data() + number.size())
    name = context.samples.find(run.folder, sample);
  if (!name) {
    throw Error(Errc::not_found,
                fmt::format("No record of the workload names a sample {}.", shown(number)));
  }
  return *std::move(name);
}

/// Where the samples of a run were. Runs before there was a `path` say it where `data` is one.
std::string data_of(const Context& context, const Run& run) {
  const auto workload = WorkloadReader(context.store, run.folder).get<Workload>();
  if (!workload) throw Error(Errc::not_found, "The workload has no workload.json.");
  const DataUsed* data = data_of(*workload, DataRole::samples);
  if (data == nullptr) throw Error(Errc::not_found, "The workload looked at no samples.");
  if (!data->path.empty()) return data->path;
  if (data->data.starts_with('/')) return data->data;
  throw Error(Errc::not_found,
              fmt::format("The workload does not say in which file or folder its data '{}' are.",
                          shown(data->data)));
}

/// The file of a sample. A record is no more to be trusted than a request.
fs::path file_of(const fs::path& folder, const std::string& name, const Roots& roots) {
  const fs::path inside(name);
  if (name.empty() || inside.is_absolute() || std::ranges::find(inside, "..") != inside.end()) {
    throw Refusal(kForbidden, fmt::format("The sample's name '{}' leads out of the data's folder.",
                                          shown(name)));
  }
  fs::path file = roots.existing((folder / inside).string(), "sample");
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) {
    throw Error(Errc::not_found, fmt::format("The sample '{}' is no file.", shown(name)));
  }
  return file;
}

/// By its first bytes. What a browser might run as a page is never sent.
std::string type_of(const fs::path& file, const std::string& name) {
  using namespace std::string_view_literals;
  constexpr std::size_t kHead = 8;
  const auto head = read_bounded(file, kHead);
  if (!head) {
    throw Refusal(kForbidden, fmt::format("The file of the sample '{}' cannot be read; check its "
                                          "permissions.",
                                          shown(name)));
  }
  if (head->starts_with("\xFF\xD8\xFF"sv)) return "image/jpeg";
  if (head->starts_with("\x89PNG\r\n\x1A\n"sv)) return "image/png";
  throw Error(Errc::not_found,
              fmt::format("The sample '{}' is no JPEG and no PNG picture.", shown(name)));
}

std::string bytes_of(const fs::path& file) {
  auto bytes = read_bounded(file, kMostPictureBytes + 1);
  if (!bytes) throw Error(Errc::not_found, "The sample's file has gone meanwhile.");
  if (bytes->size() > kMostPictureBytes) {
    throw Error(Errc::unsupported,
                "The picture is too large to be sent; look at it in its folder.");
  }
  return *std::move(bytes);
}

}  // namespace

Answer show_picture(Context& context, const Call& call) {
  const Runs::One run = context.runs.find(call.in_path[0]);
  if (context.jobs == nullptr) throw Refusal(kForbidden, "This server reads no data.");
  const Roots& roots = context.jobs->roots();
  const std::string name = named_sample(context, *run, call.in_path[1]);
  const auto folder = images_folder(data_of(context, *run), "data", roots);
  if (!folder) {
    throw Error(
        Errc::not_found,
        fmt::format("The sample '{}' is no file of its own, and has no picture.", shown(name)));
  }
  const fs::path file = file_of(*folder, name, roots);
  Answer answer;
  answer.type = type_of(file, name);
  answer.headers = {{"X-Content-Type-Options", "nosniff"}};
  answer.state = state_of(file);
  answer.make = [file] { return bytes_of(file); };
  return answer;
}

}  // namespace quantlens::server
