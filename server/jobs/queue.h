// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace quantlens::server {

/// How many of the waiting jobs begin now, from the first: those that fit beside the running ones.
/// A job that does not fit holds back all behind it: small ones that kept coming would else let a
/// large one wait forever. `waiting`: cores of each, in the order of submission.
std::size_t jobs_to_begin(std::span<const unsigned> waiting, unsigned running, unsigned budget);

}  // namespace quantlens::server
