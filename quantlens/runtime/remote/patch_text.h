// A Patch as it travels through the worker pipe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/frontend/patch.h"
#include "quantlens/runtime/remote/messages.h"
#include "quantlens/runtime/remote/model_text.h"

namespace quantlens::remote {

/// A value that is made anew.
struct PatchedText {
  std::string value;
  GraphsText nodes;  ///< a graph of them, whose inputs are what they read
};
BOOST_DESCRIBE_STRUCT(PatchedText, (), (value, nodes))

/// What a model's file is to be written with.
struct PatchText {
  ModelFileText model;
  std::vector<TensorText> weights;  ///< their elements in the body
  std::vector<PatchedText> values;
  std::string path;  ///< where the result will be: a name that files have inside
};
BOOST_DESCRIBE_STRUCT(PatchText, (), (model, weights, values, path))

/// All but the model and the path. REQUIRES: the patch outlives the body.
PatchText text_from(const Patch& patch, Body& body);

/// The reverse. Throws as graph_from.
Patch patch_from(const PatchText& text, const Payload& body);

}  // namespace quantlens::remote
