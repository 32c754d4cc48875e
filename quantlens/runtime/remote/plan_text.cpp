// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/plan_text.h"

#include <boost/pfr/tuple_size.hpp>

namespace quantlens::remote {
namespace {

constexpr std::size_t kDefaults = 4;  // weights, scalings, value_edits, removed
static_assert(boost::pfr::tuple_size_v<Plan> ==
                  boost::mp11::mp_size<json::detail::Members<Plan>>::value + kDefaults,
              "a field of Plan that plan.json does not have has to travel, too");

}  // namespace

PlanText text_from(const Plan& plan, Body& body) {
  return {.plan = plan,
          .weights = add_tensors(plan.weights, body),
          .scalings = plan.scalings,
          .value_edits = plan.value_edits,
          .removed = plan.removed};
}

Plan plan_from(const PlanText& text, const Payload& body) {
  Plan plan = text.plan;
  plan.weights = tensors_from(text.weights, body);
  plan.scalings = text.scalings;
  plan.value_edits = text.value_edits;
  plan.removed = text.removed;
  return plan;
}

}  // namespace quantlens::remote
