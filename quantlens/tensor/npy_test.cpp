// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tensor/npy.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/tensor/half.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A file with this header dictionary and these data, unpadded as a hostile writer may leave it.
std::string file_with(const std::string& dictionary, std::string_view data = {}, int version = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (unsigned i = 0; i < (version == 1 ? 2U : 4U); ++i) {
    file += static_cast<char>((dictionary.size() >> (8 * i)) & 0xFFU);
  }
  return file + dictionary + std::string(data);
}

std::string dictionary(const std::string& descr, const std::string& shape,
                       const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

Tensor read(std::string file) {
  return read_npy(MappedFile::from_bytes(std::move(file)), "x.npy");
}

/// The sentence of the Errc::bad_input that reading the file throws.
std::string refusal(const std::string& file) {
  try {
    (void)read(file);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_THAT(error.what(), testing::StartsWith("x.npy: "));
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(Npy, WritesTheBytesThatNumPyWrites) {
  // numpy.save of numpy.array([[1, 2]], dtype=int8)
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += "{'descr': '|i1', 'fortran_order': False, 'shape': (1, 2), }";
  expected += std::string(128 - 1 - expected.size(), ' ') + "\n\x01\x02";
  EXPECT_EQ(write_npy(Tensor::from<std::int8_t>({1, 2}, {1, 2})), expected);
}

TEST(Npy, SpellsShapesOfScalarsAndVectorsAsPythonDoes) {
  EXPECT_THAT(write_npy(Tensor::scalar(1.0F)), HasSubstr("'shape': (), }"));
  EXPECT_THAT(write_npy(Tensor::from<float>({1}, {1})), HasSubstr("'shape': (1,), }"));
}

template <class T>
void expect_round_trip(std::vector<T> values) {
  const auto n = static_cast<std::int64_t>(values.size());
  const Tensor tensor = Tensor::from<T>({n, 1}, values);
  const Tensor back = read(write_npy(tensor));
  EXPECT_EQ(back.dtype(), tensor.dtype());
  EXPECT_EQ(back.shape(), tensor.shape());
  EXPECT_TRUE(std::ranges::equal(back.bytes(), tensor.bytes()));
}

TEST(Npy, ReadsWhatItWrote) {
  expect_round_trip<float>({1.5F, -2});
  expect_round_trip<double>({1e300});
  expect_round_trip<std::int8_t>({-128});
  expect_round_trip<std::uint8_t>({255});
  expect_round_trip<std::int16_t>({-1});
  expect_round_trip<std::uint16_t>({1});
  expect_round_trip<std::int32_t>({-1});
  expect_round_trip<std::uint32_t>({1});
  expect_round_trip<std::int64_t>({-1});
  expect_round_trip<std::uint64_t>({1});
  expect_round_trip<bool>({true, false});
  expect_round_trip<float>({});
}

TEST(Npy, WritesTypesThatNumPyLacksAsTheNearestOneThatHoldsThem) {
  const Tensor raw = Tensor::from<std::uint16_t>({1}, {bfloat16_from_float(2.5F)});
  const Tensor narrow(DType::bfloat16, raw.shape(), raw.bytes(), raw.owner());
  EXPECT_THAT(read(write_npy(narrow)).data<float>(), ElementsAre(2.5F));
  const Tensor codes = Tensor::from<std::int8_t>({1}, {-8});
  const Tensor nibbles(DType::int4, codes.shape(), codes.bytes(), codes.owner());
  EXPECT_THAT(read(write_npy(nibbles)).data<std::int8_t>(), ElementsAre(-8));
}

TEST(Npy, RefusesToWriteStringsAndTooManyDimensions) {
  EXPECT_THROW((void)write_npy(Tensor::from_strings({1}, {"a"})), Error);
  EXPECT_NO_THROW((void)write_npy(Tensor::from<float>(Shape(64, 1), {1})));
  EXPECT_THROW((void)write_npy(Tensor::from<float>(Shape(65, 1), {1})), Error);
}

TEST(Npy, ViewsTheFileWithoutCopying) {
  const MappedFile file = MappedFile::from_bytes(write_npy(Tensor::from<float>({2}, {1, 2})));
  const Tensor tensor = read_npy(file, "x.npy");
  EXPECT_EQ(tensor.owner(), file.owner());
  EXPECT_EQ(tensor.bytes().data(), file.bytes().data() + 128);
}

TEST(Npy, TurnsFortranOrderIntoCOrder) {
  const std::string columns("\x01\x04\x02\x05\x03\x06", 6);
  EXPECT_THAT(read(file_with(dictionary("|u1", "(2, 3)", "True"), columns)).data<std::uint8_t>(),
              ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Npy, TurnsFortranOrderOfThreeAxesAndWideElements) {
  const Shape shape = {2, 3, 4};
  std::vector<std::int32_t> fortran(24);
  std::vector<std::int32_t> expected(24);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 4; ++k) {
        const auto value = static_cast<std::int32_t>(100 * i + 10 * j + k);
        fortran[i + 2 * j + 6 * k] = value;
        expected[12 * i + 4 * j + k] = value;
      }
    }
  }
  const std::string_view data(reinterpret_cast<const char*>(fortran.data()), 24 * 4);
  const Tensor tensor = read(file_with(dictionary("<i4", "(2, 3, 4)", "True"), data));
  EXPECT_EQ(tensor.shape(), shape);
  EXPECT_THAT(tensor.data<std::int32_t>(), testing::ElementsAreArray(expected));
}

TEST(Npy, ReadsEmptyAndScalarArraysInFortranOrder) {
  EXPECT_EQ(read(file_with(dictionary("<f4", "(0, 3)", "True"))).shape(), (Shape{0, 3}));
  EXPECT_EQ(read(file_with(dictionary("|i1", "()", "True"), "\x07")).data<std::int8_t>()[0], 7);
}

TEST(Npy, ReadsAllVersionsAnyOrderOfKeysAndBothQuotes) {
  const std::string keys = "{\"shape\":(2L,),\"fortran_order\":False,\"descr\":\"|i1\"}";
  for (const int version : {1, 2, 3}) {
    EXPECT_THAT(read(file_with(keys, "\x01\x02", version)).data<std::int8_t>(), ElementsAre(1, 2));
  }
}

TEST(Npy, LeavesUnalignedDataToTheCaller) {
  const std::string dict = dictionary("<f4", "(1,)") + " ";
  const std::string data = std::string("\x00\x00\x80\x3f", 4);
  for (const char* pad : {"", " ", "  ", "   "}) {
    EXPECT_THAT(aligned(read(file_with(dict + pad, data))).data<float>(), ElementsAre(1));
  }
}

TEST(Npy, IgnoresBytesAfterTheArray) {
  EXPECT_EQ(read(file_with(dictionary("|i1", "(1,)"), "\x01more")).size(), 1);
}

TEST(Npy, RefusesEveryTruncation) {
  const std::string file = write_npy(Tensor::from<float>({2, 2}, {1, 2, 3, 4}));
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_THROW((void)read(file.substr(0, size)), Error) << size;
  }
  EXPECT_THAT(refusal(file.substr(0, file.size() - 1)),
              HasSubstr("15 bytes of data are too few for float32 of shape [2,2]"));
}

TEST(Npy, RefusesHugeShapes) {
  for (const char* shape :
       {"(9223372036854775807, 9223372036854775807)", "(0, 9223372036854775807, 3)",
        "(2305843009213693953,)", "(4611686018427387904, 4)"}) {
    EXPECT_THAT(refusal(file_with(dictionary("<f8", shape, "True"), "12345678")),
                HasSubstr("too few"));
  }
  EXPECT_THAT(refusal(file_with(dictionary("<f8", "(9223372036854775808,)"))), HasSubstr("shape"));
  std::string ones;
  for (int i = 0; i < 65; ++i) ones += "1,";
  EXPECT_THAT(refusal(file_with(dictionary("|i1", "(" + ones + ")"), "x")),
              HasSubstr("more than 64 dimensions"));
}

TEST(Npy, SaysWhyATypeIsNotRead) {
  const auto reason = [](const char* descr) {
    return refusal(file_with(dictionary(descr, "(1,)"), std::string(64, '\0')));
  };
  EXPECT_THAT(reason("|O"), HasSubstr("object arrays (pickles)"));
  EXPECT_THAT(reason("<U8"), HasSubstr("text arrays"));
  EXPECT_THAT(reason("|S8"), HasSubstr("text arrays"));
  EXPECT_THAT(reason("<c8"), HasSubstr("complex"));
  EXPECT_THAT(reason(">f4"), HasSubstr("big-endian"));
  EXPECT_THAT(reason("<M8[ns]"), HasSubstr("'<M8[ns]'"));
  EXPECT_THAT(reason("|f4"), HasSubstr("'|f4'"));
  EXPECT_THAT(reason(""), HasSubstr("''"));
  EXPECT_THAT(refusal(file_with("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}")),
              HasSubstr("structured arrays"));
}

TEST(Npy, RefusesMalformedHeaders) {
  for (const char* dict :
       {"", "{", "{}", "{'descr': '|i1', 'shape': (1,)}", "{'descr': '|i1'",
        "{'descr': '|i1', 'descr': '|i1', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|i1', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '|i1', 'fortran_order': False, 'shape': 1}",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (1,), 'x': 1}",
        "{'descr': '|i1', 'fortran_order': False, 'shape: (1,)}",
        "{'descr' '|i1', 'fortran_order': False, 'shape': (1,)}"}) {
    EXPECT_THAT(refusal(file_with(dict, "\x01")), HasSubstr("not a sound .npy file")) << dict;
  }
  EXPECT_THAT(refusal("PK\x03\x04"), HasSubstr("does not begin with"));
  EXPECT_THAT(refusal(file_with(dictionary("|i1", "(1,)"), "x", 4)), HasSubstr("version"));
  EXPECT_THAT(refusal(std::string("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF", 12)),
              HasSubstr("longer than 64 KiB"));
}

RC_GTEST_PROP(Npy, NeverCrashesOnFlippedBytes, (std::uint8_t at, std::uint8_t value)) {
  std::string file = write_npy(Tensor::from<float>({2, 1, 2}, {1, 2, 3, 4}));
  file[at % file.size()] = static_cast<char>(value);
  try {
    const Tensor tensor = read(file);
    RC_ASSERT(to_float32(tensor).size() == tensor.size());
  } catch (const Error&) {
  }
}

}  // namespace
}  // namespace quantlens
