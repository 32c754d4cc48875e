// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/data_paths.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <system_error>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "quantlens/base/crc32c.h"
#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/base/yaml.h"
#include "server/jobs/refusal.h"
#include "server/read_bounded.h"
#include "server/shown.h"

namespace quantlens::server {
namespace {

using boost::json::object;

constexpr std::size_t kMostDocument = std::size_t{1} << 20;
constexpr std::size_t kMostLabels = std::size_t{32} << 20;
/// What names paths in another way than these do is not let through unseen.
constexpr std::array<std::string_view, 5> kSections = {"images", "tfrecord", "npz", "npy",
                                                       "random"};

[[noreturn]] void refuse_link(const fs::path& path, std::string_view field) {
  throw Refusal(kForbidden, fmt::format("{}: '{}' is a link that leaves the folders that jobs may "
                                        "use; put the file itself there",
                                        field, shown(path.string())));
}

void check_link(const fs::path& path, std::string_view field, const Roots& roots) {
  const fs::path target = resolved(path);
  if (target.empty() || !roots.allows(target)) refuse_link(path, field);
}

std::string bytes_of(const fs::path& path, std::size_t most, std::string_view field) {
  auto bytes = read_bounded(path, most + 1);
  if (!bytes) {
    throw Refusal(kWrongRequest, fmt::format("{}: '{}' cannot be read; check its permissions",
                                             field, printable(path.filename().string())));
  }
  if (bytes->size() > most) {
    throw Refusal(kWrongRequest,
                  fmt::format("{}: '{}' is no arrays, and too long for what it could be else",
                              field, printable(path.filename().string())));
  }
  return *std::move(bytes);
}

/// A folder's images, and those of the folders in it: what is read where no labels name files.
void check_folder(const fs::path& folder, std::string_view field, const Roots& roots,
                  bool is_inner = false) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_symlink(ignored)) check_link(entry->path(), field, roots);
    if (!is_inner && entry->is_directory(ignored)) check_folder(entry->path(), field, roots, true);
  }
  if (error) {
    throw Refusal(kWrongRequest,
                  fmt::format("{}: the folder cannot be listed: {}", field, error.message()));
  }
}

/// Each line names a file and its class.
void check_labels(const fs::path& labels, const fs::path& folder, std::string_view field,
                  const Roots& roots) {
  const std::string text = bytes_of(labels, kMostLabels, field);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r'))
      line.remove_suffix(1);
    const std::size_t gap = line.find_last_of(" \t");
    if (gap == std::string_view::npos) continue;  // the verb says that the line is none
    line = line.substr(0, gap);
    while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
    while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
    check_link(folder / line, field, roots);
  }
}

std::optional<std::string> text_of(const object& section, std::string_view key) {
  const json::Value* value = section.if_contains(key);
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (const auto* number = value->if_int64()) return std::to_string(*number);
  if (const auto* text = value->if_string()) return std::string(*text);
  throw Refusal(kWrongRequest, fmt::format("data: '{}' of the document is no text", key));
}

/// What a section of a document names, relative to the document's own folder.
class Section {
 public:
  Section(const object& section, fs::path beside, std::string_view field, const Roots& roots)
      : section_(section), beside_(std::move(beside)), field_(field), roots_(roots) {}

  std::optional<fs::path> path(std::string_view key) const {
    const auto text = text_of(section_, key);
    if (!text) return std::nullopt;
    return roots_.input((beside_ / *text).string(), fmt::format("{}: {}", field_, key));
  }

  /// The folder of the files that a pattern means.
  std::optional<fs::path> parent_of(std::string_view key) const {
    const auto text = text_of(section_, key);
    if (!text) return std::nullopt;
    return roots_.input((beside_ / *text).parent_path().string(),
                        fmt::format("{}: {}", field_, key));
  }

 private:
  const object& section_;
  fs::path beside_;
  std::string_view field_;
  const Roots& roots_;
};

object document_of(const fs::path& path, std::string_view field) {
  json::Value root;
  try {
    root = parse_yaml(bytes_of(path, kMostDocument, field), field);
  } catch (const Error& error) {
    throw Refusal(kWrongRequest, error.what());
  }
  if (!root.is_object())
    throw Refusal(kWrongRequest, fmt::format("{}: is no data document (docs/data.md)", field));
  return std::move(root.get_object());
}

/// A .npz, .npy or TFRecord file, by its first bytes: it holds its samples itself.
bool holds_samples(const fs::path& path) {
  using namespace std::string_view_literals;
  constexpr std::size_t kHead = 12;
  const std::string bytes = read_bounded(path, kHead).value_or("");
  return bytes.starts_with("PK\x03\x04"sv) || bytes.starts_with("PK\x05\x06"sv) ||
         bytes.starts_with("\x93NUMPY"sv) || begin_with_record(bytes);
}

void check_document(const fs::path& path, std::string_view field, const Roots& roots) {
  for (const auto& member : document_of(path, field)) {
    if (!member.value().is_object()) continue;  // a number, or nothing that the verb would read
    if (std::ranges::find(kSections, std::string_view(member.key())) == kSections.end()) {
      throw Refusal(kWrongRequest,
                    fmt::format("{}: '{}' is nothing that a job's data may have (docs/data.md)",
                                field, shown(member.key())));
    }
    const Section section(member.value().get_object(), path.parent_path(), field, roots);
    section.path("file");
    if (const auto records = section.parent_of("files")) check_folder(*records, field, roots);
    const auto folder = section.path("folder");
    const auto labels = section.path("labels");
    if (!folder) continue;
    if (labels) {
      check_labels(*labels, *folder, field, roots);
    } else {
      check_folder(*folder, field, roots);
    }
  }
}

}  // namespace

fs::path checked_data(std::string_view text, std::string_view field, const Roots& roots) {
  fs::path path = roots.input(text, field);
  if (fs::is_directory(path)) {
    check_folder(path, field, roots);
  } else if (!holds_samples(path)) {
    check_document(path, field, roots);
  }
  return path;
}

std::optional<fs::path> images_folder(std::string_view text, std::string_view field,
                                      const Roots& roots) {
  const fs::path path = roots.input(text, field);
  if (fs::is_directory(path)) return path;
  if (holds_samples(path)) return std::nullopt;
  const object document = document_of(path, field);
  const json::Value* images = document.if_contains("images");
  if (images == nullptr || !images->is_object()) return std::nullopt;
  return Section(images->get_object(), fs::path(text).parent_path(), field, roots).path("folder");
}

}  // namespace quantlens::server
