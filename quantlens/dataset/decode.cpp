// SPDX-License-Identifier: Apache-2.0
#include "quantlens/dataset/decode.h"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <png.h>
#include <turbojpeg.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"

namespace quantlens {
namespace {

[[noreturn]] void fail(std::string_view where, std::string_view problem) {
  throw Error(Errc::bad_input, fmt::format("{}: {}", printable(where), problem));
}

void check_size(std::int64_t width, std::int64_t height, std::int64_t most_pixels,
                std::string_view where) {
  if (width > 0 && height > 0 && width <= most_pixels / height) return;
  fail(where, fmt::format("an image of {}x{} pixels is not read (at most {} pixels); scale it down",
                          width, height, most_pixels));
}

Image blank_image(int width, int height, int channels) {
  Image image{.width = width, .height = height, .channels = channels, .pixels = {}};
  image.pixels.resize(image.row_bytes() * static_cast<std::size_t>(height));
  return image;
}

// JPEG -------------------------------------------------------------------------------------------

struct CloseJpeg {
  void operator()(void* handle) const { tjDestroy(handle); }
};

/// a * b / 255, rounded as Pillow rounds it.
unsigned scaled(unsigned a, unsigned b) {
  const unsigned product = a * b + 128;
  return ((product >> 8U) + product) >> 8U;
}

/// Files hold CMYK inverted (as Adobe writes it): 255 is no ink.
Image rgb_from_inverted_cmyk(const Image& cmyk) {
  Image rgb = blank_image(cmyk.width, cmyk.height, 3);
  for (std::size_t pixel = 0; pixel * 4 < cmyk.pixels.size(); ++pixel) {
    const unsigned light = cmyk.pixels[pixel * 4 + 3];
    for (std::size_t c = 0; c < 3; ++c) {
      const unsigned ink = 255U - cmyk.pixels[pixel * 4 + c];
      rgb.pixels[pixel * 3 + c] = static_cast<std::uint8_t>(light - scaled(ink, light));
    }
  }
  return rgb;
}

/// True where the decoder's last call gave pixels, if perhaps with a warning (stray bytes between
/// markers are common and harmless). A file that ends too early is not one of these: its lower
/// part would be grey.
bool is_harmless(tjhandle handle) {
  if (tjGetErrorCode(handle) != TJERR_WARNING) return false;
  return std::strstr(tjGetErrorStr2(handle), "Premature end of JPEG file") == nullptr;
}

Image decode_jpeg(Bytes file, std::string_view where, std::int64_t most_pixels) {
  const std::unique_ptr<void, CloseJpeg> handle(tjInitDecompress());
  if (handle == nullptr) throw Error(Errc::failed, "cannot start a JPEG decoder; free some memory");
  const auto refuse = [&] {
    std::string why = tjGetErrorStr2(handle.get());
    why = why.substr(why.find("): ") == std::string::npos ? 0 : why.find("): ") + 3);
    fail(where,
         fmt::format("cannot be decoded as JPEG: {}; convert or replace it", printable(why)));
  };
  const auto* bytes = reinterpret_cast<const unsigned char*>(file.data());
  int width = 0;
  int height = 0;
  int subsampling = 0;
  int color_space = -1;
  // It also fails, after having told all of these, for subsamplings that it has no name for.
  const int told = tjDecompressHeader3(handle.get(), bytes, file.size(), &width, &height,
                                       &subsampling, &color_space);
  if (told != 0 && (width <= 0 || height <= 0 || color_space < 0)) refuse();
  check_size(width, height, most_pixels, where);

  const bool inks = color_space == TJCS_CMYK || color_space == TJCS_YCCK;
  Image image = blank_image(width, height, inks ? 4 : 3);
  // A progressive file of a few kilobytes can ask for thousands of passes over the image.
  constexpr int kFlags = TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS;
  const int decoded = tjDecompress2(handle.get(), bytes, file.size(), image.pixels.data(), width, 0,
                                    height, inks ? TJPF_CMYK : TJPF_RGB, kFlags);
  if (decoded != 0 && !is_harmless(handle.get())) refuse();
  return inks ? rgb_from_inverted_cmyk(image) : image;
}

// PNG --------------------------------------------------------------------------------------------

/// libpng leaves a call by longjmp, so everything with a destructor lives out here, and the
/// functions that it may leave hold plain values only.
struct Png {
  explicit Png(Bytes file) : rest(file) {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png != nullptr) info = png_create_info_struct(png);
  }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;
  ~Png() { png_destroy_read_struct(&png, &info, nullptr); }

  static void on_error(png_structp from, png_const_charp text) {
    auto* self = static_cast<Png*>(png_get_error_ptr(from));
    std::strncpy(self->problem.data(), text, self->problem.size() - 1);
    png_longjmp(from, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}  // of colour profiles and the like
  static void on_read(png_structp from, png_bytep to, std::size_t count) {
    auto* self = static_cast<Png*>(png_get_io_ptr(from));
    if (count > self->rest.size()) png_error(from, "the file ends too early");
    std::memcpy(to, self->rest.data(), count);
    self->rest = self->rest.subspan(count);
  }

  png_structp png = nullptr;
  png_infop info = nullptr;
  Bytes rest;
  std::array<char, 160> problem = {};
};

/// Reads up to the pixels and asks for RGB of 8 bits.
bool read_head(Png& file) {
  if (setjmp(png_jmpbuf(file.png)) != 0) return false;
  png_set_read_fn(file.png, &file, Png::on_read);
  png_read_info(file.png, file.info);
  png_set_expand(file.png);
  png_set_strip_16(file.png);
  png_set_strip_alpha(file.png);
  png_set_gray_to_rgb(file.png);
  png_set_interlace_handling(file.png);
  png_read_update_info(file.png, file.info);
  return true;
}

/// REQUIRES: `rows` has one pointer a row.
bool read_rows(Png& file, std::vector<png_bytep>& rows) {
  if (setjmp(png_jmpbuf(file.png)) != 0) return false;
  png_read_image(file.png, rows.data());
  return true;
}

Image decode_png(Bytes bytes, std::string_view where, std::int64_t most_pixels) {
  Png file(bytes);
  if (file.info == nullptr) throw Error(Errc::failed, "cannot start a PNG decoder; free memory");
  const auto refuse = [&] {
    fail(where, fmt::format("cannot be decoded as PNG: {}; convert or replace it",
                            printable(file.problem.data())));
  };
  if (!read_head(file)) refuse();
  const png_uint_32 width = png_get_image_width(file.png, file.info);
  const png_uint_32 height = png_get_image_height(file.png, file.info);
  check_size(width, height, most_pixels, where);
  Image image = blank_image(static_cast<int>(width), static_cast<int>(height), 3);
  if (png_get_rowbytes(file.png, file.info) != image.row_bytes()) {
    fail(where, "its PNG pixels cannot be turned into RGB; convert or replace it");
  }
  std::vector<png_bytep> rows(height);
  for (std::size_t y = 0; y < rows.size(); ++y) {
    rows[y] = image.pixels.data() + y * image.row_bytes();
  }
  if (!read_rows(file, rows)) refuse();
  return image;
}

}  // namespace

std::optional<std::string_view> image_format(Bytes file) {
  struct Magic {
    std::string_view bytes;
    std::string_view format;
  };
  using namespace std::string_view_literals;
  constexpr Magic kMagic[] = {{"\xFF\xD8\xFF"sv, "JPEG"}, {"\x89PNG\r\n\x1A\n"sv, "PNG"},
                              {"GIF8"sv, "GIF"},          {"BM"sv, "BMP"},
                              {"II*\0"sv, "TIFF"},        {"MM\0*"sv, "TIFF"},
                              {"\0\0\1\0"sv, "ICO"}};
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  for (const Magic& magic : kMagic) {
    if (text.starts_with(magic.bytes)) return magic.format;
  }
  if (text.starts_with("RIFF") && text.substr(0, 12).ends_with("WEBP")) return "WebP";
  const std::string_view brand = text.substr(0, 12);
  if (brand.ends_with("ftypavif")) return "AVIF";
  if (brand.ends_with("ftypheic") || brand.ends_with("ftypmif1")) return "HEIC";
  return std::nullopt;
}

Image decode_image(Bytes file, std::string_view where, std::int64_t most_pixels) {
  const std::optional<std::string_view> format = image_format(file);
  if (format == "JPEG") return decode_jpeg(file, where, most_pixels);
  if (format == "PNG") return decode_png(file, where, most_pixels);
  if (file.empty()) fail(where, "the file is empty; replace it");
  if (!format) fail(where, "is no image that quantlens reads (JPEG or PNG); convert it");
  fail(where, fmt::format("is a {} image; quantlens reads JPEG and PNG, convert it", *format));
}

}  // namespace quantlens
