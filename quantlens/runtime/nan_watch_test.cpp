// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/nan_watch.h"

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/runtime/feed.h"

namespace quantlens {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// One number a sample.
class Given final : public Dataset {
 public:
  explicit Given(std::vector<float> values) : values_(std::move(values)) {}
  std::uint64_t size() const override { return values_.size(); }
  Sample read(std::uint64_t index) const override {
    Sample sample;
    sample.inputs["x"] = Tensor::from<float>({1}, {values_[index]});
    return sample;
  }
  std::string name(std::uint64_t index) const override { return "row " + std::to_string(index); }
  bool has_labels() const override { return false; }

 private:
  std::vector<float> values_;
};

/// x - x: NaN of infinities, too.
class Difference final : public Run {
 public:
  Outputs step(const Batch& batch) override {
    std::vector<float> values;
    for (const float x : batch.inputs.at("x").data<float>()) values.push_back(x - x);
    Outputs outputs;
    outputs.reference["y"] = Tensor::from<float>({std::ssize(values), 1}, values);
    return outputs;
  }
  TapState take() override { return {}; }
  const std::vector<NotTapped>& not_tapped() const override { return none_; }

 private:
  std::vector<NotTapped> none_;
};

struct Notes final : Progress {
  void begin(std::string_view, std::optional<std::uint64_t>) override {}
  void advance(std::uint64_t) override {}
  void end() override {}
  void note(std::string_view sentence) override { all.emplace_back(sentence); }
  std::vector<std::string> all;
};

/// What a pass over these samples notes; the sentence of an error last.
std::vector<std::string> told(const std::vector<float>& values, std::uint64_t batch_size) {
  const Given data(values);
  BatchReader reader(data, {.batch_size = batch_size}, "x");
  Difference run;
  Notes notes;
  try {
    feed(run, reader, notes, "run");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    notes.all.emplace_back(error.what());
  }
  return notes.all;
}

TEST(NanWatch, TheFirstSampleOfNanIsNamedWithItsInput) {
  for (const std::uint64_t batch_size : {1, 3}) {
    EXPECT_THAT(told({1, 2, kNan, 4, kNan, 6}, batch_size),
                ElementsAre(AllOf(HasSubstr("input 'x' holds NaN in sample 2 (row 2)")),
                            HasSubstr("outputs are all NaN for sample 2 (row 2)")));
  }
  EXPECT_THAT(told({1, 2, 3}, 2), IsEmpty());
}

TEST(NanWatch, ASampleOfInfinitiesIsToldOnlyWhereItsAnswerIsNan) {
  EXPECT_THAT(told({1, -kInfinity, 3}, 2),
              ElementsAre(HasSubstr("outputs are all NaN for sample 1 (row 1)")));
  Batch mask{.samples = {0}, .inputs = {}, .labels = {}};
  mask.inputs["mask"] = Tensor::from<float>({1, 2}, {-kInfinity, 0});
  const FoundNan found = find_nan(mask, {{"y", Tensor::from<float>({1, 2}, {kNan, 1})}});
  EXPECT_THAT(found.inputs, IsEmpty());
  EXPECT_THAT(found.answers, IsEmpty()) << "one of its numbers is a number";
}

TEST(NanWatch, InputsAndAnswersOfNanAloneEndThePass) {
  EXPECT_THAT(told({kNan, kNan}, 1).back(),
              AllOf(HasSubstr("input 'x' is NaN and nothing else in each of 2 samples"),
                    HasSubstr("mend the data")));
  EXPECT_THAT(told({kInfinity, kNan}, 2).back(),
              AllOf(HasSubstr("outputs are all NaN for each of 2 samples"), HasSubstr("'x'"),
                    HasSubstr("sample 1 (row 1)"), HasSubstr("mend the data")));
  EXPECT_THAT(told({kInfinity}, 1).back(),
              AllOf(HasSubstr("for the one sample"), HasSubstr("though no input holds NaN")));
}

TEST(NanWatch, AnInputWithNumbersAmongItsNanMayBeMeantSo) {
  Batch table{.samples = {3, 4}, .inputs = {}, .labels = {}};
  table.inputs["row"] = Tensor::from<float>({2, 2}, {kNan, 1, kNan, kNan});
  EXPECT_EQ(find_nan(table, {}).inputs.at("row"), (NanInput{.first = 3, .nothing = 1}));
}

TEST(NanWatch, ClassesAreNoAnswersOfNan) {
  Batch batch{.samples = {7, 8}, .inputs = {}, .labels = {}};
  const Tensor classes = Tensor::from<std::int64_t>({2}, {1, 2});
  const Tensor scores = Tensor::from<float>({2, 2}, {1, 2, kNan, kNan});
  EXPECT_THAT(find_nan(batch, {{"class", classes}}).answers, IsEmpty());
  EXPECT_THAT(find_nan(batch, {{"class", classes}, {"scores", scores}}).answers, IsEmpty());
  EXPECT_THAT(find_nan(batch, {{"scores", scores}}).answers, ElementsAre(8));
  EXPECT_THAT(find_nan(batch, {{"all", Tensor::from<float>({3}, {kNan, kNan, kNan})}}).answers,
              ElementsAre(7, 8))
      << "it does not divide into the samples";
}

}  // namespace
}  // namespace quantlens
