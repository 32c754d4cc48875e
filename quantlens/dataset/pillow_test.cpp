// SPDX-License-Identifier: Apache-2.0
// Images against Pillow: pillow_check.py writes files, data documents and what Pillow makes of
// them.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "quantlens/dataset/open.h"
#include "quantlens/dataset/test_files.h"
#include "quantlens/tensor/npy.h"

namespace quantlens {
namespace {

/// The largest difference between the tensor and a row of Pillow's.
float difference(const Tensor& ours, const Tensor& theirs) {
  if (ours.size() != theirs.size()) return INFINITY;
  const Tensor a = to_float32(ours);
  const Tensor b = to_float32(theirs);
  float largest = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.size()); ++i) {
    largest = std::max(largest, std::abs(a.data<float>()[i] - b.data<float>()[i]));
  }
  return largest;
}

TEST(Images, AgreeWithPillowToOneGreyLevel) {
  const fs::path python = QUANTLENS_SOURCE_DIR "/third_party/python/bin/python";
  if (!fs::exists(python)) {
    GTEST_SKIP() << "Pillow is not there; `tools/setup --tests` installs it";
  }
  const TestFolder folder;
  const std::string images =
      testdata_folder() ? (*testdata_folder() / "imagenet/images").string() : "";
  const std::string command = python.string() +
                              " -B " QUANTLENS_SOURCE_DIR "/quantlens/dataset/pillow_check.py '" +
                              folder.path().string() + "' '" + images + "'";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  std::size_t cases = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) {
    if (entry.path().extension() != ".yaml") continue;
    const OpenedData opened = open_data(entry.path().string(), {}, {});
    for (std::uint64_t i = 0; i < opened.dataset->size(); ++i) {
      const std::string stem = entry.path().stem().string() + "." + std::to_string(i) + ".npy";
      const Tensor theirs = read_npy(MappedFile::open(folder.path() / stem), stem);
      const Tensor ours = opened.dataset->read(i).inputs.at("");
      EXPECT_EQ(ours.shape(), theirs.shape()) << stem;
      EXPECT_LE(difference(ours, theirs), 1) << stem << ": " << opened.dataset->name(i);
      ++cases;
    }
  }
  EXPECT_GE(cases, 50U);
}

}  // namespace
}  // namespace quantlens
