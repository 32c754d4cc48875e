// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/own_samples.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/dataset/files.h"
#include "quantlens/dataset/reader.h"
#include "quantlens/dataset/test_files.h"

namespace quantlens {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<InputSpec> kOwnVector = {
    {.name = "x", .dtype = DType::float32, .shape = {-1, 2}}};

class Listed final : public Dataset {
 public:
  explicit Listed(std::vector<Sample> samples, std::string mark = {})
      : samples_(std::move(samples)), mark_(std::move(mark)) {}
  std::uint64_t size() const override { return samples_.size(); }
  Sample read(std::uint64_t index) const override { return samples_.at(index); }
  std::string name(std::uint64_t index) const override { return "clip " + std::to_string(index); }
  bool has_labels() const override { return true; }
  std::string caveat() const override { return "drawn by hand"; }
  std::string fingerprint() const override { return mark_; }

 private:
  std::vector<Sample> samples_;
  std::string mark_;
};

Sample sample(const std::string& input, Tensor tensor,
              Tensor label = Tensor::from<std::int64_t>({}, {1})) {
  return {.inputs = {{input, std::move(tensor)}}, .label = std::move(label)};
}

std::shared_ptr<const Dataset> listed(std::vector<Sample> samples, std::string mark = {}) {
  return std::make_shared<Listed>(std::move(samples), std::move(mark));
}

TEST(OwnSamples, AreTakenAsTheModelWantsThem) {
  const auto own = listed(
      {sample("x", Tensor::from<double>({1, 2}, {0.5, 2}), Tensor::from<std::uint8_t>({1}, {7})),
       sample("x", Tensor::from<std::int32_t>({2}, {3, 4}))});
  const OpenedData opened = open_samples(own, "mine", kOwnVector, {.batch_size = 2});
  EXPECT_EQ(opened.batch_size, 2U);
  EXPECT_EQ(opened.dataset->caveat(), "drawn by hand");
  EXPECT_TRUE(opened.dataset->has_labels());
  BatchReader reader(*opened.dataset, {.batch_size = 2}, "x");
  const std::optional<Batch> batch = reader.next();
  ASSERT_TRUE(batch);
  const Tensor& x = batch->inputs.at("x");
  EXPECT_EQ(x.shape(), Shape({2, 2}));
  EXPECT_THAT(x.data<float>(), ElementsAre(0.5F, 2, 3, 4));
  EXPECT_THAT(batch->labels.at(0)->data<std::int64_t>(), ElementsAre(7));
  EXPECT_EQ(batch->labels.at(0)->shape(), Shape());
}

TEST(OwnSamples, FeedTheOnlyInputByAnyNameAndLeaveOutWhatNoInputTakes) {
  const Tensor pair = Tensor::from<float>({2}, {1, 2});
  EXPECT_THAT(fit_samples(listed({sample("", pair)}), "mine", kOwnVector)
                  ->read(0)
                  .inputs.at("x")
                  .data<float>(),
              ElementsAre(1, 2));
  Sample more = sample("x", pair);
  more.inputs["mask"] = Tensor::from<float>({1}, {0});
  EXPECT_EQ(fit_samples(listed({more}), "mine", kOwnVector)->read(0).inputs.size(), 1U);
  EXPECT_EQ(fit_samples(listed({more}), "mine", {})->read(0).inputs.size(), 2U);
}

TEST(OwnSamples, ThatDoNotFitAreRefusedBeforeAnythingIsRun) {
  const auto refusal = [](Sample one) {
    return sentence([&] { open_samples(listed({std::move(one)}), "mine", kOwnVector, {}); });
  };
  EXPECT_THAT(refusal(sample("x", Tensor::from<float>({3}, {1, 2, 3}))),
              AllOf(HasSubstr("mine: clip 0"), HasSubstr("[3]"), HasSubstr("'x'")));
  Sample others = sample("y", Tensor::from<float>({2}, {1, 2}));
  others.inputs["z"] = others.inputs["y"];
  EXPECT_THAT(refusal(others), HasSubstr("has nothing for the model's input 'x'"));
  EXPECT_THAT(refusal(sample("x", Tensor::from<double>({2}, {1, 1e300}))),
              HasSubstr("1e+300 cannot become float32"));
}

TEST(OwnSamples, ALaterOneThatDoesNotFitIsLeftOutLikeAnUnreadableFile) {
  const Tensor pair = Tensor::from<float>({2}, {1, 2});
  const auto data = fit_samples(
      listed({sample("x", pair), sample("x", Tensor::from<float>({1}, {1})), sample("x", pair)}),
      "mine", kOwnVector);
  BatchReader reader(*data, {.batch_size = 3}, "x");
  EXPECT_THAT(reader.next()->samples, ElementsAre(0, 2));
  EXPECT_EQ(reader.skipped_count(), 1U);
}

TEST(OwnSamples, KeepTheModelsBatchSizeAndTheLimit) {
  const Sample one = sample("x", Tensor::from<float>({2}, {1, 2}));
  const std::vector<InputSpec> pairs{{.name = "x", .dtype = DType::float32, .shape = {2, 2}}};
  EXPECT_EQ(open_samples(listed({one, one, one}), "mine", pairs, {}).batch_size, 2U);
  EXPECT_EQ(open_samples(listed({one, one, one}), "mine", kOwnVector, {.limit = 2}).dataset->size(),
            2U);
  EXPECT_THAT(sentence([&] { open_samples(listed({one}), "mine", pairs, {.batch_size = 3}); }),
              HasSubstr("mine: a batch size of 3 does not suit the model"));
}

TEST(OwnSamples, AreToldApartByTheirFingerprint) {
  const Sample one = sample("x", Tensor::from<float>({2}, {1, 2}));
  const auto of = [&](const std::string& mark) {
    return fingerprint(open_samples(listed({one}, mark), "mine", kOwnVector, {}));
  };
  EXPECT_EQ(of("a"), of("a"));
  EXPECT_NE(of("a"), of("b"));
}

}  // namespace
}  // namespace quantlens
