// SPDX-License-Identifier: Apache-2.0
// What observing costs, in time and memory, beside the budget: calibration and diagnosis as the
// verbs do them, against bare inference of the same samples, decoded beforehand. One run:
//
//   bench_budget MODEL --data D [--limit N] [--threads T] [--repeat R] [--peer N]
//
// With --peer, ONNX Runtime's own qdq_loss_debug (Python) compares the same two models over the
// first N samples, once. It keeps all their activations: 100 samples of MobileNet take 8 GB.
//
// Each phase is a process of its own, so that its peak of memory is its own; all hold the same
// decoded samples, whose size is taken off every peak. The processes wait for their turn: every
// repetition runs each phase once, so that a machine that slows down does so for all of them. A
// pass opens its models, runs all samples and says what they gave; bare passes do without the last.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <onnxruntime_cxx_api.h>
#include <unistd.h>

#include "bench/decoded.h"
#include "bench/phase_process.h"
#include "quantlens/base/cores.h"
#include "quantlens/base/cpu.h"
#include "quantlens/calib/calibrate.h"
#include "quantlens/diagnosis/diagnose.h"
#include "quantlens/diagnosis/match/pair.h"
#include "quantlens/flow/calibrate.h"
#include "quantlens/flow/session.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/quantizer/plan/correct_bias.h"
#include "quantlens/quantizer/plan/make_plan.h"
#include "quantlens/quantizer/ranges/choose_ranges.h"
#include "quantlens/runtime/feed.h"
#include "quantlens/runtime/onnxruntime/library.h"
#include "quantlens/runtime/open.h"
#include "quantlens/runtime/oracle/constants.h"

namespace {

using namespace quantlens;         // NOLINT(google-build-using-namespace): a program of one file
using namespace quantlens::bench;  // NOLINT(google-build-using-namespace)

struct Settings {
  fs::path model;
  fs::path quantized;
  std::string data;
  std::optional<std::uint64_t> limit;
  unsigned threads = 2;
  int repeat = 5;
  std::uint64_t peer = 0;          ///< samples for ONNX Runtime's own comparison; 0: without
  std::string python = "python3";  ///< one that has the modules for it
  int phase = -1;                  ///< the one that this process is; -1: it starts them all
};

/// Times the loop over samples: it begins and ends one step.
class LoopClock final : public Progress {
 public:
  void begin(std::string_view, std::optional<std::uint64_t>) override { begin_ms_ = now_ms(); }
  void advance(std::uint64_t) override {}
  void end() override { steps_ms = now_ms() - begin_ms_; }
  void note(std::string_view sentence) override {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(sentence.size()), sentence.data());
  }
  double steps_ms = 0;

 private:
  double begin_ms_ = 0;
};

/// What the phases work on.
struct Work {
  const Settings& settings;
  const Decoded& samples;
  std::uint64_t batch_size;
  std::string input_name;

  BatchReader reader() const {
    const unsigned threads = std::max(1U, settings.threads / 2);  // as flow::make_reader
    return {samples, {.batch_size = batch_size, .threads = threads}, input_name};
  }
  RunOptions run_options() const {  // as flow::run_options
    return {.threads = settings.threads, .in_flight = settings.threads, .optimized_dump = {}};
  }
};

TapState calibrated(const Work& work, const Draft& draft, bool histogram, LoopClock& clock) {
  std::vector<Tap> taps;
  for (const std::string& value : draft.values_to_calibrate()) {
    taps.push_back({.value = value, .histogram = histogram});
  }
  BatchReader reader = work.reader();
  return calibrate(draft.analyzed().model, taps, reader, work.run_options(), clock);
}

/// `algorithm`: auto asks all of them.
void run_calibration(const Work& work, bool histogram, RangeAlgorithm algorithm, LoopClock& clock) {
  const Model model = frontend::read(work.settings.model);
  const Indexed looked_up(model, {});
  const Analyzed analyzed(looked_up);
  choose_ranges(calibrated(work, Draft(analyzed, {}), histogram, clock),
                {.values = {},
                 .usual = {.algorithm = algorithm},
                 .of_value = {},
                 .scheme = activation_scheme(Recipe())});
}

/// Calibration, plan and corrections as the default recipe has them, without the file.
void run_default(const Work& work, LoopClock& clock) {
  const IndexedModel model(frontend::read(work.settings.model));
  const Analyzed analyzed(model.indexed());
  const Draft draft(analyzed, {});
  const std::vector<Tap> taps = flow::calibration_taps(draft, draft.values_to_calibrate());
  BatchReader reader = work.reader();
  const TapState statistics = calibrate(model.model(), taps, reader, work.run_options(), clock);
  const Ranges ranges = flow::ranges_for(statistics, draft);
  PlanResult planned = make_plan(draft, ranges, {.vnni = cpu_has_vnni()});
  correct_biases(analyzed, statistics, planned.plan);
}

/// What diagnosis gathers of each pair besides its sums.
struct Wanted {
  bool channels = true;
  bool histograms = true;
};

/// The model that all other phases compare with.
void make_quantized(const Work& work, LoopClock& clock) {
  const Model model = frontend::read(work.settings.model);
  const Indexed looked_up(model, {});
  const Analyzed analyzed(looked_up);
  const Draft draft(analyzed, {});
  const Ranges ranges = choose_ranges(calibrated(work, draft, false, clock), {});
  const PlanResult planned = make_plan(draft, ranges, {.vnni = cpu_has_vnni()});
  DiskStore store;
  frontend::apply(model, planned.plan, {}, store, work.settings.quantized);
}

void run_diagnosis(const Work& work, Wanted wanted, LoopClock& clock) {
  const IndexedModel reference(frontend::read(work.settings.model));
  const IndexedModel quantized(frontend::read(work.settings.quantized));
  const Pairing pairing = pair(reference.indexed(), quantized.indexed());
  TapSpec spec = taps_for(pairing);
  for (PairTap& tap : spec.pairs) {
    tap.histogram = wanted.histograms;
    if (wanted.channels) continue;
    tap.channel_axis.reset();
    tap.channel_histograms.clear();
  }
  const auto run = open(reference.model(), &quantized.model(), spec, work.run_options());
  BatchReader reader = work.reader();
  feed(*run, reader, clock, "diagnose");
  const TapState state = run->take();
  if (!wanted.histograms) return;
  diagnose({reference.indexed(), quantized.indexed(), pairing}, state,
           [&](std::uint64_t sample) { return work.samples.name(sample); });
}

/// One model and its names as the runtime itself has them.
struct BareSession {
  BareSession(Ort::Env& env, const fs::path& path, const Ort::SessionOptions& options)
      : session(env, path.c_str(), options) {
    Ort::AllocatorWithDefaultOptions allocator;
    for (std::size_t i = 0; i < session.GetInputCount(); ++i) {
      inputs.emplace_back(session.GetInputNameAllocated(i, allocator).get());
    }
    for (std::size_t i = 0; i < session.GetOutputCount(); ++i) {
      outputs.emplace_back(session.GetOutputNameAllocated(i, allocator).get());
    }
  }

  void run(const std::vector<Tensor>& batch) {
    const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
    std::vector<Ort::Value> values;
    std::vector<const char*> input_texts, output_texts;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto type = session.GetInputTypeInfo(i).GetTensorTypeAndShapeInfo().GetElementType();
      const Tensor& tensor = batch.at(i);
      values.push_back(Ort::Value::CreateTensor(
          memory, const_cast<std::byte*>(tensor.bytes().data()), tensor.bytes().size(),
          tensor.shape().data(), tensor.shape().size(), type));
      input_texts.push_back(inputs[i].c_str());
    }
    for (const std::string& name : outputs) output_texts.push_back(name.c_str());
    session.Run(Ort::RunOptions{nullptr}, input_texts.data(), values.data(), values.size(),
                output_texts.data(), output_texts.size());
  }

  Ort::Session session;
  std::vector<std::string> inputs, outputs;
};

/// How the bare runtime uses its threads.
enum class Bare {
  inside,  ///< one caller, all threads inside a run: the runtime's default
  beside,  ///< as many callers as threads, on sessions of one thread
};

/// The runtime as its users run it: from the files, with its defaults but for the threads.
void run_bare(const Work& work, const std::vector<fs::path>& paths, Bare how, LoopClock& clock) {
  const Model model = frontend::read(work.settings.model);  // the order of its inputs
  Ort::Env env(ORT_LOGGING_LEVEL_FATAL, "bench");
  Ort::SessionOptions options;
  const unsigned callers = how == Bare::beside ? work.settings.threads : 1;
  options.SetIntraOpNumThreads(static_cast<int>(work.settings.threads / callers));
  std::vector<BareSession> sessions;
  for (const fs::path& path : paths) sessions.emplace_back(env, path, options);
  BatchReader reader = work.reader();
  std::mutex mutex;  // of the reader and the next
  double waited = 0;
  const auto next = [&] {
    const std::lock_guard lock(mutex);
    const double before = now_ms();
    std::optional<Batch> batch = reader.next();
    waited += now_ms() - before;  // stacking samples is no part of bare inference
    return batch;
  };
  clock.begin("bare", {});
  Cores(callers).parallel_for(callers, [&](std::size_t) {
    while (const std::optional<Batch> batch = next()) {
      std::vector<Tensor> tensors;
      for (const ValueInfo& input : model.graph.inputs) {
        tensors.push_back(batch->inputs.at(input.name));
      }
      for (BareSession& session : sessions) session.run(tensors);
    }
  });
  clock.end();
  clock.steps_ms -= waited / callers;
}

/// Writes the peer's samples beside the int8 model.
void run_export(const Work& work, LoopClock&) {
  const Model model = frontend::read(work.settings.model);
  const std::uint64_t count = std::min(work.settings.peer, work.samples.size());
  for (std::size_t i = 0; i < model.graph.inputs.size(); ++i) {
    const fs::path path = work.settings.quantized.parent_path() / (std::to_string(i) + ".npy");
    write_npy(path, work.samples, model.graph.inputs[i].name, count);
  }
}

constexpr int kBareFloat = 0, kCalibration = 1, kBareBoth = 5, kBesideBoth = 6;

struct Phase {
  const char* title;
  int against;                 ///< the phase that its time is compared with
  double most_time, aim_time;  ///< the budget; 0: none
  std::function<void(const Work&, LoopClock&)> run;
};

const std::vector<Phase>& phases() {
  static const std::vector<Phase> all = {
      {"bare float", kBareFloat, 0, 0,
       [](const Work& work, LoopClock& clock) {
         run_bare(work, {work.settings.model}, Bare::inside, clock);
       }},
      {"calibration", kBareFloat, 1.4, 1.1,
       [](const Work& work, LoopClock& clock) {
         run_calibration(work, false, RangeAlgorithm::minmax, clock);
       }},
      {"  with histograms", kBareFloat, 2.0, 1.3,
       [](const Work& work, LoopClock& clock) {
         run_calibration(work, true, RangeAlgorithm::minmax, clock);
       }},
      {"  and all algorithms", kBareFloat, 2.0, 1.3,
       [](const Work& work, LoopClock& clock) {
         run_calibration(work, true, RangeAlgorithm::auto_, clock);
       }},
      {"  the default, over minmax", kCalibration, 2.0, 2.0, run_default},
      {"bare float and bare int8", kBareBoth, 0, 0,
       [](const Work& work, LoopClock& clock) {
         run_bare(work, {work.settings.model, work.settings.quantized}, Bare::inside, clock);
       }},
      {"  as many callers as threads", kBareBoth, 0, 0,
       [](const Work& work, LoopClock& clock) {
         run_bare(work, {work.settings.model, work.settings.quantized}, Bare::beside, clock);
       }},
      {"diagnosis", kBareBoth, 2.0, 1.3,
       [](const Work& work, LoopClock& clock) { run_diagnosis(work, {}, clock); }},
      {"  without channels", kBareBoth, 0, 0,
       [](const Work& work, LoopClock& clock) { run_diagnosis(work, {.channels = false}, clock); }},
      {"  nor histograms", kBareBoth, 0, 0,
       [](const Work& work, LoopClock& clock) {
         run_diagnosis(work, {.channels = false, .histograms = false}, clock);
       }},
      {"making the int8 model", kBareFloat, 0, 0, make_quantized},
      {"writing samples", kBareFloat, 0, 0, run_export}};
  return all;
}

const int kMake = 10, kExport = 11;

/// What a child is.
int run_phase(const Settings& settings) {
  onnxruntime::require_library();
  const Model model = frontend::read(settings.model);
  LoopClock clock;
  const flow::FittedData data = flow::fit_data(
      {.data = settings.data, .options = {.limit = settings.limit, .batch_size = {}}}, model,
      clock);
  const Decoded samples(*data.opened.dataset, data.opened.dataset->size());
  const Work work{settings, samples, data.opened.batch_size, data.input_name};
  return serve_passes([&] {
    const double begin = now_ms(), begin_cpu = cpu_ms();
    phases().at(static_cast<std::size_t>(settings.phase)).run(work, clock);
    return Pass{.whole_ms = now_ms() - begin,
                .steps_ms = clock.steps_ms,
                .cpu_ms = cpu_ms() - begin_cpu,
                .peak_mb = peak_mb() - samples.megabytes(),
                .samples_mb = samples.megabytes(),
                .samples = static_cast<double>(samples.size())};
  });
}

struct Figures {
  std::vector<double> whole, steps, cpu;  // ms of each repetition
  double peak_mb = 0;                     // of the first pass: a verb makes one
};

double least(const std::vector<double>& values) {
  return *std::ranges::min_element(values);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Median over the repetitions: the two of one repetition ran right after each other.
double ratio(const std::vector<double>& values, const std::vector<double>& bare) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < values.size(); ++i) ratios.push_back(values[i] / bare[i]);
  return median(ratios);
}

void print(const std::vector<Figures>& all) {
  std::printf("%-26s %9s %9s %7s %7s %7s %7s %11s %9s %7s %9s\n", "", "best ms", "median", "ratio",
              "of best", "steps", "of CPU", "at most/aim", "peak MB", "ratio", "at most");
  const double both = all[kBareBoth].peak_mb;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Phase& phase = phases()[i];
    const Figures& own = all[i];
    const Figures& bare = all[static_cast<std::size_t>(phase.against)];
    std::string budget, memory;
    if (phase.most_time != 0) {
      char text[32];
      std::snprintf(text, sizeof text, "%.1f / %.1f", phase.most_time, phase.aim_time);
      budget = text;
      std::snprintf(text, sizeof text, "%.0f", 1.3 * both + 64);
      memory = text;
    }
    std::printf("%-26s %9.1f %9.1f %7.2f %7.2f %7.2f %7.2f %11s %9.1f %7.2f %9s\n", phase.title,
                least(own.whole), median(own.whole), ratio(own.whole, bare.whole),
                least(own.whole) / least(bare.whole), ratio(own.steps, bare.steps),
                ratio(own.cpu, bare.cpu), budget.c_str(), own.peak_mb, own.peak_mb / both,
                memory.c_str());
  }
}

/// Runs qdq_loss_debug.py, once: it needs much time and memory. Ratios are against as many
/// samples of the bare models.
void print_peer(const Settings& settings, const std::vector<Figures>& all, double samples) {
  const std::string command = settings.python + " '" QUANTLENS_BENCH_DIR "/qdq_loss_debug.py' '" +
                              settings.model.string() + "' '" + settings.quantized.string() +
                              "' '" + settings.quantized.parent_path().string() + "' " +
                              std::to_string(settings.threads);
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw Error(Errc::io, "the peer does not start");
  double whole = 0, steps = 0, cpu = 0, peak = 0;
  int pairs = 0;
  const int read = std::fscanf(pipe, "%lf %lf %lf %lf %d", &whole, &steps, &cpu, &peak, &pairs);
  if (pclose(pipe) != 0 || read != 5) {
    std::printf("qdq_loss_debug is left out: --python names none that has its modules\n");
    return;
  }
  const Figures& bare = all[kBareBoth];
  const double count = std::min(static_cast<double>(settings.peer), samples);
  const double share = count / samples;
  std::printf("%-26s %9.1f %9.1f %7.2f %7.2f %7.2f %7.2f %11s %9.1f %7.2f\n", "qdq_loss_debug",
              whole, whole, whole / (share * median(bare.whole)),
              whole / (share * least(bare.whole)), steps / (share * median(bare.steps)),
              cpu / (share * median(bare.cpu)), "", peak, peak / bare.peak_mb);
  std::printf("qdq_loss_debug: %d activations of %.0f samples; ratios are for as many samples\n",
              pairs, count);
}

void run_all(const Settings& settings, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--quantized", settings.quantized.string()});
  const Pass made = Child(arguments, kMake).pass();
  std::printf(
      "%s: %.0f samples of %.1f MB in all, decoded beforehand; %u threads; %d repetitions\n",
      settings.model.filename().c_str(), made.samples, made.samples_mb, settings.threads,
      settings.repeat);
  std::vector<std::unique_ptr<Child>> children;
  for (int phase = 0; phase < kMake; ++phase) {
    children.push_back(std::make_unique<Child>(arguments, phase));
  }
  std::vector<Figures> all(children.size());
  for (int i = 0; i <= settings.repeat; ++i) {
    for (std::size_t phase = 0; phase < children.size(); ++phase) {
      const Pass pass = children[phase]->pass();
      if (i == 0) {  // warms up
        all[phase].peak_mb = pass.peak_mb;
        continue;
      }
      all[phase].whole.push_back(pass.whole_ms);
      all[phase].steps.push_back(pass.steps_ms);
      all[phase].cpu.push_back(pass.cpu_ms);
    }
  }
  print(all);
  const std::vector<double>& diagnosis = all[kBesideBoth + 1].whole;
  std::printf(
      "diagnosis against the better of both bare ways: %.2f (at most 2.0, aim 1.3)\n",
      std::max(ratio(diagnosis, all[kBareBoth].whole), ratio(diagnosis, all[kBesideBoth].whole)));
  if (settings.peer != 0) {
    children.clear();  // the peer wants their memory
    Child(arguments, kExport).pass();
    print_peer(settings, all, made.samples);
  }
  std::printf(
      "ratio: median of the repetitions; of best: best by best; steps: without opening and "
      "answers; memory: against both sessions bare\n");
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App program{"What calibration and diagnosis cost, against bare inference."};
  program.add_option("MODEL", settings.model, "a float model")->required();
  program.add_option("--data", settings.data, "as quantlens takes it")->required();
  program.add_option("--limit", settings.limit, "at most this many samples");
  program.add_option("--threads", settings.threads, "of the runtime");
  program.add_option("--repeat", settings.repeat, "passes of each phase");
  program.add_option("--peer", settings.peer, "samples for ONNX Runtime's own qdq_loss_debug");
  program.add_option("--python", settings.python, "for the peer: with numpy, onnx, onnxruntime");
  program.add_option("--quantized", settings.quantized)->group("");
  program.add_option("--phase", settings.phase)->group("");
  CLI11_PARSE(program, argc, argv);
  try {
    if (settings.phase >= 0) return run_phase(settings);
    const fs::path folder =
        fs::temp_directory_path() / ("quantlens_budget_" + std::to_string(getpid()));
    fs::create_directories(folder);
    settings.quantized = folder / "int8.onnx";
    int status = 0;
    try {
      run_all(settings, {argv, argv + argc});
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      status = 1;
    }
    fs::remove_all(folder);
    return status;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
