// tuning: which recipes are worth a trial, and which of those tried is the best. Searches; builds
// no model, runs nothing, stores and prints nothing: whoever calls a strategy gives it a Search
// that does. Start here; space.h is what may vary, goal.h what is wanted. A new strategy is a file
// in strategies/ and a row in strategy.cpp. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quantlens/record/diagnosis.h"
#include "quantlens/record/study.h"
#include "quantlens/tuning/space.h"

namespace quantlens {

/// How much a trial is to tell.
enum class Look {
  whole,   ///< the figure over all samples: only such trials can be the best one
  early,   ///< whether the goal is met; less samples where they leave no doubt
  outputs  ///< how far the outputs are from the float model's, over few samples; no figure
};

/// A recipe to be tried.
struct Proposal {
  Recipe recipe;
  std::string why;  ///< for people
  Look look = Look::whole;
};

/// What a search begins with.
struct Task {
  Recipe start;
  Space space;
  Goal goal;
  std::uint64_t seed = 0;
};

/// What a strategy may ask.
class Search {
 public:
  explicit Search(Task task) : task_(std::move(task)) {}
  virtual ~Search() = default;
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  const Task& task() const { return task_; }
  /// Nothing where the limits of the search are reached: a strategy then returns.
  virtual std::optional<Trial> run(const Proposal& proposal) = 0;
  /// What a model of this recipe loses where, by few samples; null where it cannot be had.
  virtual const Diagnosis* diagnose(const Recipe& recipe) = 0;

  /// Whether this trial ends the search: it is within the goal, and no better one is wanted.
  bool is_enough(const Trial& trial) const {
    return trial.reached && task_.goal.objective != Objective::accuracy;
  }

 private:
  Task task_;
};

/// Proposes recipes until it is done or `run` gives nothing. It asks the same again where it gets
/// the same answers, whatever the machine: so a search is resumed by answering from its records.
using Strategy = void (*)(Search& search);

/// Throws Errc::usage, naming the nearest, for an unknown one.
Strategy strategy_named(const std::string& name);

/// For help, the default first.
std::vector<std::string> strategy_names();

/// Whether two trials were judged over all samples; then `trial.loss` may be compared.
bool has_figure(const Trial& trial);

/// Tries with `Look::early`, and over all samples where that ended early within the goal.
std::optional<Trial> run_to_the_end(Search& search, Proposal proposal);

/// Keeps ops in float, one after the other in this order, on top of a recipe, until a trial is
/// enough.
void fall_back_in_order(Search& search, const Recipe& recipe,
                        const std::vector<const TunableOp*>& order);

}  // namespace quantlens
