// A Plan as it travels through the worker pipe: all of it, where plan.json has a part; and what
// comes of it. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "quantlens/record/plan.h"
#include "quantlens/runtime/remote/messages.h"
#include "quantlens/runtime/remote/model_text.h"

namespace quantlens {

BOOST_DESCRIBE_STRUCT(Scaling, (), (value, factor, uses))
BOOST_DESCRIBE_STRUCT(ValueEdit, (), (use, value))

}  // namespace quantlens

namespace quantlens::remote {

struct PlanText {
  Plan plan;                        ///< what plan.json has of it
  std::vector<TensorText> weights;  ///< their elements in the body
  std::vector<Scaling> scalings;
  std::vector<ValueEdit> value_edits;
  std::vector<std::string> removed;
};
BOOST_DESCRIBE_STRUCT(PlanText, (), (plan, weights, scalings, value_edits, removed))

/// What is to be made of a model's file.
struct ApplyText {
  ModelFileText model;
  PlanText plan;
  std::vector<EntryText> metadata;
  std::string path;  ///< where the result will be: a name that files have inside
};
BOOST_DESCRIBE_STRUCT(ApplyText, (), (model, plan, metadata, path))

/// A file that came of it: the next of the frame's files has its bytes, in sealed memory.
struct WrittenText {
  std::string suffix;  ///< behind the path of the result; of the result itself empty
  std::uint64_t bytes = 0;
};
BOOST_DESCRIBE_STRUCT(WrittenText, (), (suffix, bytes))

struct AppliedText {
  std::vector<std::string> notes;
  std::vector<WrittenText> files;  ///< the result itself last
};
BOOST_DESCRIBE_STRUCT(AppliedText, (), (notes, files))

/// REQUIRES: the plan outlives the body.
PlanText text_from(const Plan& plan, Body& body);

/// The reverse. Throws Errc::bad_input where a weight is not in the body.
Plan plan_from(const PlanText& text, const Payload& body);

}  // namespace quantlens::remote
