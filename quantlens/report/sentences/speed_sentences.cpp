// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <map>

#include <fmt/format.h>

#include "quantlens/base/counted.h"
#include "quantlens/base/text.h"
#include "quantlens/report/sentences/sentences.h"

namespace quantlens {
namespace {

/// "Conv + Relu": at most four types, without their domains. `types`: those of a row, joined by
/// " + ".
std::string short_types(std::string_view types) {
  constexpr std::string_view kBetween = " + ";
  constexpr std::size_t kMost = 4;
  std::string text;
  std::size_t count = 0;
  while (!types.empty()) {
    const std::string_view type = types.substr(0, types.find(kBetween));
    types.remove_prefix(std::min(types.size(), type.size() + kBetween.size()));
    if (++count > kMost) continue;
    if (!text.empty()) text += kBetween;
    text += type.substr(type.rfind('.') + 1);
  }
  if (count > kMost) text += fmt::format(" and {} more", count - kMost);
  return text.empty() ? "nothing" : text;
}

/// "QLinearConv", or of rows that differ "QLinearConv (3 ops), Conv + Relu (1)", the most first.
std::string kernels(const Figures& f, const char* name) {
  std::map<std::string, std::uint64_t> rows;
  for (const auto& [types, count] : f.counts(name)) rows[short_types(types)] += count;
  if (rows.empty()) return "?";
  if (rows.size() == 1) return rows.begin()->first;
  std::vector<std::pair<std::string, std::uint64_t>> most(rows.begin(), rows.end());
  std::ranges::stable_sort(most, std::ranges::greater(), &decltype(most)::value_type::second);
  std::string text;
  for (const auto& [types, count] : most) {
    text += text.empty() ? fmt::format("{} ({})", types, counted(count, "op"))
                         : fmt::format(", {} ({})", types, count);
  }
  return text;
}

std::string lost_kernel(const Figures& f) {
  return fmt::format(
      "{} stands between quantizers, but the runtime has no integer kernel for it there and "
      "computes it in float",
      kernels(f, "kernels"));
}

std::string float_island(const Figures& f) {
  return fmt::format("{} is computed in float and pays for what is around it",
                     kernels(f, "kernels"));
}

std::string broken_fusion(const Figures& f) {
  return fmt::format("what float computes as {} takes {} in int8", kernels(f, "reference_kernels"),
                     kernels(f, "kernels"));
}

std::string slow_kernel(const Figures& f) {
  return fmt::format("{}, which the quantized model runs, is slower than {} of the float model",
                     kernels(f, "kernels"), kernels(f, "reference_kernels"));
}

std::string with_readers(const Figures&) {
  return ", and needs what reads it in float, too";
}

std::string conversions(const Figures& f) {
  return fmt::format("{} saves less than conversions and layouts cost", kernels(f, "kernels"));
}

/// The times of one sentence, all in the unit that fits the greatest.
class Times {
 public:
  Times(const Figures& figures, std::initializer_list<const char*> names) : figures_(figures) {
    for (const char* name : names) is_in_ms_ = is_in_ms_ || std::abs(figures.number(name)) >= 1e3;
  }

  /// "53.8 us", "1.234 ms"; without a sign.
  std::string operator()(const char* name) const {
    const double us = std::abs(figures_.number(name));
    return is_in_ms_ ? fmt::format("{:.3f} ms", us / 1e3) : fmt::format("{:.1f} us", us);
  }

 private:
  const Figures& figures_;
  bool is_in_ms_ = false;
};

/// Conversions and layouts never stand under one word.
std::string times(const Figures& f) {
  const Times time(f, {"reference", "kernels", "conversions", "layouts"});
  return fmt::format(
      ": {} in the float model, {} in the quantized one, and there {} for conversions and {} for "
      "other layouts",
      time("reference"), time("kernels"), time("conversions"), time("layouts"));
}

std::string tried(const Figures& f) {
  const auto [low, high] = f.ends("interval");
  const char* verdict = high < 1  ? "is faster"
                        : low > 1 ? "is slower"
                                  : "is no faster, as far as these runs can tell";
  const Times time(f, {"in_float", "before", "around"});
  return fmt::format(
      ". Measured with {} in float, this model {}: it takes {:.3f} of its time (95 % {:.3f} to "
      "{:.3f}); they take {} then where they took {}, and what is next to them takes {} {}",
      f.has("ops") ? fmt::format("{} of these {} ops", f.count("ops"), f.count("of"))
                   : std::string("them"),
      verdict, f.number("ratio"), low, high, time("in_float"), time("before"), time("around"),
      f.number("around") < 0 ? "less" : "more");
}

std::string not_measured(const Figures&) {
  return ". What they take in float in this model is not measured (";
}

std::string float_neighbours(const Figures&) {
  return "): the float model's times are of ops whose neighbours are float, too";
}

std::string in_float_already(const Figures&) {
  return "it is in float already";
}

std::string beyond(const Figures& f) {
  return fmt::format("remedies of the first {} alone were to be tried",
                     counted(f.count("findings"), "finding"));
}

std::string no_recipe(const Figures&) {
  return "the file holds no recipe to make it anew by";
}

std::string edited_float_model(const Figures&) {
  return "the file was made from an edited float model";
}

std::string another_file(const Figures&) {
  return "the file comes out as another one when it is made anew by its recipe";
}

std::string no_time(const Figures&) {
  return "other remedies have taken a minute";
}

std::string other_graph(const Figures& f) {
  return fmt::format(
      "{}: with timers in its graph the runtime computes something else{}: the wall times are "
      "those of the file, but the times of nodes are of another graph",
      f.shown("model"),
      f.has("kept")
          ? fmt::format(" (the outputs keep {:.1f} dB of those without)", f.number("kept"))
          : "");
}

std::string compared(const Figures& f) {
  const double ratio = f.number("ratio");
  const auto [low, high] = f.ends("interval");
  const std::string how =
      low <= 1 && high >= 1
          ? "is neither faster nor slower than float, as far as these runs can tell"
          : fmt::format("is {:.2f} times as {} as float", ratio < 1 ? 1 / ratio : ratio,
                        ratio < 1 ? "fast" : "slow");
  return fmt::format(
      "The quantized model {}: run in turn with float, it takes {:.3f} of its time (95 % {:.3f} to "
      "{:.3f}); ",
      how, ratio, low, high);
}

std::string medians(const Figures& f) {
  const Times time(f, {"quantized", "reference"});
  const std::string text =
      fmt::format("medians {} against {}", time("quantized"), time("reference"));
  if (!f.has("other_ratio")) return text + ".";
  return text + fmt::format(
                    ", {:.3f} of each other, since the machine's speed changed between rounds: the "
                    "runs in turn are what compares.",
                    f.number("other_ratio"));
}

std::string balance(const Figures& f) {
  const Times time(f, {"saved", "lost", "conversions", "layouts"});
  return fmt::format(
      " Faster kernels save {}, slower ones cost {}, conversions {} and other layouts {}.",
      time("saved"), time("lost"), time("conversions"), time("layouts"));
}

constexpr Sentence kSpeedSentences[] = {
    {"speed.lost_kernel", lost_kernel},
    {"speed.float_island", float_island},
    {"speed.broken_fusion", broken_fusion},
    {"speed.slow_kernel", slow_kernel},
    {"speed.slow_kernel.with_readers", with_readers},
    {"speed.conversions", conversions},
    {"speed.times", times},
    {"speed.tried", tried},
    {"speed.not_measured", not_measured},
    {"speed.float_neighbours", float_neighbours},
    {"speed.not_tried.in_float", in_float_already},
    {"speed.not_tried.beyond", beyond},
    {"speed.not_tried.no_recipe", no_recipe},
    {"speed.not_tried.edited_float_model", edited_float_model},
    {"speed.not_tried.another_file", another_file},
    {"speed.not_tried.no_time", no_time},
    {"speed.other_graph", other_graph},
    {"speed.compared", compared},
    {"speed.medians", medians},
    {"speed.balance", balance},
};

}  // namespace

std::span<const Sentence> speed_sentences() {
  return kSpeedSentences;
}

}  // namespace quantlens
