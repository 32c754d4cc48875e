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

/// What the calling thread does while the verb runs; what is raised there is kept for the end.
void watch(nb::handle told, KeptProgress& progress, std::optional<nb::python_error>& raised) {
  const nb::gil_scoped_acquire gil;
  if (raised) return;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    tell(told, progress);
  } catch (nb::python_error& error) {
    raised.emplace(std::move(error));
    progress.stop();
  }
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

void run_verb(nb::handle told, const std::shared_ptr<RaisedFirst>& raised,
              const std::function<void(Progress&)>& work) {
  constexpr std::chrono::milliseconds kOften(50);
  KeptProgress progress;
  std::mutex mutex;
  std::condition_variable changed;
  bool is_over = false;
  std::exception_ptr failure;
  std::optional<nb::python_error> stopped_by;
  {
    const nb::gil_scoped_release free;
    std::jthread worker([&] {
      try {
        work(progress);
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      is_over = true;
      changed.notify_all();
    });
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, kOften, [&] { return is_over; })) {
      lock.unlock();
      watch(told, progress, stopped_by);
      lock.lock();
    }
  }
  if (stopped_by) throw std::move(*stopped_by);
  if (!failure) return tell(told, progress);
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    raise(error, raised->value());
  }
}

}  // namespace quantlens::python
