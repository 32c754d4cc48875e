// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <string>

#include <nanobind/ndarray.h>

#include "python/core/run.h"
#include "python/core/run_verb.h"
#include "quantlens/base/error.h"
#include "quantlens/base/store.h"
#include "quantlens/dataset/decode.h"

namespace quantlens::python {
namespace {

using Pixels = nb::ndarray<nb::numpy, std::uint8_t, nb::shape<-1, -1, 3>>;

/// The pixels of a JPEG or PNG file, [height, width, 3], the caller's own. The path is what
/// os.fsencode gives, for names that are no text.
Pixels read_image(const nb::bytes& path) {
  const std::string name(path.c_str(), path.size());
  auto image = std::make_unique<Image>();
  try {
    const nb::gil_scoped_release free;
    const MappedFile file = MappedFile::open(name);
    *image = decode_image(file.bytes(), name);
  } catch (const Error& error) {
    raise(error);
  }
  const std::size_t shape[] = {static_cast<std::size_t>(image->height),
                               static_cast<std::size_t>(image->width), 3};
  std::uint8_t* const pixels = image->pixels.data();
  const nb::capsule owner(image.release(),
                          [](void* held) noexcept { delete static_cast<Image*>(held); });
  return {pixels, 3, shape, owner};
}

}  // namespace

void bind_images(nb::module_& module) {
  module.def("read_image", &read_image);
}

}  // namespace quantlens::python
