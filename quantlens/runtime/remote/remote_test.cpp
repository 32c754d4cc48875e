// SPDX-License-Identifier: Apache-2.0
// Workers that fail, each in its way (test_worker.cpp); what a sound one promises is checked by the
// contract of all Runs.
#include "quantlens/runtime/remote/remote.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "quantlens/base/error.h"
#include "quantlens/base/memory_store.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/open.h"
#include "quantlens/runtime/remote/client.h"
#include "quantlens/runtime/testing/onnx_graphs.h"
#include "quantlens/runtime/workers.h"

namespace quantlens::remote {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// y = x + x, in a file that only memory has.
Model doubling_model() {
  Graph graph;
  graph.inputs = {onnxruntime::info("x", DType::float32, {std::nullopt, 2})};
  graph.nodes = {onnxruntime::op("Add", {"x", "x"}, "y")};
  graph.outputs = {onnxruntime::info("y", DType::float32, {std::nullopt, 2})};
  return onnxruntime::model_of(graph);
}

Batch batch_of(std::uint64_t first, std::int64_t count) {
  Batch batch;
  for (std::int64_t i = 0; i < count; ++i)
    batch.samples.push_back(first + static_cast<unsigned>(i));
  batch.inputs.emplace(
      "x", Tensor::from<float>({count, 2},
                               std::vector<float>(static_cast<std::size_t>(count) * 2, 1.5f)));
  return batch;
}

Worker fake(const std::string& fault, double timeout_seconds = 60) {
  return {.command = {.program = QUANTLENS_TEST_WORKER, .arguments = {fault}},
          .runtime = "fake",
          .timeout_seconds = timeout_seconds};
}

Worker real(const char* runtime = "oracle") {
  return {.command = {.program = QUANTLENS_TEST_WORKER, .arguments = {"worker", runtime}},
          .runtime = runtime};
}

TapSpec tap_on_y() {
  TapSpec spec;
  spec.taps = {{.value = "y"}};
  return spec;
}

std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

/// Neither children nor open files are left of what was begun since.
class RemoteRuns : public testing::Test {
 protected:
  void SetUp() override { files_ = open_files(); }
  void TearDown() override {
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
    EXPECT_EQ(errno, ECHILD);
    EXPECT_EQ(open_files(), files_);
  }

  /// What `act` throws; it must be Errc::failed.
  template <class Act>
  static std::string failure(const Act& act) {
    try {
      act();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::failed) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
  }

  static std::string failure_to_open(const Worker& worker) {
    const Model model = doubling_model();
    return failure([&] { open(worker, model, nullptr, {}, {}); });
  }

  /// Of a worker that answers the first step and then does not.
  static std::string failure_of_step(const std::string& fault, double timeout_seconds = 60) {
    const Model model = doubling_model();
    const auto run = open(fake(fault, timeout_seconds), model, nullptr, {}, {});
    run->step(batch_of(0, 2));
    const std::string sentence = failure([&] { run->step(batch_of(2, 3)); });
    EXPECT_THAT(sentence, AllOf(HasSubstr("model.onnx: in step 2 (samples 2 to 4): the worker for "
                                          "fake (process "),
                                Not(HasSubstr("\n"))));
    EXPECT_EQ(failure([&] { run->take(); }), sentence) << "it is of no more use";
    return sentence;
  }

 private:
  std::size_t files_ = 0;
};

TEST_F(RemoteRuns, ThatAreKilledSayBySignalAndStep) {
  EXPECT_THAT(failure_of_step("killed"),
              AllOf(HasSubstr("was ended by signal 9 (Killed)"), HasSubstr("--batch-size")));
}

TEST_F(RemoteRuns, WhoseRuntimeCrashesSaySo) {
  const std::string sentence = failure_of_step("crashes");
  // A sanitizer catches the signal, prints, and ends the process by itself.
  EXPECT_THAT(sentence, testing::AnyOf(HasSubstr("was ended by signal 11 (Segmentation fault); the "
                                                 "runtime cannot cope"),
                                       HasSubstr("Sanitizer")));
}

TEST_F(RemoteRuns, ThatEndSayWithWhatCodeAndLastWords) {
  EXPECT_THAT(failure_of_step("ends"), AllOf(HasSubstr("ended with exit code 7; it last said: ..."),
                                             HasSubstr(" | line 49999 | the last | words?[31m; ")));
  EXPECT_THAT(failure_to_open(fake("ends_at_once")),
              AllOf(HasSubstr("before it said what it is"), HasSubstr("exit code 7"),
                    HasSubstr("the last | words")));
}

TEST_F(RemoteRuns, WhoseCheckFailsSayWhichAndShowNoStack) {
  const std::string sentence = failure_of_step("checks");
  EXPECT_THAT(sentence,
              AllOf(HasSubstr("it last said: F0000 00:00:1.5 21086 op_kernel.cc:450] Check "
                              "failed: index < 7; "),
                    testing::Not(HasSubstr("0x7efee"))));
}

TEST_F(RemoteRuns, ThatAreSilentAreEndedAtTheDeadline) {
  const auto before = std::chrono::steady_clock::now();
  EXPECT_THAT(failure_of_step("hangs", 0.3),
              AllOf(HasSubstr("did not answer within 0.3 s and was ended"),
                    HasSubstr("--isolate-timeout")));
  EXPECT_THAT(failure_of_step("chatters", 0.3),
              AllOf(HasSubstr("did not answer within 0.3 s"), HasSubstr("still here")));
  EXPECT_THAT(failure_to_open(fake("silent", 0.3)), HasSubstr("did not answer within 0.3 s"));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - before;
  EXPECT_LT(taken.count(), 20);
}

TEST_F(RemoteRuns, ThatCloseThePipeAreEnded) {
  EXPECT_THAT(failure_of_step("closes"), HasSubstr("closed the pipe"));
}

TEST_F(RemoteRuns, ThatSendHalfAFrameSaySo) {
  EXPECT_THAT(failure_of_step("cut"), HasSubstr("exit code 0 in the middle of an answer"));
}

TEST_F(RemoteRuns, ThatSendNoSoundFrameSayWhatIsWrongWithIt) {
  const std::vector<std::pair<const char*, const char*>> faults = {
      {"huge", "it announces a text of 4.3 GB"},
      {"wrong_sum", "its checksum is wrong"},
      {"other_answer", "it is no answer to what was asked"},
      {"late_answer", "it is no answer to what was asked"},
      {"lies", "the elements of 'y' are not in its body"},
      {"no_json", "not valid JSON"},
      {"extra_file", "it announces 0 files, and 1 come with it"},
      {"no_memory", "its body is longer than its shared memory"},
      {"short_memory", "its body is longer than its shared memory"},
      {"unsealed_memory", "none that stays"}};
  for (const auto& [fault, problem] : faults) {
    EXPECT_THAT(failure_of_step(fault),
                AllOf(HasSubstr("sent what is no sound frame: "), HasSubstr(problem)));
  }
}

TEST_F(RemoteRuns, ThatAreNoWorkersOfThisVersionSaySo) {
  EXPECT_THAT(failure_to_open(fake("http")), HasSubstr("it begins with 'HTTP', not with QLWP"));
  EXPECT_THAT(failure_to_open(fake("newer")),
              AllOf(HasSubstr("version 6 of the protocol, and this is 5"),
                    HasSubstr("name a worker of this version")));
  EXPECT_THAT(failure_to_open(fake("older")),
              AllOf(HasSubstr("version 4 of the protocol, and this is 5"),
                    HasSubstr("name a worker of this version")));
  EXPECT_THAT(failure_to_open(fake("other_runtime")), HasSubstr("is one for 'tensorflow'"));
}

TEST_F(RemoteRuns, ThatCannotStartSayWhy) {
  Worker worker = fake("");
  worker.command.program = "/nowhere/quantlens";
  EXPECT_THAT(failure_to_open(worker),
              AllOf(HasSubstr("/nowhere/quantlens: the worker cannot be started: "),
                    HasSubstr("No such file"), HasSubstr("--isolate")));
  worker.command.program = "/dev/null";
  EXPECT_THAT(failure_to_open(worker), HasSubstr("Permission denied"));
  worker.command = {.program = "false", .arguments = {}};
  EXPECT_THAT(failure_to_open(worker), HasSubstr("ended with exit code 1"));
}

TEST_F(RemoteRuns, WhoseStatisticsAreNoneSaySo) {
  const Model model = doubling_model();
  const auto run = open(fake("bad_statistics"), model, nullptr, {}, {});
  EXPECT_THAT(failure([&] { run->take(); }),
              AllOf(HasSubstr("when its statistics were asked for"), HasSubstr("no sound frame")));
}

TEST_F(RemoteRuns, ThrowWhatTheRuntimeThere) {
  const Model model = doubling_model();
  try {
    open(fake("errs"), model, nullptr, {}, {});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::unsupported);
    EXPECT_STREQ(error.what(), "not this model");
  }
}

/// Of a worker that times one run and then does not.
std::string failure_of_timed_run(const std::string& fault, double timeout_seconds = 60) {
  const Model model = doubling_model();
  const auto client = std::make_shared<Client>(fake(fault, timeout_seconds));
  const auto run = open_timed(client, model, {});
  run->add(batch_of(0, 1));
  run->run(0);
  try {
    run->run(0);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::failed);
    EXPECT_TRUE(client->is_lost());
    return error.what();
  }
  ADD_FAILURE() << "it was run";
  return {};
}

TEST_F(RemoteRuns, ThatAreTimedAndLostSayInWhichRun) {
  EXPECT_THAT(failure_of_timed_run("killed"),
              AllOf(HasSubstr("model.onnx: in timed run 2: the worker for fake (process "),
                    HasSubstr("was ended by signal 9 (Killed)")));
  EXPECT_THAT(failure_of_timed_run("hangs", 3), HasSubstr("did not answer within 3 s"));
  EXPECT_THAT(failure_of_timed_run("lies"), HasSubstr("it is no answer to what was asked"));
  EXPECT_THAT(failure_of_timed_run("no_memory"), HasSubstr("no sound frame"));
}

TEST_F(RemoteRuns, ThatAreTimedInTurnAndLostSayInWhichRuns) {
  const Model model = doubling_model();
  const auto client = std::make_shared<Client>(fake("killed"));
  const auto one = open_timed(client, model, {}), other = open_timed(client, model, {});
  one->add(batch_of(0, 1));
  other->add(batch_of(0, 1));
  one->run(0);
  const std::vector<Turn> turns{{one.get(), 0}, {other.get(), 0}, {one.get(), 0}};
  EXPECT_THAT(failure([&] { run_in_turn(turns, [](std::size_t, const RunTime&) {}); }),
              HasSubstr("model.onnx: in timed runs 2 to 3: the worker for fake"));
}

TEST_F(RemoteRuns, WhoseModelsAndTimesAreNoneSaySo) {
  const Model model = doubling_model();
  const auto client = [] { return std::make_shared<Client>(fake("no_graph")); };
  EXPECT_THAT(failure([&] { open_timed(client(), model, {}); }),
              AllOf(HasSubstr("model.onnx: while it was opened to be timed"),
                    HasSubstr("it has no graph")));
  EXPECT_THAT(failure([&] { read(*client(), "onnx", "a.onnx", model.file); }),
              AllOf(HasSubstr("a.onnx: while it was read"), HasSubstr("it has no graph")));
  const auto counts = std::make_shared<Client>(fake("many_times"));
  const auto run = open_timed(counts, model, {});
  run->add(batch_of(0, 1));
  EXPECT_THAT(failure([&] { run->run(0); }), HasSubstr("not those of the graphs' nodes"));
}

TEST_F(RemoteRuns, WhoseResultsAreNoFilesSaySoAndWriteNothing) {
  const Model model = doubling_model();
  const auto applied = [&](const std::string& fault, Store& store) {
    Client client(fake(fault));
    apply(client, {.model = model, .plan = {}, .metadata = {}}, store, "out/q.onnx");
  };
  MemoryStore store;
  for (const auto& [fault, problem] :
       {std::pair{"elsewhere", "it names a file '/../../x'"},
        std::pair{"fewer_files", "not those that it names"}, std::pair{"cut_file", "cut off"},
        std::pair{"open_file", "none that stays"}}) {
    EXPECT_THAT(failure([&, name = fault] { applied(name, store); }),
                AllOf(HasSubstr("while it was written"), HasSubstr(problem)));
  }
  EXPECT_TRUE(store.files().empty());
  applied("sound", store);
  EXPECT_EQ(store.files().at("out/q.onnx"), "data");
}

TEST_F(RemoteRuns, SayWhatTheyAre) {
  Client client(real());
  const StatusText text = status(client);
  EXPECT_EQ(text.runtime, "oracle");
  EXPECT_EQ(text.protocol, kProtocolVersion);
  EXPECT_THAT(text.formats, testing::ElementsAre("onnx"));
  EXPECT_FALSE(text.times);
  EXPECT_FALSE(text.applies);
}

TEST_F(RemoteRuns, RefuseWhatTheirRuntimeCannotDo) {
  const Model model = doubling_model();
  const auto client = std::make_shared<Client>(real());
  MemoryStore store;
  const auto refused = [](const std::function<void()>& act) {
    try {
      act();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::unsupported);
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(refused([&] { open_timed(client, model, {}); }), HasSubstr("takes no times"));
  EXPECT_THAT(
      refused([&] { apply(*client, {.model = model, .plan = {}, .metadata = {}}, store, "q"); }),
      HasSubstr("writes no models"));
  EXPECT_THAT(refused([&] { read(*client, "graphdef", "m.pb", model.file); }),
              HasSubstr("oracle does not read the format 'graphdef'"));
  EXPECT_EQ(read(*client, "onnx", "m.onnx", model.file).graph.nodes.size(), 1U)
      << "it is of use all the same";
}

TEST_F(RemoteRuns, AreSharedByAJobAndStartedAgainWhereTheyAreLost) {
  Workers workers({.program = QUANTLENS_TEST_WORKER, .stop_requested = {}});
  const auto first = workers.worker("oracle");
  EXPECT_EQ(workers.worker("oracle"), first);
  EXPECT_NE(workers.worker("renamed"), first);
  const Model model = doubling_model();
  EXPECT_THROW(open_timed(first, model, {}), Error) << "the oracle takes no times";
  EXPECT_EQ(workers.worker("oracle"), first) << "an answer that is an error loses nothing";
  Message question;
  question.type = FrameType::status;
  const auto misjudged = [](const Received&) -> int { throw Error(Errc::bad_input, "nonsense"); };
  EXPECT_THROW(
      first->ask(std::move(question), FrameType::status_told, "when it was asked", misjudged),
      Error);
  EXPECT_NE(workers.worker("oracle"), first);
}

TEST_F(RemoteRuns, AreEndedWhenTheyAreNotUsed) {
  const Model model = doubling_model();
  for (int i = 0; i < 10; ++i) open(real(), model, nullptr, {}, {});
}

TEST_F(RemoteRuns, PassBatchesThatGrowAndShrink) {
  const Model model = doubling_model();
  const auto run = open(real(), model, nullptr, tap_on_y(), {});
  std::uint64_t first = 0;
  for (const std::int64_t count : {1, 20'000, 3, 200'000, 7, 150'000}) {
    const Outputs outputs = run->step(batch_of(first, count));
    first += static_cast<std::uint64_t>(count);
    const Tensor& y = outputs.reference.at("y");
    EXPECT_EQ(y.shape(), (Shape{count, 2}));
    EXPECT_TRUE(std::ranges::all_of(y.data<float>(), [](float value) { return value == 3; }));
  }
  EXPECT_EQ(run->take().values.at(0).moments.count(), 2 * first);
}

TEST_F(RemoteRuns, OutputsStayWhenTheNextStepIsRun) {
  const Model model = doubling_model();
  const auto run = open(real(), model, nullptr, {}, {});
  Batch other = batch_of(20'000, 20'000);
  other.inputs.at("x") = Tensor::from<float>({20'000, 2}, std::vector<float>(40'000, 4.0f));
  const Outputs first = run->step(batch_of(0, 20'000));
  run->step(other);
  EXPECT_EQ(first.reference.at("y").data<float>()[39'999], 3);
}

TEST_F(RemoteRuns, RunTheModelThatWasReadAndNotWhatLiesThereNow) {
  const fs::path path =
      fs::temp_directory_path() / ("quantlens-remote-" + std::to_string(::getpid()));
  {
    const Model model = doubling_model();
    std::ofstream(path, std::ios::binary) << model.file.text();
  }
  const Model model = onnx::read(path, MappedFile::open(path));
  fs::remove(path);
  std::ofstream(path) << "something else";
  EXPECT_NO_THROW(open(real(), model, nullptr, {}, {})->step(batch_of(0, 1)));
  fs::remove(path);
  EXPECT_NO_THROW(open(real(), model, nullptr, {}, {})->step(batch_of(0, 1)));
}

TEST_F(RemoteRuns, AreOpenedWhereOptionsAskForIsolation) {
  if (!onnxruntime::status().available) GTEST_SKIP() << onnxruntime::status().problem;
  const Model model = doubling_model();
  RunOptions options{.isolation = Isolation{.program = QUANTLENS_TEST_WORKER}};
  const auto run = quantlens::open(model, nullptr, tap_on_y(), options);
  EXPECT_EQ(run->step(batch_of(0, 1)).reference.at("y").data<float>()[1], 3);
  options.isolation->program = "/nowhere/quantlens";
  EXPECT_THAT(failure([&] { quantlens::open(model, nullptr, tap_on_y(), options); }),
              HasSubstr("/nowhere/quantlens"));
}

/// Says what is thrown where no file, or none of this size, may be opened any more.
[[noreturn]] void step_with_limit(int resource, rlim_t most) {
  std::signal(SIGXFSZ, SIG_IGN);
  const Model model = doubling_model();
  const auto run = open(real(), model, nullptr, {}, {});
  const rlimit limit{.rlim_cur = most, .rlim_max = most};
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
  try {
    run->step(batch_of(0, 1 << 18));
  } catch (const Error& error) {
    std::fprintf(stderr, "%d %s\n", static_cast<int>(error.code()), error.what());
  }
  std::_Exit(0);
}

TEST_F(RemoteRuns, WithoutSharedMemoryEndInASentence) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(step_with_limit(RLIMIT_FSIZE, 1 << 20), testing::ExitedWithCode(0),
              "0 model.onnx: in step 1 .samples 0 to 262143.: .* cannot be asked; 2.1 MB of shared "
              "memory cannot be had: File too large");
#ifndef QUANTLENS_UBSAN  // it opens files itself to look at what objects are
  EXPECT_EXIT(step_with_limit(RLIMIT_NOFILE, 3), testing::ExitedWithCode(0),
              "0 model.onnx: in step 1 .* shared memory cannot be had: Too many open files");
#endif
}

/// Ends without a word in the middle of a step, as kill -9 would.
[[noreturn]] void die_in_a_step(const fs::path& told) {
  const Model model = doubling_model();
  Worker worker = fake("stuck");
  worker.command.arguments.push_back(told.string());
  const auto run = open(worker, model, nullptr, {}, {});
  std::thread([&] { run->step(batch_of(0, 1)); }).detach();
  while (!fs::exists(told)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::raise(SIGKILL);
  std::abort();
}

/// Whether the process is there, and not only waiting to be waited for.
bool is_running(const std::string& process) {
  std::ifstream stat("/proc/" + process + "/stat");
  std::string line;
  return std::getline(stat, line) && line.find(") Z ") == std::string::npos;
}

TEST_F(RemoteRuns, EndTheirWorkerEvenInAStepWhenThisProcessIsKilled) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // The same name in the process that the death test starts.
  const fs::path told = fs::path(QUANTLENS_BUILD_DIR) / "remote_test.stuck";
  fs::remove(told);
  EXPECT_EXIT(die_in_a_step(told), testing::KilledBySignal(SIGKILL), "");
  std::string process;
  std::ifstream(told) >> process;
  ASSERT_FALSE(process.empty());
  for (int i = 0; i < 500 && is_running(process); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_FALSE(is_running(process)) << process;
  fs::remove(told);
}

}  // namespace
}  // namespace quantlens::remote
