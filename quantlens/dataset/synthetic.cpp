// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/synthetic.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/dataset/fit.h"

namespace quantlens {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 31U;

/// Steele, Lea and Flood's SplitMix64: the standard library's generators give the same bits
/// everywhere, but its distributions do not.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : state_(seed) {
    state_ = next() ^ stream;
    state_ = next();
  }
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

 private:
  std::uint64_t state_;
};

Tensor random_words(Random& random, const Shape& shape, std::size_t count) {
  constexpr unsigned kLetters = 4;
  std::vector<std::string> words(count);
  for (std::string& word : words) {
    for (unsigned i = 0; i < kLetters; ++i) {
      word += static_cast<char>('a' + static_cast<char>(random.next() % 26));
    }
  }
  return Tensor::from_strings(shape, std::move(words));
}

Tensor random_tensor(Random& random, DType dtype, const Shape& shape) {
  const auto count = static_cast<std::size_t>(*element_count(shape));
  if (dtype == DType::string) return random_words(random, shape, count);
  if (!is_float(dtype)) {
    std::vector<std::uint8_t> bits(count);
    for (std::uint8_t& bit : bits) bit = static_cast<std::uint8_t>(random.next() >> 63U);
    return convert(Tensor::from(shape, std::move(bits)), dtype, "random data");
  }
  std::vector<float> values(count);
  for (float& value : values) {
    const auto steps = static_cast<std::int32_t>(random.next() >> 40U) - (1 << 23);  // 24 bits
    value = static_cast<float>(steps) / static_cast<float>(1 << 23);
  }
  return convert(Tensor::from(shape, std::move(values)), dtype, "random data");
}

struct RandomInput {
  std::string name;
  DType dtype;
  Shape shape;
};

class RandomDataset final : public Dataset {
 public:
  RandomDataset(const RandomOptions& options, std::vector<RandomInput> inputs)
      : count_(options.count), seed_(options.seed), inputs_(std::move(inputs)) {}

  std::uint64_t size() const override { return count_; }
  std::string name(std::uint64_t index) const override {
    return fmt::format("random sample {}", index);
  }
  bool has_labels() const override { return false; }
  std::string caveat() const override {
    return "The data are random numbers: times and shapes mean something, ranges, errors and "
           "accuracy do not.";
  }

  Sample read(std::uint64_t index) const override {
    if (index >= count_) {
      throw Error(Errc::not_found,
                  fmt::format("there is no random sample {}, only {} of them", index, count_));
    }
    Random random(seed_, index);
    Sample sample;
    for (const RandomInput& input : inputs_) {
      sample.inputs[input.name] = random_tensor(random, input.dtype, input.shape);
    }
    return sample;
  }

 private:
  std::uint64_t count_;
  std::uint64_t seed_;
  std::vector<RandomInput> inputs_;
};

/// "EXTENT, 512, EXTENT": what a person has to write for one sample.
std::string extents_to_fill(const InputSpec& input) {
  std::vector<std::string> extents;
  for (std::size_t i = 1; i < input.shape.size(); ++i) {
    extents.push_back(input.shape[i] < 0 ? "EXTENT" : std::to_string(input.shape[i]));
  }
  return extents.empty() ? "EXTENTS" : fmt::format("{}", fmt::join(extents, ", "));
}

/// The shape of one sample: from the options, else the model's.
Shape sample_shape(const RandomOptions& options, const InputSpec& input, std::string_view where) {
  const auto given = options.shapes.find(input.name);
  if (given != options.shapes.end()) {
    const std::optional<Shape> shape = fit_shape(given->second, input);
    if (shape) return *shape;
    throw Error(Errc::bad_input,
                fmt::format("{}: random.shapes gives '{}' the shape {}, but the model "
                            "takes {}",
                            printable(where), printable(input.name), to_string(given->second),
                            describe(input)));
  }
  const bool known =
      !input.shape.empty() && std::all_of(input.shape.begin() + 1, input.shape.end(),
                                          [](std::int64_t extent) { return extent >= 0; });
  if (known) return {input.shape.begin() + 1, input.shape.end()};
  throw Error(
      Errc::bad_input,
      fmt::format("{}: the model leaves the shape of its input '{}' open ({}); write a data "
                  "document with a number for each extent, and so for the other inputs: random: "
                  "{{shapes: {{{}: [{}]}}}}",
                  printable(where), printable(input.name), describe(input), printable(input.name),
                  extents_to_fill(input)));
}

}  // namespace

std::unique_ptr<Dataset> make_random_dataset(const RandomOptions& options,
                                             const std::vector<InputSpec>& inputs,
                                             std::string_view where) {
  std::vector<std::string> names;
  std::vector<RandomInput> random_inputs;
  for (const InputSpec& input : inputs) {
    names.push_back(input.name);
    const Shape shape = sample_shape(options, input, where);
    if (element_count(shape).value_or(kMostElements) >= kMostElements) {
      throw Error(Errc::bad_input,
                  fmt::format("{}: one sample of the input '{}' would have the shape {}; ask for "
                              "a smaller one",
                              printable(where), printable(input.name), to_string(shape)));
    }
    random_inputs.push_back({input.name, input.dtype, shape});
  }
  for (const auto& [name, shape] : options.shapes) {
    if (std::ranges::find(names, name) != names.end()) continue;
    const std::string near = did_you_mean(name, names);
    throw Error(Errc::usage,
                fmt::format("{}: random.shapes: the model has no input '{}'; {}", printable(where),
                            printable(name),
                            near.empty() ? "quantlens inspect MODEL names its inputs" : near));
  }
  return std::make_unique<RandomDataset>(options, std::move(random_inputs));
}

}  // namespace quantlens
