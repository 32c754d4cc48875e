// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/npz.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/dataset/test_files.h"
#include "quantlens/tensor/npy.h"

namespace quantlens {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<InputSpec> kAudio = {
    {.name = "audio", .dtype = DType::float32, .shape = {-1, 2}}};

Tensor audio() {
  return Tensor::from<float>({3, 2}, {0, 1, 2, 3, 4, 5});
}

Tensor labels() {
  return Tensor::from<std::int32_t>({3}, {7, 8, 9});
}

std::unique_ptr<Dataset> open(const std::string& npz, const std::vector<InputSpec>& inputs = kAudio,
                              const ArrayRoles& roles = {}) {
  return open_npz(MappedFile::from_bytes(npz), roles, inputs, {.where = "a.npz"});
}

std::string npz_refusal(const std::string& npz, const std::vector<InputSpec>& inputs = kAudio,
                        const ArrayRoles& roles = {}) {
  return sentence([&] { open(npz, inputs, roles); });
}

std::int64_t npz_label_of(const Sample& sample) {
  return aligned(sample.label.value()).data<std::int64_t>()[0];
}

TEST(OpenNpz, TakesTheFirstAxisForTheSamples) {
  for (const Packing packing : {Packing::stored, Packing::deflated}) {
    const auto data = open(npz_file({{"audio", audio()}, {"label", labels()}}, packing));
    ASSERT_EQ(data->size(), 3U);
    EXPECT_TRUE(data->has_labels());
    EXPECT_EQ(data->name(2), "row 2");
    const Sample sample = data->read(1);
    EXPECT_EQ(sample.inputs.at("audio").shape(), Shape({2}));
    EXPECT_THAT(to_float32(sample.inputs.at("audio")).data<float>(), ElementsAre(2, 3));
    EXPECT_EQ(npz_label_of(sample), 8);
  }
}

TEST(OpenNpz, ViewsStoredArraysInTheFile) {
  const MappedFile file =
      MappedFile::from_bytes(npz_file({{"label", labels()}, {"audio", audio()}}));
  const auto data = open_npz(file, {}, kAudio, {.where = "a.npz"});
  const Sample sample = data->read(0);
  const std::byte* row = sample.inputs.at("audio").bytes().data();
  EXPECT_GE(row, file.bytes().data());
  EXPECT_LT(row, file.bytes().data() + file.bytes().size());
}

TEST(OpenNpz, KeepsTheRowsOfAnArrayThatTookTheLeadingOneAlong) {
  const auto data = open(npz_file({{"audio", audio().reshaped({3, 1, 2})}}));
  EXPECT_EQ(data->read(0).inputs.at("audio").shape(), Shape({2}));
}

TEST(OpenNpz, GivesTheSingleArrayToTheSingleInput) {
  const auto data = open(npz_file({{"whatever", audio()}, {"y", labels()}}));
  EXPECT_EQ(data->read(0).inputs.begin()->first, "audio");
  EXPECT_EQ(npz_label_of(data->read(0)), 7);
}

TEST(OpenNpz, FollowsTheNamesOfADocument) {
  const std::string npz = npz_file({{"a", audio()}, {"b", audio()}, {"c", labels()}});
  const auto data = open(npz, kAudio, {.inputs = {{"audio", "b"}}, .label = "c"});
  EXPECT_EQ(npz_label_of(data->read(2)), 9);
  EXPECT_THAT(npz_refusal(npz, kAudio, {.inputs = {{"audio", "d"}}, .label = {}}),
              HasSubstr("there is no array 'd'"));
  EXPECT_THAT(npz_refusal(npz, kAudio, {.inputs = {{"audi", "a"}}, .label = {}}),
              HasSubstr("there is no input of the model 'audi'; did you mean 'audio'?"));
}

TEST(OpenNpz, NamesTheInputThatGetsNoArrayAndTheArraysThereAre) {
  EXPECT_THAT(
      npz_refusal(npz_file({{"a", audio()}, {"b", audio()}})),
      AllOf(StartsWith("bad_input: a.npz: no array is named like the model's input 'audio'"),
            HasSubstr("(arrays: 'a', 'b')")));
}

TEST(OpenNpz, NamesBothSidesOfAShapeThatDoesNotFit) {
  const Tensor wrong = Tensor::from<float>({2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_THAT(npz_refusal(npz_file({{"audio", wrong}})),
              HasSubstr("array 'audio' has samples of float32 [3], but the model's input 'audio' "
                        "takes float32 [2] a sample"));
  EXPECT_THAT(npz_refusal(npz_file({{"audio", Tensor::scalar(1.F)}})),
              HasSubstr("array 'audio' is a single number"));
}

TEST(OpenNpz, RefusesArraysOfUnequalOrNoLength) {
  EXPECT_THAT(
      npz_refusal(npz_file({{"audio", audio()}, {"label", Tensor::from<int>({2}, {0, 1})}})),
      HasSubstr("array 'audio' has 3 samples, but array 'label' has 2"));
  EXPECT_THAT(npz_refusal(npz_file({{"audio", Tensor::from<float>({0, 2}, {})}})),
              HasSubstr("array 'audio' has no samples"));
}

TEST(OpenNpz, ConvertsRowByRowAndNamesTheRowThatDoesNotFit) {
  const std::vector<InputSpec> ids = {{.name = "ids", .dtype = DType::int32, .shape = {-1}}};
  const Tensor wide = Tensor::from<std::int64_t>({2}, {5, 1'000'000'000'000});
  const auto data = open(npz_file({{"ids", wide}}), ids);
  EXPECT_EQ(data->read(0).inputs.at("ids").data<std::int32_t>()[0], 5);
  EXPECT_THAT(sentence([&] { data->read(1); }),
              HasSubstr("a.npz: array 'ids', row 1: the value 1000000000000 cannot become int32"));
}

TEST(OpenNpz, SqueezesIntegerLabelsAndKeepsOthers) {
  const Tensor column = labels().reshaped({3, 1});
  const auto data = open(npz_file({{"audio", audio()}, {"label", column}}));
  EXPECT_EQ(data->read(0).label->shape(), Shape({}));
  const Tensor scores = Tensor::from<float>({3}, {0.5, 1.5, 2.5});
  const auto scored = open(npz_file({{"audio", audio()}, {"label", scores}}));
  EXPECT_EQ(aligned(*scored->read(2).label).data<float>()[0], 2.5F);
}

TEST(OpenNpz, KeepsEveryArrayWhereNoModelIsKnown) {
  const auto data = open(npz_file({{"a", audio()}, {"b", audio()}, {"label", labels()}}), {});
  EXPECT_EQ(data->read(0).inputs.size(), 2U);
  EXPECT_TRUE(data->has_labels());
}

TEST(OpenNpz, ReadsFortranOrder) {
  std::string npy = write_npy(Tensor::from<float>({2, 2}, {1, 2, 3, 4}));
  npy.replace(npy.find("False"), 5, "True ");
  const auto data = open(zip_file({{"audio.npy", npy}}, Packing::stored));
  EXPECT_THAT(to_float32(data->read(0).inputs.at("audio")).data<float>(), ElementsAre(1, 3));
}

TEST(OpenNpz, RefusesObjectArraysAndText) {
  std::string npy = write_npy(audio());
  npy.replace(npy.find("<f4"), 3, "|O8");
  EXPECT_THAT(npz_refusal(zip_file({{"audio.npy", npy}}, Packing::stored)),
              HasSubstr("a.npz: array 'audio': object arrays"));
  npy.replace(npy.find("|O8"), 3, "<U4");
  EXPECT_THAT(npz_refusal(zip_file({{"audio.npy", npy}}, Packing::deflated)),
              HasSubstr("text arrays are not read"));
}

TEST(OpenNpz, RefusesAFileCutShortAtAnyLength) {
  for (const Packing packing : {Packing::stored, Packing::deflated}) {
    const std::string file = npz_file({{"audio", audio()}, {"label", labels()}}, packing);
    for (std::size_t size = 0; size < file.size(); size += 3) {
      EXPECT_THAT(npz_refusal(file.substr(0, size)), StartsWith("bad_input: a.npz")) << size;
    }
  }
}

TEST(OpenNpz, SurvivesFlippedBytes) {
  for (const Packing packing : {Packing::stored, Packing::deflated}) {
    const std::string file = npz_file({{"audio", audio()}, {"label", labels()}}, packing);
    for (std::size_t at = 0; at < file.size(); ++at) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x81);
      const std::string said = sentence([&] { open(damaged)->read(0); });
      EXPECT_TRUE(said.empty() || said.starts_with("bad_input: a.npz")) << said;
    }
  }
}

/// An archive whose one array is unpacked in many pieces.
std::string large_npz() {
  constexpr std::int64_t kRows = 3000;
  std::vector<float> values(kRows * 64);
  std::uint32_t state = 1;  // of a generator of Lehmer: numbers that pack badly
  for (float& value : values) {
    state = static_cast<std::uint32_t>(state * std::uint64_t{48271} % 2147483647);
    value = static_cast<float>(state % 4096);
  }
  return npz_file({{"audio", Tensor::from<float>({kRows, 64}, values)}}, Packing::deflated);
}

const std::vector<InputSpec> kWide = {
    {.name = "audio", .dtype = DType::float32, .shape = {-1, 64}}};

std::unique_ptr<Dataset> open_ahead(const std::string& npz) {
  return open_npz(MappedFile::from_bytes(npz), {}, kWide, {.where = "a.npz", .unpack_ahead = true});
}

/// All rows' bytes, one behind the other.
std::string rows_of(const Dataset& data) {
  std::string all;
  for (std::uint64_t i = 0; i < data.size(); ++i) {
    const Tensor row = data.read(i).inputs.at("audio");
    all.append(reinterpret_cast<const char*>(row.bytes().data()), row.bytes().size());
  }
  return all;
}

TEST(OpenNpz, GivesTheSameRowsWhileTheyAreUnpacked) {
  const std::string npz = large_npz();
  const std::string all = rows_of(*open(npz, kWide));
  EXPECT_EQ(rows_of(*open_ahead(npz)), all);
  const auto data = open_ahead(npz);
  std::vector<std::string> seen(4);
  {
    std::vector<std::jthread> readers;
    for (std::string& each : seen) readers.emplace_back([&] { each = rows_of(*data); });
  }
  EXPECT_THAT(seen, testing::Each(all));
}

TEST(OpenNpz, MayBeClosedWhileItIsUnpacked) {
  const std::string npz = large_npz();
  Tensor row;
  for (int i = 0; i < 20; ++i) row = open_ahead(npz)->read(7).inputs.at("audio");
  EXPECT_EQ(row.size(), 64U);
}

TEST(OpenNpz, TellsDamageWhereItIsMetAndAtTheEndInOneSentence) {
  const std::string npz = large_npz();
  constexpr std::string_view kSaid =
      "bad_input: a.npz: the array 'audio' is damaged or cut short; write it again";
  std::string damaged = npz;
  damaged.replace(damaged.rfind("PK\x01\x02") + 16, 4, "\x01\x02\x03\x04");  // its checksum
  EXPECT_EQ(sentence([&] { open(damaged, kWide); }), kSaid);
  const auto data = open_ahead(damaged);
  const std::uint64_t last = data->size() - 1;
  EXPECT_EQ(sentence([&] { data->read(0); }), "");
  EXPECT_EQ(sentence([&] { data->read(last); }), kSaid);
  EXPECT_EQ(sentence([&] { data->check_whole(); }), kSaid);
  EXPECT_EQ(sentence([&] { data->check_whole(); }), kSaid);
}

TEST(OpenNpz, IsNeverBelievedWithFlippedBytes) {
  const std::string npz = large_npz();
  const std::string all = rows_of(*open(npz, kWide));
  std::size_t told = 0;
  for (std::size_t at = 50; at < npz.size(); at += 2003) {
    std::string damaged = npz;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    std::string rows;
    const std::string said = sentence([&] {
      const auto data = open_ahead(damaged);
      rows = rows_of(*data);
      data->check_whole();
    });
    told += said.empty() ? 0 : 1;
    EXPECT_TRUE(said.empty() ? rows == all : said.starts_with("bad_input: a.npz")) << at << said;
  }
  EXPECT_GT(told, 100U);
}

TEST(OpenNpz, RefusesAMemberThatClaimsMoreThanItCanHold) {
  const std::string npy = write_npy(Tensor::from<float>({1000, 2}, std::vector<float>(2000)));
  std::string bomb = zip_file({{"audio.npy", npy}}, Packing::deflated);
  const std::size_t directory = bomb.rfind("PK\x01\x02");
  bomb.replace(directory + 24, 4, std::string_view("\x00\x00\x00\x7F", 4));  // its unpacked size
  EXPECT_THAT(npz_refusal(bomb),
              HasSubstr("array 'audio' claims 2.1 GB in a file that cannot hold it"));
}

TEST(OpenNpz, RefusesAnArchiveWithoutArrays) {
  EXPECT_THAT(npz_refusal(zip_file({{"readme.txt", "hello"}}, Packing::stored)),
              HasSubstr("no array is named like the model's input 'audio' (arrays: none)"));
  EXPECT_THAT(npz_refusal(zip_file({{"readme.txt", "hello"}}, Packing::stored), {}),
              HasSubstr("holds no array for an input"));
}

TEST(OpenNpy, TakesSamplesAndLabelsFromTwoFiles) {
  const NpyFiles files{.samples = MappedFile::from_bytes(write_npy(audio())),
                       .where = "x.npy",
                       .labels = MappedFile::from_bytes(write_npy(labels())),
                       .labels_where = "y.npy"};
  const auto data = open_npy(files, kAudio, "audio");
  EXPECT_EQ(data->size(), 3U);
  EXPECT_EQ(npz_label_of(data->read(1)), 8);
}

}  // namespace
}  // namespace quantlens
