// Nodes held against each other word by word, in the words of their format. What they mean is not
// asked here: two ways to say the same are different.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "quantlens/graph/model.h"

namespace quantlens {

/// Whether both are of one operator, of whichever set.
bool have_same_type(const Node& a, const Node& b);
/// Whether the node's operator is of the format's own set.
bool is_of_own_set(const Node& node);
/// Whether their operators are of one set.
bool are_of_one_set(const Node& a, const Node& b);
/// Both of it.
bool is_same_operator(const Node& a, const Node& b);

/// What a node says under a word of its format; null where it says nothing.
const Attribute* said(const Node& node, const std::string& key);

/// Whether both have the same attributes; tensors are never the same.
bool have_same_attributes(const Node& a, const Node& b);

/// How many of the attributes that both have are surely others: neither tensors, nor negative
/// numbers (which count from an end), nor how a window is padded to fit.
std::size_t count_different_attributes(const Node& a, const Node& b);

}  // namespace quantlens
