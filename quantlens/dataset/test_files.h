// Files for the tests of this folder, made as they run. Not part of the library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quantlens/base/error.h"
#include "quantlens/base/store.h"
#include "quantlens/dataset/image.h"
#include "quantlens/tensor/tensor.h"

namespace quantlens {

/// A folder that is removed in the end.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const fs::path& path() const { return path_; }
  /// Writes a file below the folder, with its parents, and gives its whole path.
  std::string write(const std::string& name, std::string_view bytes) const;

 private:
  fs::path path_;
};

/// A smooth colour image with a few hard edges.
Image test_image(int width, int height);

/// JPEG of the best quality without subsampling.
std::string jpeg_file(const Image& image);
std::string png_file(const Image& image);

enum class Packing { stored, deflated };

/// A zip archive of members as they are given: "audio.npy" and its bytes.
std::string zip_file(const std::vector<std::pair<std::string, std::string>>& members,
                     Packing packing);
/// The same of arrays, as NumPy writes them.
std::string npz_file(const std::vector<std::pair<std::string, Tensor>>& arrays,
                     Packing packing = Packing::stored);

/// TensorFlow's records.
std::string record_file(const std::vector<std::string>& records);
/// A `tf.train.Example` with features of one text or one integer each.
std::string example_of(const std::vector<std::pair<std::string, std::string>>& texts,
                       const std::vector<std::pair<std::string, std::int64_t>>& integers = {});

/// The sentence of the Error that the call throws, its code before it ("bad_input: x.jpg: ..."); ""
/// where it throws none.
std::string sentence(const std::function<void()>& call);

/// shared/testdata: by the environment's QUANTLENS_TESTDATA, else beside the project; nothing where
/// it is absent.
std::optional<fs::path> testdata_folder();

}  // namespace quantlens
