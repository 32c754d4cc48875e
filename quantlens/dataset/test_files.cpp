// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/test_files.h"

#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <png.h>
#include <protozero/pbf_writer.hpp>
#include <turbojpeg.h>
#include <zip.h>

#include "quantlens/base/crc32c.h"
#include "quantlens/tensor/npy.h"

#ifndef QUANTLENS_TESTDATA_DIR
#define QUANTLENS_TESTDATA_DIR QUANTLENS_SOURCE_DIR "/../shared/testdata"
#endif

namespace quantlens {

TestFolder::TestFolder() {
  std::string name = (fs::temp_directory_path() / "quantlens-dataset-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TestFolder::write(const std::string& name, std::string_view bytes) const {
  const fs::path file = path_ / name;
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return file.string();
}

Image test_image(int width, int height) {
  Image image{.width = width, .height = height, .channels = 3, .pixels = {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int edge = (x / 7 + y / 5) % 2 * 60;
      image.pixels.push_back(static_cast<std::uint8_t>((x * 3 + edge) % 256));
      image.pixels.push_back(static_cast<std::uint8_t>((y * 2 + x) % 256));
      image.pixels.push_back(static_cast<std::uint8_t>(200 - y % 100 + edge / 4));
    }
  }
  return image;
}

std::string jpeg_file(const Image& image) {
  const std::unique_ptr<void, int (*)(void*)> handle(tjInitCompress(), tjDestroy);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  const bool gray = image.channels == 1;
  tjCompress2(handle.get(), image.pixels.data(), image.width, 0, image.height,
              gray ? TJPF_GRAY : TJPF_RGB, &bytes, &size, gray ? TJSAMP_GRAY : TJSAMP_444, 100, 0);
  std::string file(reinterpret_cast<const char*>(bytes), size);
  tjFree(bytes);
  return file;
}

std::string png_file(const Image& image) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = image.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  png_image_write_to_memory(&png, nullptr, &size, 0, image.pixels.data(), 0, nullptr);
  std::string file(size, '\0');
  png_image_write_to_memory(&png, file.data(), &size, 0, image.pixels.data(), 0, nullptr);
  file.resize(size);
  return file;
}

std::string zip_file(const std::vector<std::pair<std::string, std::string>>& members,
                     Packing packing) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, &error);
  zip_source_keep(target);
  zip_t* archive = zip_open_from_source(target, ZIP_TRUNCATE, &error);
  for (const auto& [name, bytes] : members) {
    zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    const zip_int64_t index = zip_file_add(archive, name.c_str(), source, 0);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index),
                             packing == Packing::stored ? ZIP_CM_STORE : ZIP_CM_DEFLATE, 0);
    constexpr zip_uint16_t kFirstOf1980 = 0x21;  // equal members, equal bytes, whatever the time
    zip_file_set_dostime(archive, static_cast<zip_uint64_t>(index), 0, kFirstOf1980, 0);
  }
  if (zip_close(archive) != 0) throw std::runtime_error("cannot write a zip archive");
  zip_stat_t stat;
  zip_source_stat(target, &stat);
  std::string file(stat.size, '\0');
  zip_source_open(target);
  zip_source_read(target, file.data(), file.size());
  zip_source_close(target);
  zip_source_free(target);
  return file;
}

std::string npz_file(const std::vector<std::pair<std::string, Tensor>>& arrays, Packing packing) {
  std::vector<std::pair<std::string, std::string>> members;
  members.reserve(arrays.size());
  for (const auto& [name, tensor] : arrays) members.emplace_back(name + ".npy", write_npy(tensor));
  return zip_file(members, packing);
}

std::string record_file(const std::vector<std::string>& records) {
  const auto number = [](std::uint64_t value, std::size_t bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes; ++i)
      text.push_back(static_cast<char>(value >> (8 * i) & 0xFFU));
    return text;
  };
  std::string file;
  for (const std::string& record : records) {
    const std::string length = number(record.size(), 8);
    for (const std::string& part :
         {length, number(masked_crc32c(length), 4), record, number(masked_crc32c(record), 4)})
      file += part;
  }
  return file;
}

std::string example_of(const std::vector<std::pair<std::string, std::string>>& texts,
                       const std::vector<std::pair<std::string, std::int64_t>>& integers) {
  std::string features;
  const auto add = [&](const std::string& name, protozero::pbf_tag_type kind,
                       const std::string& list) {
    std::string entry, feature;
    protozero::pbf_writer(feature).add_message(kind, list);
    protozero::pbf_writer writer(entry);
    writer.add_string(1, name);
    writer.add_message(2, feature);
    protozero::pbf_writer(features).add_message(1, entry);
  };
  for (const auto& [name, text] : texts) {
    std::string list;
    protozero::pbf_writer(list).add_bytes(1, text);
    add(name, 1, list);
  }
  for (const auto& [name, value] : integers) {
    std::string list;
    protozero::pbf_writer(list).add_packed_int64(1, &value, &value + 1);
    add(name, 3, list);
  }
  std::string example;
  protozero::pbf_writer(example).add_message(1, features);
  return example;
}

std::string sentence(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    constexpr const char* kNames[] = {"failed",      "usage", "bad_input",  "not_found",
                                      "unsupported", "io",    "interrupted"};
    return fmt::format("{}: {}", kNames[static_cast<std::size_t>(error.code())], error.what());
  }
  return "";
}

std::optional<fs::path> testdata_folder() {
  const char* named = std::getenv("QUANTLENS_TESTDATA");
  const fs::path folder = named != nullptr ? named : QUANTLENS_TESTDATA_DIR;
  std::error_code absent;
  if (!fs::is_directory(folder, absent)) return std::nullopt;
  return folder;
}

}  // namespace quantlens
