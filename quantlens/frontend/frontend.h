// frontend: model files in and out, one folder a format. Reads everything, decides nothing: what to
// change comes as a Plan, and every untouched byte is copied through. Start here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/base/store.h"
#include "quantlens/frontend/patch.h"
#include "quantlens/graph/model.h"
#include "quantlens/record/plan.h"

namespace quantlens::frontend {

/// Reads a model of any known format, found by content. Weights stay views of the mapped file.
/// Throws Errc::not_found, Errc::bad_input (not a model, truncated, inconsistent) or
/// Errc::unsupported, naming the path.
Model read(const fs::path& path);

/// A model of a known format in these bytes, without a look at what they are; `path`: what messages
/// call it. Throws as `read`, and Errc::unsupported for a format that is not known.
Model read_as(std::string_view format, const fs::path& path, MappedFile file);

/// A model in operators that have words for everything a plan may ask (ONNX: opset 13), whose nodes
/// have names of their own, and what people should know of it: that it was converted, or why it
/// could not be. All ops keep the names of what they make.
struct Upgraded {
  Model model;
  std::vector<std::string> notes;
};
Upgraded upgrade(Model model);

/// The model with what `plan` edits of it, not written anywhere; `metadata` is added to its own.
/// Weights in files beside the model stay there. Throws as `apply` does.
Model edited(const Model& model, const Plan& plan,
             const std::map<std::string, std::string>& metadata);

/// The files that a model is read from: its own first, then those of its external data.
std::vector<fs::path> files_of(const Model& model);

/// The files that the model at `path` names itself, as it names them (ONNX: those of external
/// data), in order. They need not be there; neither the model nor a weight is read, so this is for
/// files of strangers. Throws as `read` where the bytes are no model of a known format, or are cut
/// off.
std::vector<std::string> named_in(const fs::path& path);

/// The files that `apply` to `path` may write.
std::vector<fs::path> files_for(const fs::path& path);

/// Writes the model that `plan` asks for (with its external data file, if the source has one) to
/// `path`, all or nothing. `metadata` is added to the file's own key/value
/// properties; the map of original names is added under "quantlens.names". Returns sentences on
/// what the plan's format has no words for, and is written in another way.
std::vector<std::string> apply(const Model& model, const Plan& plan,
                               const std::map<std::string, std::string>& metadata, Store& store,
                               const fs::path& path);

/// Writes the model with this patch to `path`, all or nothing; external data come into the file.
/// Throws Errc::unsupported where a value is none that a node makes.
void write_patched(const Model& model, const Patch& patch, Store& store, const fs::path& path);

}  // namespace quantlens::frontend
