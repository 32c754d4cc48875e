// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/tensorflow/keras.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/base/text.h"
#include "quantlens/runtime/remote/process.h"

namespace quantlens::tensorflow {
namespace {

/// Prints one word on what came of it, and then the reason on one line.
constexpr std::string_view kScript = R"(
import os, sys
given, folder = sys.argv[1:]
told = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
def say(word, reason=""):
    told.write(f"{word} {' '.join(str(reason).split()).split('. ')[0][:200]}")
    told.close()
    sys.exit(0)
os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", KERAS_BACKEND="tensorflow", CUDA_VISIBLE_DEVICES="-1")
try:
    import tensorflow
    import keras
    version = tuple(int(part) for part in keras.__version__.split(".")[:2])
except Exception as problem:
    say("none", f"{type(problem).__name__}: {problem}")
if version < (3, 12):
    say("old", keras.__version__)
try:
    keras.saving.load_model(given, compile=False, safe_mode=True).export(folder, verbose=False)
except BaseException as problem:
    say("refused", f"{type(problem).__name__}: {problem}")
say("done")
)";

std::string chosen_python() {
  const char* chosen = std::getenv("QUANTLENS_TENSORFLOW_PYTHON");
  return chosen != nullptr && *chosen != '\0' ? chosen : "python3";
}

/// All that it prints, which is little.
std::string answer_of(remote::Process& process) {
  constexpr std::chrono::minutes kLongest(10);
  constexpr std::size_t kMost = 4096;
  const auto deadline = remote::Process::Clock::now() + kLongest;
  const FileDescriptor output = process.take_socket();
  std::string answer;
  std::array<char, 512> part{};
  while (answer.size() < kMost && process.wait_for(output.get(), POLLIN, deadline)) {
    const ssize_t count = ::read(output.get(), part.data(), part.size());
    if (count <= 0) break;
    answer.append(part.data(), static_cast<std::size_t>(count));
  }
  return answer;
}

}  // namespace

void export_keras(const fs::path& file, const fs::path& folder) {
  const std::string python = chosen_python(), where = printable(file.string());
  const std::string advice =
      "write a SavedModel by model.export(\"FOLDER\") where Keras is, and give its folder";
  remote::Process process({.program = python,
                           .arguments = {"-I", "-B", "-c", std::string(kScript),
                                         fs::absolute(file).string(), folder.string()},
                           .talk = remote::Talk::output,
                           .role = fmt::format("the Python that reads {}", where),
                           .advice = fmt::format("name one that has tensorflow in "
                                                 "QUANTLENS_TENSORFLOW_PYTHON, or {}",
                                                 advice)});
  const std::string answer = answer_of(process);
  const std::string_view told = answer;
  const std::string_view word = told.substr(0, told.find(' '));
  const std::string reason = printable(told.substr(std::min(told.size(), word.size() + 1)));
  if (word == "done") return;
  if (word == "none") {
    throw Error(Errc::not_found,
                fmt::format("{}: {} has no Keras with TensorFlow to read it by ({}); install "
                            "tensorflow there, or name a Python that has it in "
                            "QUANTLENS_TENSORFLOW_PYTHON, or {}",
                            where, printable(python), reason, advice));
  }
  if (word == "old") {
    throw Error(Errc::unsupported,
                fmt::format("{}: {} has Keras {}, which may run code that a file holds; install "
                            "3.12 or later, or {}",
                            where, printable(python), reason, advice));
  }
  if (word == "refused") {
    throw Error(Errc::bad_input,
                fmt::format("{}: Keras does not load it: {}; {}", where, reason, advice));
  }
  process.kill();
  throw Error(Errc::failed,
              fmt::format("{}: {} {} while it read the file ({}); {}", where, printable(python),
                          process.how_it_ended(), process.last_words(), advice));
}

}  // namespace quantlens::tensorflow
