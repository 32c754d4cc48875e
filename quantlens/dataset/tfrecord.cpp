// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/tfrecord.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/dataset/decode.h"
#include "quantlens/dataset/example.h"
#include "quantlens/dataset/records.h"

namespace quantlens {
namespace {

constexpr std::size_t kMostNames = 20;  // in a sentence

class RecordedDataset final : public Dataset {
 public:
  RecordedDataset(const RecordedImages& images, const InputSpec& input)
      : features_(images.features),
        caveat_(images.caveat),
        input_(input.name),
        transform_(images.steps, input, images.where) {
    for (const fs::path& file : images.files) {
      files_.push_back(
          {.records = Records(MappedFile::open(file), file.filename().string()), .begin = size_});
      size_ += files_.back().records.size();
    }
    check_first(images.where);
  }

  std::uint64_t size() const override { return size_; }
  bool has_labels() const override { return has_labels_; }
  std::string caveat() const override { return caveat_; }

  std::string name(std::uint64_t index) const override {
    const File& file = file_of(index);
    return file.records.name(index - file.begin);
  }

  std::string fingerprint() const override {
    std::string text = features_.image + '\n' + features_.label + '\n';
    for (const File& file : files_) text += file.records.fingerprint();
    return sha256_hex(text);
  }

  Sample read(std::uint64_t index) const override {
    const File& file = file_of(index);
    const std::string where = file.records.name(index - file.begin);
    const std::string_view example = file.records.read(index - file.begin);
    Sample sample;
    Image image = decode_image(as_bytes(image_in(example, where)), where);
    sample.inputs[input_] = transform_.apply(std::move(image), where);
    if (has_labels_) sample.label = Tensor::scalar(label_in(example, where));
    return sample;
  }

 private:
  struct File {
    Records records;
    std::uint64_t begin;  ///< number of its first record among those of all files
  };

  static Bytes as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

  const File& file_of(std::uint64_t index) const {
    if (index >= size_) {
      throw Error(Errc::not_found,
                  fmt::format("there is no record {}, only {} of them", index, size_));
    }
    return *std::prev(std::ranges::upper_bound(files_, index, {}, &File::begin));
  }

  /// What the first record does not have is told before anything is run.
  void check_first(std::string_view where) {
    const std::string name = files_.front().records.name(0);
    const std::string_view example = files_.front().records.read(0);
    if (!find_feature(example, features_.image, name))
      refuse_names(where, features_.image, "image", example, name);
    const std::optional<Feature> label = find_feature(example, features_.label, name);
    has_labels_ = label && !(label->integers.empty() && label->bytes.empty() && !label->is_real);
    if (has_labels_) {
      label_in(example, name);
    } else if (features_.is_label_needed) {
      refuse_names(where, features_.label, "label", example, name);
    }
  }

  [[noreturn]] static void refuse_names(std::string_view where, std::string_view feature,
                                        std::string_view key, std::string_view example,
                                        std::string_view record) {
    std::vector<std::string> names;
    for (const std::string_view one : feature_names(example, record))
      if (names.size() < kMostNames) names.push_back(printable(one));
    throw Error(Errc::bad_input,
                fmt::format("{}: {} has no feature '{}'; name another one under tfrecord.{}; it "
                            "has: {}",
                            printable(where), printable(record), printable(feature), key,
                            names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }

  std::string_view image_in(std::string_view example, std::string_view where) const {
    const std::optional<Feature> image = find_feature(example, features_.image, where);
    if (image && image->bytes.size() == 1) return image->bytes.front();
    throw Error(Errc::bad_input, fmt::format("{}: its feature '{}' is not the bytes of one image",
                                             printable(where), printable(features_.image)));
  }

  std::int64_t label_in(std::string_view example, std::string_view where) const {
    const std::optional<Feature> label = find_feature(example, features_.label, where);
    if (label && label->integers.size() == 1) return label->integers.front();
    throw Error(Errc::bad_input, fmt::format("{}: its feature '{}' is not one integer",
                                             printable(where), printable(features_.label)));
  }

  ImageFeatures features_;
  std::string caveat_;
  std::string input_;
  ImageTransform transform_;
  std::vector<File> files_;
  std::uint64_t size_ = 0;
  bool has_labels_ = false;
};

}  // namespace

std::unique_ptr<Dataset> open_tfrecord(const RecordedImages& images, const InputSpec& input) {
  return std::make_unique<RecordedDataset>(images, input);
}

}  // namespace quantlens
