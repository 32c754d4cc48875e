// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "quantlens/dataset/dataset.h"
#include "quantlens/dataset/transform.h"

namespace quantlens {

/// Features of an Example that has an image, by the names that TensorFlow's own ImageNet files
/// have.
struct ImageFeatures {
  std::string image = "image/encoded";      ///< the bytes of a JPEG or PNG file
  std::string label = "image/class/label";  ///< one integer
  bool is_label_needed = false;             ///< somebody named it
};

/// Where images and their classes are: in TensorFlow's records, each a `tf.train.Example`.
struct RecordedImages {
  std::vector<std::filesystem::path> files;
  ImageFeatures features;
  ImageSteps steps;
  std::string where;   ///< who asked for them, for sentences: the document, or the file
  std::string caveat;  ///< of the data set
};

/// All records of the files, in their order. They have labels if the first record has one. A record
/// that is damaged, has no such image or, where others do, no label fails when it is read. Throws
/// Errc::not_found or Errc::bad_input for a file that is absent or no file of records, and where
/// the first record has no such features, naming what it has. REQUIRES: files.
std::unique_ptr<Dataset> open_tfrecord(const RecordedImages& images, const InputSpec& input);

}  // namespace quantlens
