// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/open.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/crc32c.h"
#include "quantlens/base/error.h"
#include "quantlens/base/store.h"
#include "quantlens/base/text.h"
#include "quantlens/dataset/decode.h"
#include "quantlens/dataset/document.h"
#include "quantlens/dataset/images.h"
#include "quantlens/dataset/npz.h"
#include "quantlens/dataset/own_samples.h"
#include "quantlens/dataset/records.h"
#include "quantlens/dataset/synthetic.h"
#include "quantlens/dataset/tfrecord.h"

namespace quantlens {
namespace {

/// The first `size` samples of another data set.
class Limited final : public Dataset {
 public:
  Limited(std::unique_ptr<Dataset> all, std::uint64_t size) : all_(std::move(all)), size_(size) {}
  std::uint64_t size() const override { return size_; }
  Sample read(std::uint64_t index) const override { return all_->read(index); }
  std::string name(std::uint64_t index) const override { return all_->name(index); }
  bool has_labels() const override { return all_->has_labels(); }
  std::string caveat() const override { return all_->caveat(); }
  std::string fingerprint() const override { return all_->fingerprint(); }
  void check_whole() const override { all_->check_whole(); }

 private:
  std::unique_ptr<Dataset> all_;
  std::uint64_t size_;
};

/// What the command line handed over.
struct Request {
  const std::string& data;
  const std::vector<InputSpec>& inputs;
  const DataOptions& options;
};

std::string listed(const std::vector<InputSpec>& inputs) {
  std::string text;
  for (const InputSpec& input : inputs) {
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", printable(input.name));
  }
  return text;
}

/// The one input that images or a .npy file are for.
InputSpec only_input(const Request& request, const std::optional<std::string>& named) {
  const std::vector<InputSpec>& inputs = request.inputs;
  if (inputs.empty()) return {.name = named.value_or(""), .dtype = DType::float32, .shape = {}};
  if (!named && inputs.size() == 1) return inputs.front();
  if (!named) {
    throw Error(Errc::bad_input,
                fmt::format("{}: the model has the inputs {}; save an array for each in a .npz "
                            "file",
                            printable(request.data), listed(inputs)));
  }
  const auto found = std::ranges::find(inputs, *named, &InputSpec::name);
  if (found == inputs.end()) {
    throw Error(Errc::usage,
                fmt::format("{}: input: the model has no input '{}', only {}",
                            printable(request.data), printable(*named), listed(inputs)));
  }
  if (inputs.size() > 1) {
    throw Error(Errc::bad_input,
                fmt::format("{}: feeds '{}' only, but the model has the inputs {}; save an array "
                            "for each in a .npz file",
                            printable(request.data), printable(*named), listed(inputs)));
  }
  return *found;
}

/// A path as written in a document: relative to the document's own folder.
fs::path beside(const std::string& document, const std::string& path) {
  return fs::path(document).parent_path() / path;
}

/// Its batch size is still to be chosen.
OpenedData opened(std::unique_ptr<Dataset> dataset, std::vector<fs::path> files,
                  fs::path folder = {}) {
  return {.dataset = std::move(dataset),
          .batch_size = 0,
          .files = std::move(files),
          .folder = std::move(folder)};
}

OpenedData open_source(const ImagesSource& source, const DataDocument& document,
                       const Request& request) {
  ImageFolder images{.folder = beside(request.data, source.folder),
                     .labels = {},
                     .steps = source.steps,
                     .where = request.data,
                     .caveat = {}};
  std::vector<fs::path> files;
  if (!source.labels.empty()) {
    images.labels = beside(request.data, source.labels);
    files.push_back(images.labels);
  }
  return opened(open_images(images, only_input(request, document.input)), std::move(files),
                images.folder);
}

OpenedData open_records(const RecordedImages& images, const InputSpec& input) {
  OpenedData data = opened(open_tfrecord(images, input), {});
  data.sample_files = images.files;
  return data;
}

OpenedData open_source(const TfrecordSource& source, const DataDocument& document,
                       const Request& request) {
  return open_records({.files = files_of(beside(request.data, source.files)),
                       .features = source.features,
                       .steps = source.steps,
                       .where = request.data,
                       .caveat = {}},
                      only_input(request, document.input));
}

OpenedData open_source(const NpzSource& source, const DataDocument&, const Request& request) {
  const fs::path path = beside(request.data, source.file);
  const std::string where = path.string();
  return opened(open_npz(MappedFile::open(path), source.roles, request.inputs,
                         {.where = where, .unpack_ahead = request.options.unpack_ahead}),
                {path});
}

OpenedData open_source(const NpySource& source, const DataDocument& document,
                       const Request& request) {
  const fs::path path = beside(request.data, source.file);
  NpyFiles files{
      .samples = MappedFile::open(path), .where = path.string(), .labels = {}, .labels_where = {}};
  std::vector<fs::path> read{path};
  if (!source.labels.empty()) {
    const fs::path labels = beside(request.data, source.labels);
    files.labels = MappedFile::open(labels);
    files.labels_where = labels.string();
    read.push_back(labels);
  }
  return opened(open_npy(files, request.inputs, only_input(request, document.input).name),
                std::move(read));
}

OpenedData open_source(const RandomSource& source, const DataDocument&, const Request& request) {
  const RandomOptions defaults;
  return opened(make_random_dataset(
                    {.count = source.count.value_or(request.options.limit.value_or(defaults.count)),
                     .seed = source.seed.value_or(request.options.seed),
                     .shapes = source.shapes},
                    request.inputs, request.data),
                {});
}

struct AssumedSteps {
  ImageSteps steps;
  std::string caveat;
};

/// A bare folder or file says nothing of how its images are prepared. They are brought to the
/// model's size, which is needed to run at all, and fed as they are; the caveat says so.
AssumedSteps assumed_steps(const InputSpec& input) {
  ImageSteps steps;
  std::string sizing;
  if (const std::optional<ImageSize> size = image_size(input)) {
    steps.resize_short = std::max(size->height, size->width);
    steps.crop = size;
    sizing = fmt::format(", scaled and cropped to {}x{}", size->width, size->height);
  }
  return {.steps = std::move(steps),
          .caveat = fmt::format("The images are fed as pixel values 0 to 255{}, since no data "
                                "document says how the model wants them; write one (docs/data.md) "
                                "if that is not so.",
                                sizing)};
}

OpenedData open_folder(const Request& request) {
  const InputSpec input = only_input(request, std::nullopt);
  AssumedSteps assumed = assumed_steps(input);
  return opened(open_images({.folder = request.data,
                             .labels = {},
                             .steps = std::move(assumed.steps),
                             .where = request.data,
                             .caveat = std::move(assumed.caveat)},
                            input),
                {}, request.data);
}

OpenedData open_record_file(const Request& request) {
  const InputSpec input = only_input(request, std::nullopt);
  AssumedSteps assumed = assumed_steps(input);
  return open_records({.files = {request.data},
                       .features = {},
                       .steps = std::move(assumed.steps),
                       .where = request.data,
                       .caveat = std::move(assumed.caveat)},
                      input);
}

OpenedData open_document(const MappedFile& file, const Request& request) {
  const DataDocument document = parse_data_document(file.text(), request.data);
  OpenedData opened = std::visit(
      [&](const auto& source) { return open_source(source, document, request); }, document.source);
  opened.files.insert(opened.files.begin(), request.data);
  opened.batch_size = document.batch_size.value_or(0);
  const std::uint64_t limit = document.limit.value_or(opened.dataset->size());
  if (limit < opened.dataset->size()) {
    opened.dataset = std::make_unique<Limited>(std::move(opened.dataset), limit);
  }
  return opened;
}

bool is_text(std::string_view bytes) {
  return std::ranges::none_of(bytes.substr(0, 4096), [](char c) {
    return (c >= 0 && c < ' ' && c != '\n' && c != '\r' && c != '\t') || c == 0x7F;
  });
}

OpenedData open_file(const Request& request) {
  using namespace std::string_view_literals;
  const MappedFile file = MappedFile::open(request.data);
  const std::string_view text = file.text();
  if (text.starts_with("PK\x03\x04"sv) || text.starts_with("PK\x05\x06"sv)) {
    return opened(open_npz(file, {}, request.inputs,
                           {.where = request.data, .unpack_ahead = request.options.unpack_ahead}),
                  {request.data});
  }
  if (text.starts_with("\x93NUMPY"sv)) {
    return opened(
        open_npy({.samples = file, .where = request.data, .labels = {}, .labels_where = {}},
                 request.inputs, only_input(request, std::nullopt).name),
        {request.data});
  }
  if (const auto format = image_format(file.bytes()); format && !text.starts_with("BM")) {
    throw Error(Errc::bad_input, fmt::format("{}: is a single {} image; give its folder",
                                             printable(request.data), *format));
  }
  if (begin_with_record(text)) return open_record_file(request);
  if (text.empty() || !is_text(text)) {
    throw Error(
        Errc::bad_input,
        fmt::format("{}: is neither a .npz, .npy or TFRecord file, a folder of images, nor a "
                    "YAML or JSON data document (docs/data.md)",
                    printable(request.data)));
  }
  return open_document(file, request);
}

/// Models of a fixed batch size take that one only.
std::uint64_t choose_batch_size(std::uint64_t document, const Request& request) {
  std::uint64_t wanted = request.options.batch_size.value_or(document);
  for (const InputSpec& input : request.inputs) {
    if (input.shape.empty() || input.shape.front() <= 0) continue;
    const auto fixed = static_cast<std::uint64_t>(input.shape.front());
    if (wanted == 0) wanted = fixed;
    if (wanted == fixed) continue;
    throw Error(Errc::usage,
                fmt::format("{}: a batch size of {} does not suit the model: its input '{}' takes "
                            "batches of exactly {}; leave batch_size out",
                            printable(request.data), wanted, printable(input.name), fixed));
  }
  return std::max<std::uint64_t>(wanted, 1);
}

OpenedData as_asked(OpenedData opened, const Request& request) {
  opened.batch_size = choose_batch_size(opened.batch_size, request);
  const std::optional<std::uint64_t> limit = request.options.limit;
  if (limit && *limit < opened.dataset->size()) {
    opened.dataset = std::make_unique<Limited>(std::move(opened.dataset), *limit);
  }
  return opened;
}

}  // namespace

OpenedData open_data(const std::string& data, const std::vector<InputSpec>& inputs,
                     const DataOptions& options) {
  const Request request{data, inputs, options};
  const auto open = [&] {
    std::error_code absent;
    if (data == "random") return open_source(RandomSource{}, DataDocument{}, request);
    return fs::is_directory(data, absent) ? open_folder(request) : open_file(request);
  };
  return as_asked(open(), request);
}

OpenedData open_samples(std::shared_ptr<const Dataset> samples, const std::string& name,
                        const std::vector<InputSpec>& inputs, const DataOptions& options) {
  return as_asked(opened(fit_samples(std::move(samples), name, inputs), {}),
                  {.data = name, .inputs = inputs, .options = options});
}

}  // namespace quantlens
