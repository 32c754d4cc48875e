// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/offered.h"
#include "cli/terminal.h"
#include "quantlens/base/store.h"
#include "quantlens/base/words.h"
#include "quantlens/flow/session.h"
#include "quantlens/graph/cut.h"
#include "quantlens/report/run_view.h"
#include "quantlens/workspace/workspace.h"

namespace quantlens::cli {

/// Exit codes beside those of errors.
inline constexpr int kDone = 0;
inline constexpr int kGoalMissed = 3;

/// What the chosen verb does after parsing; gives the exit code.
using Runner = std::function<int()>;

/// All verbs, in the order of the help. `command_line`: the arguments as given, for the record.
void add_commands(CLI::App& program, const std::vector<std::string>& command_line, Runner& chosen);

/// For a sentence: the beginning of a long text.
std::string shortened(const std::string& text);

/// What an option's value must be; otherwise its sentence is the usage error.
CLI::Validator not_empty();
CLI::Validator number();  ///< neither NaN nor an infinity
CLI::Validator share();   ///< reads "5%" as 0.05
/// The running program itself, also where its file was replaced meanwhile.
inline constexpr const char* kThisProgram = "/proc/self/exe";

/// CLI11 alone reads -1 as a large number, and cuts large numbers off.
inline constexpr std::uint64_t kMostCount = std::numeric_limits<std::int64_t>::max();
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);
CLI::Validator one_of(std::vector<std::string> words);
template <WordEnum E>
CLI::Validator one_of() {
  const std::vector<std::string_view> known = words<E>();
  return one_of(std::vector<std::string>(known.begin(), known.end()));
}

/// As --progress and --quiet say it.
class ProgressOptions {
 public:
  void add_to(CLI::App& verb);
  TerminalProgress make() const;
  bool is_quiet() const { return quiet_; }

 private:
  std::string word_ = "auto";
  bool quiet_ = false;
};

/// Options that every verb over stored runs has: where they are, and its progress.
class StoredRunOptions {
 public:
  void add_to(CLI::App& verb);
  Workspace workspace(Store& store) const { return {store, folder_}; }
  TerminalProgress make_progress() const { return progress_.make(); }

 private:
  std::string folder_;
  ProgressOptions progress_;
};

/// Whether a verb has --data and its company, and with it --isolate.
enum class DataOption { none, optional, required };

/// --inputs and --outputs, for verbs that read a model: where the network begins and ends.
class EndsOptions {
 public:
  void add_to(CLI::App& verb);
  const Ends& ends() const { return ends_; }

 private:
  Ends ends_;
};

/// Options that every long verb has.
class LongOptions {
 public:
  void add_to(CLI::App& verb, DataOption data);
  /// --isolate, for verbs that run models over data of their own.
  void add_isolation_to(CLI::App& verb);
  TerminalProgress make_progress() const;
  flow::Session session(Store& store, Progress& progress,
                        const std::vector<std::string>& arguments) const;
  flow::DataChoice data() const;
  /// --calibration-data, for verbs that calibrate and then measure.
  void add_calibration_data(CLI::App& verb);
  std::optional<flow::DataChoice> calibration_data() const;
  /// --inputs and --outputs, for verbs that read models.
  void add_ends(CLI::App& verb) { ends_.add_to(verb); }
  const Ends& ends() const { return ends_.ends(); }

 private:
  std::optional<Isolation> isolation() const;
  std::shared_ptr<Workers> workers(Progress& progress) const;

  std::optional<std::string> calibration_data_;
  EndsOptions ends_;
  std::string data_, workspace_, name_;
  ProgressOptions progress_;
  std::optional<std::uint64_t> limit_, batch_size_;
  std::uint64_t seed_ = 0;
  unsigned threads_ = 0;
  bool strict_ = false, isolate_ = false;
  double isolate_timeout_ = Isolation().timeout_seconds;
};

/// How a table verb prints: --output, --wide, --all.
class TableOptions {
 public:
  void add_to(CLI::App& verb);
  /// --output alone, for verbs whose tables are short.
  void add_form_to(CLI::App& verb);
  /// --sort, for verbs that print a diagnosis.
  void add_sort_to(CLI::App& verb);
  bool is_json() const { return format_ == "json"; }
  /// Of a verb with several tables only the first is printed then; the others are in the workspace.
  bool is_csv() const { return format_ == "csv"; }
  bool is_markdown() const { return format_ == "markdown"; }
  /// What people read on a terminal.
  bool is_text() const { return format_ == "table"; }
  /// How the run is shown in the wanted format.
  RunView view() const;
  /// On standard output, in the wanted format (not json).
  void print(const Table& table) const;
  /// Lines for people; nothing where programs read.
  void tell(std::string_view lines) const;

 private:
  std::string format_ = "table";
  bool wide_ = false, all_ = false;
  ActivationOrder order_ = ActivationOrder::sqnr;
};

/// Writes to standard output; a broken pipe or a full disk throws Errc::io.
void print_out(std::string_view text);

}  // namespace quantlens::cli
