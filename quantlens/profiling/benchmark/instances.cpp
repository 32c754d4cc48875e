// SPDX-License-Identifier: Apache-2.0
#include "quantlens/profiling/benchmark/instances.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/runtime/remote/channel.h"
#include "quantlens/runtime/remote/process.h"

namespace quantlens {

using remote::FrameType;
using remote::Message;
using remote::message_of;
using remote::Process;
using remote::Received;
using remote::Transfer;

/// One of them, seen from outside.
class Instances::Instance {
 public:
  /// `name`: "instance 2 of 4".
  Instance(std::string name, const InstancesOptions& options)
      : name_(std::move(name)),
        process_({.program = options.program,
                  .arguments = {"benchmark-instance"},
                  .role = "an instance of the benchmark",
                  .advice = "check the path, or run without --instances"}),
        channel_(process_.take_socket(),
                 [this, stop = options.stop](int socket, short events) {
                   return process_.wait_for(socket, events, deadline_, stop);
                 }),
        timeout_seconds_(options.timeout_seconds) {}

  void send(Message message) {
    set_deadline();
    check(channel_.send(std::move(message)));
  }

  InstanceAnswer receive(FrameType type) {
    set_deadline();
    Received received;
    check(channel_.receive(received));
    if (received.header.type == FrameType::error) {
      const auto error = remote::message_from<remote::ErrorText>(received.text);
      throw Error(error.code, fmt::format("{} ({})", error.sentence, name_));
    }
    if (received.header.type != type) give_up("sent another answer than it was asked for");
    return remote::message_from<InstanceAnswer>(received.text);
  }

  [[noreturn]] void give_up(const std::string& problem) {
    process_.kill();
    const std::string words = process_.last_words();
    throw Error(Errc::failed,
                fmt::format("{} (process {}) {}{}; all others were ended, too: try fewer "
                            "--instances or a smaller --batch-size",
                            name_, process_.id(), problem,
                            words.empty() ? "" : fmt::format("; it last said: {}", words)));
  }

 private:
  void check(Transfer transfer) {
    if (transfer == Transfer::done) return;
    if (transfer == Transfer::late) {
      give_up(fmt::format("did not answer within {:g} s and was ended (--isolate-timeout)",
                          *timeout_seconds_));
    }
    constexpr std::chrono::seconds kToDie(2);
    if (!process_.wait_for_end(kToDie)) give_up("closed the pipe");
    give_up(process_.how_it_ended());
  }

  void set_deadline() {
    if (!timeout_seconds_) return;
    constexpr double kLongest = 1e8;
    const std::chrono::duration<double> wait(std::min(*timeout_seconds_, kLongest));
    deadline_ = Process::Clock::now() + std::chrono::ceil<Process::Clock::duration>(wait);
  }

  std::string name_;
  Process process_;
  Process::Clock::time_point deadline_ = Process::Clock::time_point::max();
  remote::Channel channel_;
  std::optional<double> timeout_seconds_;
};

Instances::Instances(const std::vector<InstanceJob>& jobs, const InstancesOptions& options)
    : stop_(options.stop) {
  for (const InstanceJob& job : jobs) {
    instances_.push_back(std::make_unique<Instance>(
        fmt::format("instance {} of {}", instances_.size() + 1, jobs.size()), options));
    instances_.back()->send(message_of(FrameType::open, job));
  }
  for (const auto& instance : instances_) {
    instance->receive(FrameType::opened);
    check_stop();
  }
}

Instances::~Instances() = default;

std::vector<InstanceAnswer> Instances::order_all(const InstanceOrder& order) {
  for (const auto& instance : instances_) instance->send(message_of(FrameType::step, order));
  std::vector<InstanceAnswer> answers;
  for (const auto& instance : instances_) {
    answers.push_back(instance->receive(FrameType::stepped));
    check_stop();
  }
  return answers;
}

/// An answer that comes soon after a request to stop does not make it undone.
void Instances::check_stop() const {
  if (stop_ && stop_()) throw Error(Errc::interrupted, "interrupted");
}

std::vector<std::vector<double>> Instances::time_round(std::uint64_t model) {
  order_all({.step = InstanceStep::prepare, .model = model});
  order_all({.step = InstanceStep::run});
  std::vector<std::vector<double>> runs_us;
  for (InstanceAnswer& answer : order_all({.step = InstanceStep::stop})) {
    const auto is_time = [](double us) { return std::isfinite(us) && us > 0; };
    if (answer.runs_us.empty() || !std::ranges::all_of(answer.runs_us, is_time)) {
      instances_[runs_us.size()]->give_up("sent what are no times");
    }
    runs_us.push_back(std::move(answer.runs_us));
  }
  return runs_us;
}

}  // namespace quantlens
