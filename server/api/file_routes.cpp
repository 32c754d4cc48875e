// SPDX-License-Identifier: Apache-2.0
#include "server/api/file_routes.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/percent_encoding.h"
#include "quantlens/base/text.h"
#include "quantlens/workspace/read_record.h"
#include "server/own_folder.h"
#include "server/shown.h"

namespace quantlens::server {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;

/// Never one that a browser would run.
std::string_view type_of(std::string_view name) {
  if (name.ends_with(".json")) return kJson;
  if (name.ends_with(".csv")) return "text/csv; charset=utf-8";
  if (name.ends_with(".jsonl") || name.ends_with(".txt")) return kText;
  return "application/octet-stream";
}

Error not_there(std::string_view name) {
  return {Errc::not_found, fmt::format("The workload has no file '{}'.", shown(name))};
}

}  // namespace

std::string disposition(std::string_view name) {
  std::string plain;
  for (const char c : name) plain += is_plain_in_addresses(c) ? c : '_';
  return fmt::format("attachment; filename=\"{}\"; filename*=UTF-8''{}", plain,
                     percent_encoded(name));
}

Answer run_file(Context& context, const Call& call) {
  const Runs::One run = context.runs.find(call.in_path[0]);
  const std::string name(call.in_path[1]);
  const fs::path file = run->folder / name;
  std::error_code ignored;
  // A symbolic link may lead anywhere, and quantlens makes none.
  const auto is_file = [&](const fs::path& path) {
    return fs::is_regular_file(fs::symlink_status(path, ignored));
  };
  const fs::path stored = is_file(file) ? file : packed(file);
  if (!is_plain_name(name) || !is_file(stored)) {
    throw not_there(name);
  }
  if (fs::file_size(stored, ignored) > kMostBytes) {
    throw Error(Errc::unsupported,
                fmt::format("{} is too large to be sent; copy it from the workload's folder.",
                            printable(name)));
  }
  Answer answer;
  answer.type = type_of(name);
  answer.headers = {{"Content-Disposition", disposition(name)},
                    {"X-Content-Type-Options", "nosniff"}};
  answer.state = state_of(file);
  const bool is_packed = stored != file;  // and may have lists elsewhere
  answer.make = [&context, file, name, is_packed] {
    if (!is_packed) return std::string(context.store.read(file).text());
    std::optional<std::string> text = read_text(context.store, file);
    if (!text) throw not_there(name);
    return *std::move(text);
  };
  return answer;
}

}  // namespace quantlens::server
