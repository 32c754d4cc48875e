// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/frontend/onnx/plan_edit.h"
#include "quantlens/frontend/onnx/write.h"

namespace quantlens::onnx {
namespace {

constexpr std::uint64_t kLeastExternalBytes = 1024;  // smaller weights stay in the model file
constexpr std::uint64_t kPageBytes = 4096;           // large ones begin where they can be mapped
constexpr std::uint64_t kLineBytes = 64;
constexpr std::uint64_t kMostModelBytes = std::numeric_limits<std::int32_t>::max();  // of protobuf

/// The data file beside the model: what will be in it, and where.
class DataFile {
 public:
  explicit DataFile(std::string location) : location_(std::move(location)) {}

  bool is_empty() const { return parts_.empty(); }

  /// Bytes of the old data; those that two tensors share are written once.
  External add(Bytes bytes) {
    const auto [at, added] = known_.try_emplace({bytes.data(), bytes.size()});
    if (added) at->second = add(bytes.size(), [bytes](const Sink& sink) { sink(bytes); });
    return at->second;
  }

  External add(std::uint64_t size, std::function<void(const Sink&)> make) {
    const std::uint64_t unit = size >= kPageBytes ? kPageBytes : kLineBytes;
    size_ = (size_ + unit - 1) / unit * unit;
    External external{location_, size_, size};
    parts_.push_back({size_, std::move(make)});
    size_ += size;
    return external;
  }

  void emit(FileWriter& writer) const {
    const std::vector<std::byte> gap(kPageBytes);
    std::uint64_t at = 0;
    for (const Part& part : parts_) {
      writer.write(Bytes(gap).first(static_cast<std::size_t>(part.offset - at)));
      at = part.offset;
      part.make([&](Bytes bytes) {
        writer.write(bytes);
        at += bytes.size();
      });
    }
  }

 private:
  struct Part {
    std::uint64_t offset = 0;
    std::function<void(const Sink&)> make;
  };
  std::string location_;
  std::uint64_t size_ = 0;
  std::vector<Part> parts_;
  std::map<std::pair<const std::byte*, std::size_t>, External> known_;
};

/// Afterwards all its external data are open in `source`.
bool has_external_data(const Model& model, Source& source) {
  bool found = false;
  written(model, {}, {}, {}, [&](std::string_view tensor) -> Place {
    if (external_contents(source, tensor)) found = true;
    return Keep{};
  });
  return found;
}

/// The model file; all data that are or were external, and the new weights, go to `data`.
Pieces with_data_file(const Model& model, const PlanEdit& plan, Source& source, DataFile& data) {
  Additions additions;
  additions.weights = plan.weights;
  additions.place = [&](const NewWeight& weight) -> std::optional<External> {
    if (weight.dtype == DType::string) return std::nullopt;
    const std::uint64_t size = stored_bytes(weight.dtype, weight.shape);
    if (size < kLeastExternalBytes) return std::nullopt;
    return data.add(size, [make = weight.make](const Sink& sink) { write_elements(make(), sink); });
  };
  return written(model, plan.edit, {}, std::move(additions), [&](std::string_view tensor) -> Place {
    if (const std::optional<Bytes> bytes = external_contents(source, tensor)) {
      return data.add(*bytes);
    }
    return Keep{};
  });
}

Pieces without_data_file(const Model& model, const PlanEdit& plan) {
  Additions additions;
  additions.weights = plan.weights;
  return written(model, plan.edit, {}, std::move(additions), {});
}

}  // namespace

fs::path data_path_of(const fs::path& path) {
  fs::path data_path = path;
  return data_path += ".data";
}

std::vector<fs::path> files_of(const Model& model) {
  std::vector<fs::path> files{model.path};
  Source source = source_of(model);
  has_external_data(model, source);
  for (const auto& [location, file] : source.beside) {
    files.push_back(model.path.parent_path() / location);
  }
  return files;
}

std::vector<std::string> apply(const Model& model, const Plan& plan,
                               const std::map<std::string, std::string>& metadata, Store& store,
                               const fs::path& path) {
  PlanEdit edit = plan_edit(model, plan);
  edit.edit.metadata.insert(metadata.begin(), metadata.end());
  Source source = source_of(model);
  const fs::path data_path = data_path_of(path);
  DataFile data(data_path.filename().string());

  bool needs_data_file = has_external_data(model, source);
  Pieces file;
  if (!needs_data_file) {
    file = without_data_file(model, edit);
    needs_data_file = file.size() > kMostModelBytes;
  }
  if (needs_data_file) file = with_data_file(model, edit, source, data);

  // Both are complete before either is visible, and the one that the other needs is first.
  std::unique_ptr<FileWriter> data_writer;
  if (!data.is_empty()) {
    data_writer = store.create(data_path);
    data.emit(*data_writer);
  }
  const std::unique_ptr<FileWriter> writer = store.create(path);
  file.emit([&](Bytes bytes) { writer->write(bytes); });
  if (data_writer) data_writer->commit();
  writer->commit();
  return std::move(edit.notes);
}

Model edited(const Model& model, const Plan& plan,
             const std::map<std::string, std::string>& metadata) {
  Edit edit = edit_for(model, plan);
  for (const auto& [key, value] : metadata) edit.metadata[key] = value;
  // external data stay where they are: the new file is read as if it lay in the old one's place
  std::string bytes = written(model, edit, {}, {}, {}).str();
  return read(model.path, MappedFile::from_bytes(std::move(bytes)));
}

}  // namespace quantlens::onnx
