// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/crc32c.h"
#include "quantlens/dataset/test_files.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Records records_in(const std::string& bytes) {
  return {MappedFile::from_bytes(bytes), "val"};
}

std::string records_refusal(const std::string& bytes) {
  return sentence([&] { records_in(bytes); });
}

TEST(Records, AreThoseThatWereWritten) {
  const Records records = records_in(record_file({"one", "", std::string(1000, 'x')}));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records.read(0), "one");
  EXPECT_EQ(records.read(1), "");
  EXPECT_EQ(records.read(2), std::string(1000, 'x'));
  EXPECT_EQ(records.name(2), "val, record 2");
}

TEST(Records, AreFramedAsTensorFlowWritesThem) {
  // tf.io.TFRecordWriter of TensorFlow 2.21, given b"abc".
  constexpr unsigned char kWritten[] = {3,    0,    0,   0,   0,   0,    0,    0,    0xb0, 0x99,
                                        0x49, 0x0e, 'a', 'b', 'c', 0x6e, 0x57, 0xf1, 0x21};
  const std::string bytes(std::begin(kWritten), std::end(kWritten));
  EXPECT_EQ(record_file({"abc"}), bytes);
  EXPECT_TRUE(begin_with_record(bytes));
}

TEST(Records, OfACutOffFileAreRefusedWithThePlace) {
  const std::string bytes = record_file({"one", "two"});
  for (std::size_t size = record_file({"one"}).size() + 1; size < bytes.size(); ++size) {
    EXPECT_EQ(records_refusal(bytes.substr(0, size)),
              "bad_input: val: ends inside record 1; copy the file again");
  }
  EXPECT_EQ(records_refusal(bytes.substr(0, 13)),
            "bad_input: val: ends inside record 0; copy the file again");
}

TEST(Records, OfAnotherFileAreRefused) {
  EXPECT_EQ(records_refusal("short"), "bad_input: val: is no TFRecord file");
  EXPECT_EQ(records_refusal(std::string(100, 'x')), "bad_input: val: is no TFRecord file");
  EXPECT_THAT(records_refusal(""), StartsWith("bad_input: val: is empty"));
  EXPECT_THAT(records_refusal("\x1f\x8b" + std::string(20, 'x')), HasSubstr("is compressed"));
  EXPECT_THAT(records_refusal(record_file({"one"}) + std::string(30, 'x')),
              HasSubstr("is damaged behind record 0"));
}

TEST(Records, FailOneByOneWhereTheirBytesAreDamaged) {
  std::string bytes = record_file({"one", "two", "three"});
  bytes[record_file({"one"}).size() + 13] ^= 1;
  const Records records = records_in(bytes);
  EXPECT_EQ(records.read(0), "one");
  EXPECT_EQ(records.read(2), "three");
  EXPECT_THAT(sentence([&] { records.read(1); }),
              StartsWith("bad_input: val, record 1: is damaged"));
}

TEST(Records, OfALengthBeyondTheFileAreRefused) {
  for (const std::uint64_t length :
       {std::uint64_t{1} << 40U, ~std::uint64_t{0}, ~std::uint64_t{0} - 15}) {
    const std::string sized(reinterpret_cast<const char*>(&length), 8);
    const std::string framed = record_file({sized});  // its tail is the checksum of these 8 bytes
    const std::string bytes = sized + framed.substr(framed.size() - 4) + std::string(64, 'x');
    ASSERT_TRUE(begin_with_record(bytes));
    EXPECT_EQ(records_refusal(bytes), "bad_input: val: ends inside record 0; copy the file again");
  }
}

TEST(Records, HaveEqualFingerprintsWhereTheyAreEqual) {
  const auto print = [](const std::vector<std::string>& all) {
    return records_in(record_file(all)).fingerprint();
  };
  EXPECT_EQ(print({"one", "two"}), print({"one", "two"}));
  EXPECT_NE(print({"one", "two"}), print({"two", "one"}));
  EXPECT_NE(print({"one", "two"}), print({"one", "twO"}));
}

TEST(FilesOf, ArePatternsInTheirLastPartSortedByName) {
  const TestFolder folder;
  for (const char* name : {"val-2", "val-0", "val-1", "train-0", ".val-3"}) folder.write(name, "x");
  fs::create_directory(folder.path() / "val-folder");
  const fs::path& in = folder.path();
  EXPECT_THAT(files_of(in / "val-*"), ElementsAre(in / "val-0", in / "val-1", in / "val-2"));
  EXPECT_THAT(files_of(in / "val-[01]"), ElementsAre(in / "val-0", in / "val-1"));
  EXPECT_THAT(files_of(in / "train-?"), ElementsAre(in / "train-0"));
  EXPECT_THAT(files_of(in / "val-2"), ElementsAre(in / "val-2"));
  EXPECT_THAT(sentence([&] { files_of(in / "none-*"); }),
              StartsWith("not_found: there is no file"));
  EXPECT_THAT(sentence([&] { files_of(in / "gone" / "*"); }), StartsWith("not_found: "));
}

}  // namespace
}  // namespace quantlens
