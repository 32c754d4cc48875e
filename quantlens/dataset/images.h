// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "quantlens/dataset/dataset.h"
#include "quantlens/dataset/transform.h"

namespace quantlens {

/// Where images and their classes are.
struct ImageFolder {
  std::filesystem::path folder;
  std::filesystem::path labels;  ///< "file class" a line, files relative to `folder`; may be empty
  ImageSteps steps;
  std::string where;   ///< who asked for it, for sentences: the document, or the folder
  std::string caveat;  ///< of the data set
};

/// The images that the labels file names, in its order. Without one: the images in the folder
/// sorted by name, without labels; where there are only folders in it, their images, labelled by
/// the index of the folder's sorted name (the layout of ImageNet). Files are decoded when they are
/// read; a missing or broken one fails then. Throws Errc::not_found or Errc::bad_input for a folder
/// that is absent or has no images, and for a labels file that makes no sense.
std::unique_ptr<Dataset> open_images(const ImageFolder& images, const InputSpec& input);

}  // namespace quantlens
