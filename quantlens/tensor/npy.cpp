// SPDX-License-Identifier: Apache-2.0
#include "quantlens/tensor/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostDims = 64;  // as NumPy 2
constexpr std::size_t kMostPrelude = 12;
constexpr std::size_t kLongestHeader = kMostNpyHeaderBytes - kMostPrelude;  // NumPy: 10,000

[[noreturn]] void fail(std::string_view where, std::string_view problem) {
  throw Error(Errc::bad_input, fmt::format("{}: {}", printable(where), problem));
}

[[noreturn]] void fail_damaged(std::string_view where, std::string_view problem) {
  fail(where, fmt::format("not a sound .npy file: {}; write it again with numpy.save", problem));
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = (value << 8U) | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

/// Reads the one Python literal that stands in the header, as `{'descr': '<f4', ...}`.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view where) : rest_(text), where_(where) {}

  NpyHeader parse() {
    NpyHeader header;
    bool descr = false;
    bool order = false;
    bool shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !std::exchange(descr, true)) {
        header.dtype = dtype();
      } else if (key == "fortran_order" && !std::exchange(order, true)) {
        header.fortran_order = boolean();
      } else if (key == "shape" && !std::exchange(shape, true)) {
        header.shape = extents();
      } else {
        fail_damaged(where_, fmt::format("its header has an unexpected '{}'", printable(key)));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty()) fail_damaged(where_, "something follows its header's end");
    if (!descr || !order || !shape) {
      fail_damaged(where_, "its header lacks descr, fortran_order or shape");
    }
    return header;
  }

 private:
  void skip_space() {
    const std::size_t text = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(text, rest_.size()));
  }

  bool accept(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail_damaged(where_, fmt::format("its header lacks a '{}'", c));
  }

  std::string_view string() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) fail_damaged(where_, "its header lacks a quote");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    fail_damaged(where_, "its fortran_order is neither True nor False");
  }

  Shape extents() {
    Shape shape;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::int64_t extent = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc() || extent < 0)
        fail_damaged(where_, "its shape is no tuple of sizes");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      if (rest_.starts_with('L')) rest_.remove_prefix(1);  // as Python 2 wrote long integers
      shape.push_back(extent);
      if (shape.size() > kMostDims) fail_damaged(where_, "it has more than 64 dimensions");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  DType dtype() {
    skip_space();
    if (rest_.starts_with('[')) {
      fail(where_, "structured arrays are not read; save one plain numeric array");
    }
    const std::string_view text = string();
    const std::string_view type = text.substr(std::min<std::size_t>(1, text.size()));
    const char order = text.empty() ? ' ' : text.front();
    constexpr std::pair<std::string_view, DType> kTypes[] = {
        {"f4", DType::float32}, {"f8", DType::float64}, {"f2", DType::float16},
        {"i1", DType::int8},    {"u1", DType::uint8},   {"i2", DType::int16},
        {"u2", DType::uint16},  {"i4", DType::int32},   {"u4", DType::uint32},
        {"i8", DType::int64},   {"u8", DType::uint64},  {"b1", DType::boolean}};
    for (const auto& [code, known] : kTypes) {
      if (type != code) continue;
      if (order == '<' || order == '=' || (order == '|' && byte_size(known) == 1)) return known;
      if (order == '>' && byte_size(known) == 1) return known;
      if (order == '>') {
        fail(where_,
             "big-endian arrays are not read; save array.astype(array.dtype.newbyteorder('<'))");
      }
    }
    fail_type(text, type);
  }

  [[noreturn]] void fail_type(std::string_view text, std::string_view type) {
    const char kind = type.empty() ? ' ' : type.front();
    if (kind == 'O') fail(where_, "object arrays (pickles) are not read; save one numeric array");
    if (kind == 'U' || kind == 'S')
      fail(where_, "text arrays are not read; save one numeric array");
    if (kind == 'c') fail(where_, "complex numbers are not read; save one real array");
    fail(where_,
         fmt::format("arrays of type '{}' are not read; save one as float32, int64 or another "
                     "plain numeric type",
                     printable(text)));
  }

  std::string_view rest_;
  std::string_view where_;
};

/// Bytes of a Fortran-order array in C order.
std::vector<std::byte> transposed(Bytes bytes, const Shape& shape, std::size_t element) {
  std::vector<std::byte> out(bytes.size());
  const std::size_t rank = shape.size();
  std::vector<std::size_t> stride(rank);  // of the Fortran source, in bytes
  std::size_t step = element;
  for (std::size_t d = 0; d < rank; ++d) {
    stride[d] = step;
    step *= static_cast<std::size_t>(shape[d]);
  }
  std::vector<std::int64_t> index(rank);
  std::size_t source = 0;
  for (std::size_t target = 0; target < out.size(); target += element) {
    std::memcpy(out.data() + target, bytes.data() + source, element);
    for (std::size_t d = rank; d-- > 0;) {  // the next index, the last axis fastest
      source += stride[d];
      if (++index[d] < shape[d]) break;
      source -= stride[d] * static_cast<std::size_t>(shape[d]);
      index[d] = 0;
    }
  }
  return out;
}

Tensor owning(DType dtype, const Shape& shape, std::vector<std::byte> bytes) {
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return Tensor(dtype, shape, *owner, owner);
}

std::string_view numpy_type(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return "<f4";
    case DType::float64:
      return "<f8";
    case DType::float16:
      return "<f2";
    case DType::int8:
    case DType::int4:
      return "|i1";
    case DType::uint8:
    case DType::uint4:
      return "|u1";
    case DType::int16:
      return "<i2";
    case DType::uint16:
      return "<u2";
    case DType::int32:
      return "<i4";
    case DType::uint32:
      return "<u4";
    case DType::int64:
      return "<i8";
    case DType::uint64:
      return "<u8";
    case DType::boolean:
      return "|b1";
    case DType::bfloat16:
    case DType::string:
      break;
  }
  throw Error(Errc::unsupported, fmt::format("a {} tensor cannot be written as .npy; NumPy has no "
                                             "such plain type, choose another value",
                                             name(dtype)));
}

}  // namespace

NpyHeader read_npy_header(Bytes file, std::string_view where) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(kMagic)) fail_damaged(where, "it does not begin with \\x93NUMPY");
  constexpr std::size_t kVersionAt = 6;
  if (text.size() < kVersionAt + 2) fail_damaged(where, "it ends within its header");
  const auto major = static_cast<unsigned char>(text[kVersionAt]);
  if (major < 1 || major > 3) fail_damaged(where, "its format version is not 1, 2 or 3");
  const std::size_t length_at = kVersionAt + 2;
  const std::size_t length_size = major == 1 ? 2 : 4;
  const std::size_t header_at = length_at + length_size;
  if (text.size() < header_at) fail_damaged(where, "it ends within its header");
  const std::uint64_t length = little_endian(text.substr(length_at, length_size));
  if (length > kLongestHeader) fail_damaged(where, "its header is longer than 64 KiB");
  if (length > text.size() - header_at) fail_damaged(where, "it ends within its header");
  NpyHeader header = HeaderParser(text.substr(header_at, length), where).parse();
  header.data_offset = header_at + length;
  return header;
}

Tensor read_npy(const MappedFile& file, std::string_view where) {
  return read_npy(file.bytes(), file.owner(), where);
}

Tensor read_npy(Bytes file, const std::shared_ptr<const void>& owner, std::string_view where) {
  const NpyHeader header = read_npy_header(file, where);
  const std::optional<std::int64_t> count = element_count(header.shape);
  const std::size_t element = byte_size(header.dtype);
  const Bytes rest = file.subspan(header.data_offset);
  if (!count || static_cast<std::size_t>(*count) > rest.size() / element) {
    fail(where, fmt::format("{} bytes of data are too few for {} of shape {}; the file is cut off, "
                            "copy it again",
                            rest.size(), name(header.dtype), to_string(header.shape)));
  }
  const Bytes bytes = rest.first(static_cast<std::size_t>(*count) * element);
  if (header.fortran_order && header.shape.size() > 1) {
    return owning(header.dtype, header.shape, transposed(bytes, header.shape, element));
  }
  return Tensor(header.dtype, header.shape, bytes, owner);
}

std::string write_npy(const Tensor& tensor) {
  if (tensor.dtype() == DType::bfloat16) return write_npy(to_float32(tensor));  // exact
  constexpr std::size_t kPreludeBytes = 10;
  constexpr std::size_t kAlignment = 64;
  const std::string_view type = numpy_type(tensor.dtype());
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type,
                  fmt::join(tensor.shape(), ", "), tensor.shape().size() == 1 ? "," : "");
  const std::size_t used = (kPreludeBytes + header.size() + 1) % kAlignment;
  header.append((kAlignment - used) % kAlignment, ' ');
  header += '\n';
  if (tensor.shape().size() > kMostDims) {
    throw Error(Errc::unsupported,
                fmt::format("a tensor of {} dimensions cannot be written as .npy; "
                            "NumPy reads 64 at most",
                            tensor.shape().size()));
  }
  std::string file(kMagic);
  file += '\x01';
  file += '\x00';
  file += static_cast<char>(header.size() & 0xFFU);
  file += static_cast<char>(header.size() >> 8U);
  file += header;
  file.append(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
  return file;
}

}  // namespace quantlens
