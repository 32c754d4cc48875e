// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "quantlens/graph/model.h"
#include "quantlens/profiling/pair/join.h"
#include "quantlens/record/pairing.h"
#include "quantlens/record/prices.h"
#include "quantlens/tuning/space.h"

namespace quantlens {

/// One quantized form of the reference, profiled beside it.
struct PricedModel {
  ProfiledModel profiled;
  Pairing pairing;  ///< with the reference
};

/// Learns prices from profiles of the float model and of quantized forms of it: of one with all in
/// int8 that may be, and, to learn what conversions cost, of one where int8 and float alternate.
/// Kernels are priced as they were seen, conversions by curves through those seen (curve.h); those
/// of images change the layout, too.
Prices learn_prices(const ProfiledModel& reference, const PricedModel& quantized,
                    const PricedModel* mixed);

/// Throws Errc::bad_input, which names `where`, unless these are prices of this model: times that
/// are numbers of 0 or more, groups that are there, ops that the model has.
void check_prices(const Prices& prices, const Graph& reference, std::string_view where);

/// Which groups compute in int8 where `quantized` (ids of the reference's ops) are, and what passes
/// codes behind these.
std::vector<bool> in_int8(const Prices& prices, const std::set<std::string>& quantized);

/// Which groups read a value of a group of the other precision. `int8`: which are.
std::vector<bool> beside_others(const Prices& prices, const std::vector<bool>& int8);

/// What a model takes, in microseconds of one run, whose ops are in int8 where `quantized` (ids of
/// the reference's ops) has any of their group's.
double predict_us(const Prices& prices, const std::set<std::string>& quantized);

/// Of all ways to have some of the `choices` (ids of ops that may be in int8) in int8 and all else
/// in float, the one that is predicted to be the fastest: ids of the ops in int8. What passes codes
/// is in int8 where what it reads or what reads it is (a plan has it so). A minimum cut
/// (Boykov and Kolmogorov's, from Boost.Graph), exact for these prices but for three terms that
/// it takes in parts: a value's quantizer that several readers share, what a group costs more
/// behind others, which counts for each of them, and floats that a kernel gives to several readers.
std::set<std::string> cheapest(const Prices& prices, const std::set<std::string>& choices);

/// Of a space's ops those that should be float for the model to be as fast as it can be: ops that
/// the `cheapest` way does not have in int8, and what moves elements for these alone.
std::vector<const TunableOp*> slower_in_int8(const Prices& prices, const Space& space);

}  // namespace quantlens
