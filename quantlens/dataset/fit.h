// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quantlens/dataset/dataset.h"

namespace quantlens {

/// The shape under which a sample of shape `sample` is what `input` takes, or nothing where there
/// is none: the sample's own, or, where it begins with an extent of 1 that stands for the model's
/// batch dimension, the rest of it. An input of no shape at all takes everything.
std::optional<Shape> fit_shape(const Shape& sample, const InputSpec& input);

/// "float32 [3,224,224] (after the batch dimension)", for sentences about what a model takes.
std::string describe(const InputSpec& input);

/// How a label of this type and shape is held.
struct LabelForm {
  DType dtype = DType::int64;
  Shape shape;
};

/// An integer label becomes int64, one of a single element a scalar; others stay what they are.
LabelForm label_form(DType dtype, Shape shape);

/// Whether some values of one type may become the other: numbers only.
bool is_convertible(DType from, DType to);

/// The same values as `to`. Integers and booleans must keep their value; a floating-point type may
/// be rounded to a narrower one if what was finite stays finite. Views `tensor` where nothing
/// changes. Throws Errc::bad_input naming `where` and the first value that does not fit.
/// REQUIRES: is_convertible(tensor.dtype(), to).
Tensor convert(const Tensor& tensor, DType to, std::string_view where);

}  // namespace quantlens
