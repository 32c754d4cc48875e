// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/images.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/store.h"
#include "quantlens/base/text.h"
#include "quantlens/dataset/decode.h"

namespace quantlens {
namespace {

/// One image: its file relative to the folder, and its class.
struct Entry {
  std::string file;
  std::optional<std::int64_t> label;
};

class ImageDataset final : public Dataset {
 public:
  ImageDataset(const ImageFolder& images, const InputSpec& input, std::vector<Entry> entries)
      : folder_(images.folder),
        caveat_(images.caveat),
        input_(input.name),
        transform_(images.steps, input, images.where),
        entries_(std::move(entries)),
        has_labels_(std::ranges::all_of(
            entries_, [](const Entry& entry) { return entry.label.has_value(); })) {}

  std::uint64_t size() const override { return entries_.size(); }
  std::string name(std::uint64_t index) const override { return entry(index).file; }
  bool has_labels() const override { return has_labels_; }
  std::string caveat() const override { return caveat_; }

  Sample read(std::uint64_t index) const override {
    const Entry& wanted = entry(index);
    const MappedFile file = MappedFile::open(folder_ / wanted.file);
    Sample sample;
    Image image = decode_image(file.bytes(), wanted.file);
    sample.inputs[input_] = transform_.apply(std::move(image), wanted.file);
    if (wanted.label) sample.label = Tensor::scalar(*wanted.label);
    return sample;
  }

 private:
  const Entry& entry(std::uint64_t index) const {
    if (index < entries_.size()) return entries_[index];
    throw Error(Errc::not_found, fmt::format("{}: there is no image {}, only {} of them",
                                             printable(folder_.string()), index, entries_.size()));
  }

  fs::path folder_;
  std::string caveat_;
  std::string input_;
  ImageTransform transform_;
  std::vector<Entry> entries_;
  bool has_labels_;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// A labels file comes from outside: it may name files below the folder only.
bool stays_inside(const fs::path& file) {
  return file.is_relative() && std::ranges::find(file, "..") == file.end();
}

/// "some name.jpg 17". REQUIRES: `line` is trimmed and not empty.
Entry parse_line(std::string_view line, std::string_view where) {
  const auto fail = [&](std::string_view problem) {
    throw Error(Errc::bad_input,
                fmt::format("{}: {}; a line is a file name and a class number, as 'cat.jpg 281'",
                            where, problem));
  };
  const std::size_t space = line.find_last_of(" \t");
  if (space == std::string_view::npos) fail(fmt::format("'{}' has no class", printable(line)));
  const std::string_view number = line.substr(space + 1);
  std::int64_t label = -1;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), label);
  if (error != std::errc() || end != number.data() + number.size() || label < 0) {
    fail(fmt::format("'{}' is no class number", printable(number)));
  }
  std::string file(trimmed(line.substr(0, space)));
  if (!stays_inside(file)) {
    fail(fmt::format("'{}' is not inside the images' folder", printable(file)));
  }
  return {.file = std::move(file), .label = label};
}

std::vector<Entry> read_labels(const fs::path& path) {
  const MappedFile file = MappedFile::open(path);
  std::vector<Entry> entries;
  std::string_view rest = file.text();
  for (std::size_t line_number = 1; !rest.empty(); ++line_number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty()) continue;
    entries.push_back(
        parse_line(line, fmt::format("{}:{}", printable(path.string()), line_number)));
  }
  if (entries.empty()) {
    throw Error(Errc::bad_input, fmt::format("{}: names no image; write 'file class' lines",
                                             printable(path.string())));
  }
  return entries;
}

bool has_image_extension(const fs::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  constexpr std::string_view kExtensions[] = {".jpg", ".jpeg", ".png",  ".bmp", ".gif",
                                              ".tif", ".tiff", ".webp", ".avif"};
  return std::ranges::find(kExtensions, extension) != std::end(kExtensions);
}

/// Whether a file of a folder is meant as a sample: named like an image (a broken one is then
/// reported, not overlooked), or one by its first bytes.
bool is_image(const fs::path& file) {
  if (has_image_extension(file)) return true;
  std::array<char, 16> head = {};
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), head.size());
  const auto got = static_cast<std::size_t>(in.gcount());
  return image_format(std::as_bytes(std::span(head).first(got))).has_value();
}

struct Listing {
  std::vector<std::string> images;
  std::vector<std::string> folders;
};

/// The visible entries of a folder, each list sorted.
Listing list_folder(const fs::path& folder) {
  Listing listing;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      std::error_code gone;  // a dangling link, a file removed meanwhile: neither
      if (name.starts_with('.')) continue;
      if (entry.is_directory(gone)) {
        listing.folders.push_back(name);
      } else if (entry.is_regular_file(gone) && is_image(entry.path())) {
        listing.images.push_back(name);
      }
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(Errc::io, fmt::format("{}: cannot list the folder: {}; check its permissions",
                                      printable(folder.string()), error.code().message()));
  }
  std::ranges::sort(listing.images);
  std::ranges::sort(listing.folders);
  return listing;
}

std::vector<Entry> list_images(const fs::path& folder) {
  std::vector<Entry> entries;
  const Listing top = list_folder(folder);
  for (const std::string& image : top.images) entries.push_back({.file = image, .label = {}});
  if (entries.empty()) {
    for (std::size_t label = 0; label < top.folders.size(); ++label) {
      const std::string& name = top.folders[label];
      for (const std::string& image : list_folder(folder / name).images) {
        entries.push_back(
            {.file = fmt::format("{}/{}", name, image), .label = static_cast<std::int64_t>(label)});
      }
    }
  }
  if (entries.empty()) {
    throw Error(Errc::bad_input,
                fmt::format("{}: has no images, nor folders of them; name a folder of JPEG or PNG "
                            "files",
                            printable(folder.string())));
  }
  return entries;
}

}  // namespace

std::unique_ptr<Dataset> open_images(const ImageFolder& images, const InputSpec& input) {
  std::error_code absent;
  if (!fs::is_directory(images.folder, absent)) {
    throw Error(Errc::not_found,
                fmt::format("{}: there is no folder '{}'; correct its name",
                            printable(images.where), printable(images.folder.string())));
  }
  std::vector<Entry> entries =
      images.labels.empty() ? list_images(images.folder) : read_labels(images.labels);
  return std::make_unique<ImageDataset>(images, input, std::move(entries));
}

}  // namespace quantlens
