// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "quantlens/dataset/arrays.h"
#include "quantlens/dataset/synthetic.h"
#include "quantlens/dataset/tfrecord.h"
#include "quantlens/dataset/transform.h"

namespace quantlens {

struct ImagesSource {
  std::string folder;
  std::string labels;  ///< may be empty
  ImageSteps steps;
};

struct TfrecordSource {
  std::string files;  ///< one, or a pattern
  ImageFeatures features;
  ImageSteps steps;
};

struct NpzSource {
  std::string file;
  ArrayRoles roles;
};

struct NpySource {
  std::string file;
  std::string labels;  ///< may be empty
};

struct RandomSource {
  std::optional<std::uint64_t> count;
  std::optional<std::uint64_t> seed;
  std::map<std::string, Shape> shapes;
};

/// A data document as written (docs/data.md): nothing is opened, paths are as they stand.
struct DataDocument {
  std::variant<ImagesSource, TfrecordSource, NpzSource, NpySource, RandomSource> source;
  std::optional<std::string> input;
  std::optional<std::uint64_t> batch_size;
  std::optional<std::uint64_t> limit;
};

/// Reads YAML, of which JSON is a part. Throws Errc::bad_input naming `where` for what is neither,
/// and Errc::usage naming the key for anything that it does not know, with the nearest one.
DataDocument parse_data_document(std::string_view text, std::string_view where);

}  // namespace quantlens
