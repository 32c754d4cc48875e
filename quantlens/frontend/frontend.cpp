// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/frontend.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/annotations.h"
#include "quantlens/frontend/onnx/annotate.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/frontend/onnx/upgrade.h"

namespace quantlens::frontend {
namespace {

struct Format {
  std::string_view name;
  bool (*match)(Bytes bytes, const fs::path& path);
  Model (*read)(const fs::path& path, MappedFile file);
  std::set<std::string> (*named_in)(const fs::path& path, std::string_view text);
  Upgraded (*upgrade)(Model model);
  Model (*edited)(const Model& model, const Plan& plan,
                  const std::map<std::string, std::string>& metadata);
  std::vector<fs::path> (*files_of)(const Model& model);
  std::vector<std::string> (*apply)(const Model& model, const Plan& plan,
                                    const std::map<std::string, std::string>& metadata,
                                    Store& store, const fs::path& path);
  void (*write_patched)(const Model& model, const Patch& patch, Store& store, const fs::path& path);
  void (*write_annotated)(const fs::path& model, const MappedFile& file, const Annotations& notes,
                          Store& store, const fs::path& path);
};

constexpr Format kFormats[] = {
    {"onnx", onnx::match, onnx::read, onnx::locations_in, onnx::upgrade, onnx::edited,
     onnx::files_of, onnx::apply, onnx::write_patched, onnx::write_annotated},
};

/// What people hand in by mistake, by the bytes at a place near the beginning of the file.
struct Stranger {
  std::size_t offset;
  std::string_view magic;
  std::string_view sentence;
};

constexpr Stranger kStrangers[] = {
    {0, "version https://git-lfs",
     "it is a Git LFS pointer; fetch the file itself with git lfs pull"},
    {0, "\x93NUMPY",
     "it is a NumPy array, which holds samples; give the model here and this as --data"},
    {0, "PK\x03\x04",
     "it is a ZIP archive, as PyTorch and Keras write them; export the model to ONNX"},
    {0, "\x89HDF", "it is an HDF5 file, as Keras writes them; export the model to ONNX"},
    {4, "TFL3", "it is a TensorFlow Lite file; export the original model to ONNX"},
    {4, "ORTM", "it is in ONNX Runtime's own format; give the .onnx file that it was made from"},
    {0, "\xFF\xD8\xFF", "it is a JPEG image; give an .onnx file"},
    {0, "\x89PNG", "it is a PNG image; give an .onnx file"},
    {0, "<", "it looks like a web page or XML; give an .onnx file"},
};

/// A ZIP archive whose first entry is an array.
bool is_npz(std::string_view text) {
  constexpr std::size_t kNameSize = 26;
  constexpr std::size_t kName = 30;
  if (!text.starts_with("PK\x03\x04") || text.size() < kName) return false;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const std::size_t size = byte(kNameSize) + 256u * byte(kNameSize + 1);
  return text.substr(kName, size).ends_with(".npy");
}

/// A GraphDef begins with a node (field 1), which begins with its name (1) and its op (2); an ONNX
/// model begins with a number.
bool is_graph_def(std::string_view text) {
  constexpr std::string_view kText = "\x0a";
  if (!text.starts_with(kText)) return false;
  std::size_t at = 1;
  while (at < text.size() && at < 6 && (static_cast<unsigned char>(text[at]) & 0x80U) != 0) ++at;
  if (++at + 2 > text.size() || text.substr(at, 1) != kText) return false;
  const std::size_t name = static_cast<unsigned char>(text[at + 1]);
  return name < 0x80 && text.substr(std::min(text.size(), at + 2 + name)).starts_with("\x12");
}

/// What the bytes are where they are surely no model.
std::string_view problem_of(std::string_view text) {
  if (text.empty()) return "it is empty; re-export or re-download it";
  if (is_npz(text)) {
    return "it is an .npz archive of arrays, which holds samples; give the model here and this as "
           "--data";
  }
  if (is_graph_def(text)) {
    return "it is a frozen TensorFlow graph, which quantlens does not read yet; convert it: python "
           "-m tf2onnx.convert --graphdef FILE.pb --inputs NAME:0 --outputs NAME:0 --output "
           "FILE.onnx";
  }
  for (const Stranger& stranger : kStrangers) {
    if (text.size() > stranger.offset && text.substr(stranger.offset).starts_with(stranger.magic)) {
      return stranger.sentence;
    }
  }
  return {};
}

[[noreturn]] void fail(const fs::path& path, std::string_view problem) {
  throw Error(Errc::bad_input, fmt::format("{}: not a model that quantlens can read: {}",
                                           printable(path.string()), problem));
}

/// By content.
const Format& format_of(const fs::path& path, const MappedFile& file) {
  if (const std::string_view problem = problem_of(file.text()); !problem.empty()) {
    fail(path, problem);
  }
  for (const Format& format : kFormats) {
    if (format.match(file.bytes(), path)) return format;
  }
  fail(path, "its bytes are of no known format; give an .onnx file");
}

}  // namespace

Model read(const fs::path& path) {
  MappedFile file = MappedFile::open(path);
  const Format& format = format_of(path, file);
  return format.read(path, std::move(file));
}

std::vector<std::string> named_in(const fs::path& path) {
  const MappedFile file = MappedFile::open(path);
  const std::set<std::string> names = format_of(path, file).named_in(path, file.text());
  return {names.begin(), names.end()};
}

Model read_as(std::string_view format, const fs::path& path, MappedFile file) {
  for (const Format& one : kFormats) {
    if (one.name == format) return one.read(path, std::move(file));
  }
  throw Error(Errc::unsupported, fmt::format("{}: models of format '{}' cannot be read yet",
                                             printable(path.string()), printable(format)));
}

Upgraded upgrade(Model model) {
  for (const Format& format : kFormats) {
    if (format.name == model.format) return format.upgrade(std::move(model));
  }
  return {.model = std::move(model), .notes = {}};
}

Model edited(const Model& model, const Plan& plan,
             const std::map<std::string, std::string>& metadata) {
  for (const Format& format : kFormats) {
    if (format.name == model.format) return format.edited(model, plan, metadata);
  }
  throw Error(Errc::unsupported,
              fmt::format("{}: models of format '{}' cannot be edited yet",
                          printable(model.path.string()), printable(model.format)));
}

std::vector<fs::path> files_of(const Model& model) {
  for (const Format& format : kFormats) {
    if (format.name == model.format) return format.files_of(model);
  }
  return {model.path};
}

std::vector<fs::path> files_for(const fs::path& path) {
  return {path, onnx::data_path_of(path)};
}

std::vector<std::string> apply(const Model& model, const Plan& plan,
                               const std::map<std::string, std::string>& metadata, Store& store,
                               const fs::path& path) {
  for (const Format& format : kFormats) {
    if (format.name == model.format) return format.apply(model, plan, metadata, store, path);
  }
  throw Error(Errc::unsupported, fmt::format("{}: models of format '{}' cannot be written yet",
                                             printable(path.string()), printable(model.format)));
}

void write_patched(const Model& model, const Patch& patch, Store& store, const fs::path& path) {
  for (const Format& format : kFormats) {
    if (format.name == model.format) return format.write_patched(model, patch, store, path);
  }
  throw Error(Errc::unsupported, fmt::format("{}: models of format '{}' cannot be written yet",
                                             printable(path.string()), printable(model.format)));
}

void write_annotated(const fs::path& model, const MappedFile& file, const Annotations& notes,
                     Store& store, const fs::path& path) {
  format_of(model, file).write_annotated(model, file, notes, store, path);
}

}  // namespace quantlens::frontend
