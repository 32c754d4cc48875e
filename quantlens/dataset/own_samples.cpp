// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/own_samples.h"

#include <utility>

#include <fmt/format.h>

#include "quantlens/base/text.h"
#include "quantlens/dataset/fit.h"

namespace quantlens {
namespace {

class FittedSamples final : public Dataset {
 public:
  FittedSamples(std::shared_ptr<const Dataset> samples, std::string name,
                std::vector<InputSpec> inputs)
      : samples_(std::move(samples)), name_(std::move(name)), inputs_(std::move(inputs)) {}

  std::uint64_t size() const override { return samples_->size(); }
  std::string name(std::uint64_t index) const override { return samples_->name(index); }
  bool has_labels() const override { return samples_->has_labels(); }
  std::string caveat() const override { return samples_->caveat(); }
  std::string fingerprint() const override { return samples_->fingerprint(); }
  void check_whole() const override { samples_->check_whole(); }

  Sample read(std::uint64_t index) const override {
    Sample sample = samples_->read(index);
    if (sample.label) sample.label = fit_label(*sample.label, index);
    if (inputs_.empty()) return sample;
    TensorMap fitted;
    for (const InputSpec& input : inputs_) fitted[input.name] = fit_input(input, sample, index);
    sample.inputs = std::move(fitted);
    return sample;
  }

 private:
  std::string where(std::uint64_t index) const {
    return fmt::format("{}: {}", printable(name_), printable(samples_->name(index)));
  }

  Tensor fit_input(const InputSpec& input, const Sample& sample, std::uint64_t index) const {
    auto found = sample.inputs.find(input.name);
    const bool is_only = inputs_.size() == 1 && sample.inputs.size() == 1;
    if (found == sample.inputs.end() && is_only) found = sample.inputs.begin();
    if (found == sample.inputs.end()) {
      throw Error(Errc::bad_input,
                  fmt::format("{}: has nothing for the model's input '{}'; give each sample a "
                              "tensor of that name",
                              where(index), printable(input.name)));
    }
    const Tensor& tensor = found->second;
    const std::optional<Shape> shape = fit_shape(tensor.shape(), input);
    if (!shape || !is_convertible(tensor.dtype(), input.dtype)) {
      throw Error(Errc::bad_input,
                  fmt::format("{}: is {} {} for the model's input '{}', which takes {}; give it so",
                              where(index), quantlens::name(tensor.dtype()),
                              to_string(tensor.shape()), printable(input.name), describe(input)));
    }
    const Tensor reshaped(tensor.dtype(), *shape, tensor.bytes(), tensor.owner());
    return convert(reshaped, input.dtype,
                   fmt::format("{}: '{}'", where(index), printable(input.name)));
  }

  Tensor fit_label(const Tensor& label, std::uint64_t index) const {
    LabelForm form = label_form(label.dtype(), label.shape());
    return convert(Tensor(label.dtype(), std::move(form.shape), label.bytes(), label.owner()),
                   form.dtype, where(index) + ": label");
  }

  std::shared_ptr<const Dataset> samples_;
  std::string name_;
  std::vector<InputSpec> inputs_;
};

}  // namespace

std::unique_ptr<Dataset> fit_samples(std::shared_ptr<const Dataset> samples, std::string name,
                                     std::vector<InputSpec> inputs) {
  auto fitted =
      std::make_unique<FittedSamples>(std::move(samples), std::move(name), std::move(inputs));
  if (fitted->size() > 0) fitted->read(0);
  return fitted;
}

}  // namespace quantlens
