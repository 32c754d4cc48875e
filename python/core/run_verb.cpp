// SPDX-License-Identifier: Apache-2.0
#include "python/core/run_verb.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>

#include "python/core/asked.h"
#include "quantlens/base/error.h"

namespace quantlens::python {
namespace {

/// Keeps what the verb tells until the caller's thread asks.
class KeptProgress final : public Progress {
 public:
  struct Told {
    std::string step;
    std::uint64_t done = 0;
    std::optional<std::uint64_t> total;
    std::vector<std::string> notes;
  };

  void begin(std::string_view step, std::optional<std::uint64_t> total) override {
    const std::lock_guard lock(mutex_);
    told_.step = step;
    told_.done = 0;
    told_.total = total;
  }
  void advance(std::uint64_t units) override {
    const std::lock_guard lock(mutex_);
    told_.done += units;
  }
  void end() override {
    const std::lock_guard lock(mutex_);
    told_.step.clear();
  }
  void note(std::string_view sentence) override {
    const std::lock_guard lock(mutex_);
    told_.notes.emplace_back(sentence);
  }
  bool stop_requested() const override { return stop_; }

  void stop() { stop_ = true; }
  /// Notes are told once.
  Told take() {
    const std::lock_guard lock(mutex_);
    Told told = told_;
    told_.notes.clear();
    return told;
  }

 private:
  std::mutex mutex_;
  Told told_;
  std::atomic<bool> stop_ = false;
};

const char* class_of(Errc code) {
  switch (code) {
    case Errc::usage:
      return "UsageError";
    case Errc::bad_input:
      return "BadInput";
    case Errc::not_found:
      return "NotFound";
    case Errc::unsupported:
      return "Unsupported";
    case Errc::io:
      return "IoError";
    case Errc::interrupted:
      return "Interrupted";
    case Errc::failed:
      break;
  }
  return "Failed";
}

void tell(nb::handle told, KeptProgress& progress) {
  const KeptProgress::Told now = progress.take();
  if (told.is_none()) return;
  for (const std::string& sentence : now.notes) told.attr("note")(sentence);
  const nb::object total = now.total ? nb::object(nb::int_(*now.total)) : nb::object(nb::none());
  told.attr("update")(now.step, now.done, total);
}

constexpr std::chrono::milliseconds kOften(50);
constexpr std::chrono::seconds kPatience(1);

std::atomic<int> left_behind = 0;  ///< threads whose callers do not wait any more

/// At the end of the process: threads that were left behind may end what they do, as Python code
/// that was told to end, but not for long.
void end_of_process() {
  const nb::gil_scoped_release free;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (left_behind > 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(kOften);
  if (left_behind > 0) python_ends();
}

void register_end_of_process() {
  static bool is_registered = false;  // with the GIL held
  if (is_registered) return;
  is_registered = true;
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&end_of_process));
}

}  // namespace

void set_raised(const Error& error, const nb::object& cause) {
  const nb::object type = nb::module_::import_("quantlens.errors").attr(class_of(error.code()));
  const nb::object value = type(std::string(error.what()));
  if (cause.is_valid()) PyException_SetCause(value.ptr(), nb::object(cause).release().ptr());
  PyErr_SetObject(type.ptr(), value.ptr());
}

void raise(const Error& error, const nb::object& cause) {
  set_raised(error, cause);
  throw nb::python_error();
}

/// Shared by the thread that works and the one that waits, so that the latter may go.
class Work {
 public:
  KeptProgress progress;
  std::shared_ptr<CalledBack> called = std::make_shared<CalledBack>();

  /// On the thread that works.
  void run(PyObject* given, nb::object (*verb)(const Asked& asked),
           const std::shared_ptr<Work>& self) {
    const nb::gil_scoped_acquire gil;
    try {
      result_ = verb(Asked(nb::steal<nb::dict>(given), self));
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
    if (!is_left_) return;
    result_.reset();
    failure_ = nullptr;
    called.reset();
    --left_behind;
  }

  /// On the thread that called; false: it is left behind.
  bool wait(nb::handle told) {
    const nb::gil_scoped_release free;
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kOften, [&] { return is_over_; })) {
      lock.unlock();
      const bool is_to_be_left = watch(told);
      lock.lock();
      if (!is_to_be_left || is_over_) continue;
      is_left_ = true;
      ++left_behind;
      return false;
    }
    return true;
  }

  void raise_stop() {
    if (stopped_by_) throw std::move(*stopped_by_);
  }

  /// Raises what stopped it, or what it threw.
  nb::object take() {
    raise_stop();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return std::move(result_);
  }

 private:
  /// Whether there is no sense in waiting any longer: code of the caller's was told to end, and is
  /// in the system or in a library that does not come back to Python.
  bool watch(nb::handle told) {
    const nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) {
        ++signals_;
        throw nb::python_error();
      }
      if (!stopped_by_) tell(told, progress);
    } catch (nb::python_error& error) {
      if (!stopped_by_) stopped_by_.emplace(std::move(error));
      progress.stop();
    }
    if (signals_ == 0) return false;
    called->interrupt();
    if (!stopped_at_) stopped_at_ = std::chrono::steady_clock::now();
    const bool is_patient = std::chrono::steady_clock::now() - *stopped_at_ < kPatience;
    if (!called->is_inside() || (signals_ == 1 && is_patient)) return false;
    register_end_of_process();
    return true;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false, is_left_ = false;
  nb::object result_;
  std::exception_ptr failure_;
  // Of the thread that called.
  std::optional<nb::python_error> stopped_by_;
  std::optional<std::chrono::steady_clock::time_point> stopped_at_;
  int signals_ = 0;
};

nb::object beside(nb::dict given, nb::object (*verb)(const Asked& asked)) {
  const nb::object told = Asked(given, nullptr).at("progress");
  const auto work = std::make_shared<Work>();
  std::thread thread([work, verb, held = given.release().ptr()] { work->run(held, verb, work); });
  if (!work->wait(told)) {
    thread.detach();
    work->raise_stop();
  }
  {
    const nb::gil_scoped_release free;
    thread.join();
  }
  nb::object result = work->take();
  tell(told, work->progress);
  return result;
}

std::shared_ptr<CalledBack> called_back(const Work& work) {
  return work.called;
}

namespace {

/// Of a verb without the GIL, which is about to be taken again.
struct Unheld {
  Unheld() = default;
  ~Unheld() { wait_if_python_ends(); }
  Unheld(const Unheld&) = delete;
  Unheld& operator=(const Unheld&) = delete;
  nb::gil_scoped_release free;
};

}  // namespace

void run_verb(Work& work, const std::function<void(Progress&)>& verb) {
  try {
    const Unheld unheld;
    verb(work.progress);
  } catch (const Error& error) {
    raise(error, work.called->raised());
  }
}

}  // namespace quantlens::python
