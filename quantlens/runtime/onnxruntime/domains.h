// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace quantlens::onnxruntime {

/// Makes the operator sets of taps and timers known to the runtime, by loading a model of one node.
/// The runtime looks a set up and adds it in two steps, in a list that all sessions of a process
/// share: two sessions that bring a new one at the same time collide, and sessions that bring a
/// known one do not. REQUIRES: the library is loaded. Throws Ort::Exception where it refuses.
void make_domains_known();

}  // namespace quantlens::onnxruntime
