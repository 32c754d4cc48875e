// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/frontend.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/annotations.h"
#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/onnx/annotate.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/frontend/onnx/upgrade.h"

namespace quantlens::frontend {
namespace {

/// What is null, quantlens does not do with models of the format.
struct Format {
  std::string_view name;
  bool (*match)(Bytes bytes, const fs::path& path);
  Model (*read)(const fs::path& path, MappedFile file);
  std::set<std::string> (*named_in)(const fs::path& path, std::string_view text) = nullptr;
  Upgraded (*upgrade)(Model model) = nullptr;
  Model (*edited)(const Model& model, const Plan& plan,
                  const std::map<std::string, std::string>& metadata) = nullptr;
  std::vector<fs::path> (*files_of)(const Model& model) = nullptr;
  std::vector<std::string> (*apply)(const Model& model, const Plan& plan,
                                    const std::map<std::string, std::string>& metadata,
                                    Store& store, const fs::path& path) = nullptr;
  void (*write_patched)(const Model& model, const Patch& patch, Store& store,
                        const fs::path& path) = nullptr;
  void (*write_annotated)(const fs::path& model, const MappedFile& file, const Annotations& notes,
                          Store& store, const fs::path& path) = nullptr;
};

constexpr Format kFormats[] = {
    {.name = "graphdef",
     .match = graphdef::match,
     .read = graphdef::read,
     .edited = graphdef::edited,
     .apply = graphdef::apply,
     .write_patched = graphdef::write_patched},
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
    {0, "PK\x03\x04", "it is a ZIP archive, as PyTorch writes them; export the model to ONNX"},
    {0, "\x89HDF",
     "it is an HDF5 file, as Keras writes them; give it to a verb that runs models, or write a "
     "SavedModel by model.export(\"FOLDER\")"},
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

/// What the bytes are where they are surely no model.
std::string problem_of(std::string_view text) {
  if (text.empty()) return "it is empty; re-export or re-download it";
  if (const auto problem = graphdef::problem_of(text); !problem.empty())
    return fmt::format("it is {}", problem);
  if (is_npz(text)) {
    return "it is an .npz archive of arrays, which holds samples; give the model here and this as "
           "--data";
  }
  for (const Stranger& stranger : kStrangers) {
    if (text.size() > stranger.offset && text.substr(stranger.offset).starts_with(stranger.magic)) {
      return std::string(stranger.sentence);
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
  if (const std::string problem = problem_of(file.text()); !problem.empty()) {
    fail(path, problem);
  }
  for (const Format& format : kFormats) {
    if (format.match(file.bytes(), path)) return format;
  }
  fail(path, "its bytes are of no known format; give an .onnx file, or a frozen TensorFlow .pb");
}

const Format* find_format(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &Format::name);
  return found == std::end(kFormats) ? nullptr : found;
}

/// The format's own function; throws where it has none. `done`: what messages say is not done.
template <class Verb>
Verb verb_of(std::string_view format, Verb Format::*verb, const fs::path& path,
             std::string_view done) {
  const Format* found = find_format(format);
  if (found != nullptr && found->*verb != nullptr) return found->*verb;
  throw Error(Errc::unsupported, fmt::format("{}: models of format '{}' cannot be {} yet",
                                             printable(path.string()), printable(format), done));
}

}  // namespace

Model read(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    if (const auto problem = graphdef::problem_of_folder(path); !problem.empty())
      fail(path, fmt::format("it is {}", problem));
  }
  MappedFile file = MappedFile::open(path);
  const Format& format = format_of(path, file);
  return format.read(path, std::move(file));
}

std::vector<std::string> named_in(const fs::path& path) {
  const MappedFile file = MappedFile::open(path);
  const Format& format = format_of(path, file);
  if (format.named_in == nullptr) return {};
  const std::set<std::string> names = format.named_in(path, file.text());
  return {names.begin(), names.end()};
}

Model read_as(std::string_view format, const fs::path& path, MappedFile file) {
  return verb_of(format, &Format::read, path, "read")(path, std::move(file));
}

Upgraded upgrade(Model model) {
  const Format* format = find_format(model.format);
  if (format != nullptr && format->upgrade != nullptr) return format->upgrade(std::move(model));
  return {.model = std::move(model), .notes = {}};
}

Model edited(const Model& model, const Plan& plan,
             const std::map<std::string, std::string>& metadata) {
  return verb_of(model.format, &Format::edited, model.path, "edited")(model, plan, metadata);
}

std::vector<fs::path> files_of(const Model& model) {
  const Format* format = find_format(model.format);
  if (format != nullptr && format->files_of != nullptr) return format->files_of(model);
  return {model.path};
}

std::vector<fs::path> files_for(const fs::path& path) {
  return {path, onnx::data_path_of(path)};
}

std::vector<std::string> apply(const Model& model, const Plan& plan,
                               const std::map<std::string, std::string>& metadata, Store& store,
                               const fs::path& path) {
  const auto apply = verb_of(model.format, &Format::apply, path, "written");
  return apply(model, plan, metadata, store, path);
}

void write_patched(const Model& model, const Patch& patch, Store& store, const fs::path& path) {
  verb_of(model.format, &Format::write_patched, path, "written")(model, patch, store, path);
}

void write_annotated(const fs::path& model, const MappedFile& file, const Annotations& notes,
                     Store& store, const fs::path& path) {
  const Format& format = format_of(model, file);
  const auto write = verb_of(format.name, &Format::write_annotated, model, "written");
  write(model, file, notes, store, path);
}

}  // namespace quantlens::frontend
