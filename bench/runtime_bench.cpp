// SPDX-License-Identifier: Apache-2.0
// What observing costs: bare inference of a float and an int8 model, against the same with taps on
// every value that the int8 model quantizes. One run, each phase in a process of its own:
//
//   bench_runtime_bench FLOAT.onnx INT8.onnx [threads [batch [steps]]]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <onnxruntime_cxx_api.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/runtime/onnxruntime/library.h"
#include "quantlens/runtime/onnxruntime/onnxruntime.h"
#include "quantlens/runtime/onnxruntime/testing.h"

namespace {

using namespace quantlens;  // NOLINT(google-build-using-namespace): a program of one file

struct Settings {
  fs::path reference, quantized;
  unsigned threads = 1;
  std::int64_t batch = 1;
  int steps = 50;
};

struct Figures {
  double best_ms = 0, median_ms = 0;  // per sample
  double open_ms = 0;
  double peak_mb = 0;
};

double now_ms() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::milli>(Clock::now().time_since_epoch()).count();
}

/// Runs `phase` in a child process, so that its peak of memory is its own.
Figures in_child(const std::function<Figures()>& phase) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    Figures figures;
    try {
      figures = phase();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      _exit(1);
    }
    const bool written = write(ends[1], &figures, sizeof figures) == sizeof figures;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  Figures figures;
  const bool got = read(ends[0], &figures, sizeof figures) == sizeof figures;
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (!got) std::exit(1);
  figures.peak_mb = static_cast<double>(usage.ru_maxrss) / 1024;
  return figures;
}

Model load(const fs::path& path) {
  return onnx::read(path, MappedFile::open(path));
}

/// Random inputs that fit the model: floats around zero, ones for everything else.
Batch make_batch(const Model& model, std::int64_t size, std::uint64_t step) {
  Batch batch;
  for (std::int64_t i = 0; i < size; ++i) {
    batch.samples.push_back(step * static_cast<std::uint64_t>(size) +
                            static_cast<std::uint64_t>(i));
  }
  std::mt19937 random(static_cast<unsigned>(step % 8));
  for (const ValueInfo& input : model.graph.inputs) {
    Shape shape;
    for (const Dim& dim : input.shape.value()) {
      shape.push_back(dim.extent.value_or(shape.empty() ? size : 64));
    }
    const auto count = static_cast<std::size_t>(element_count(shape).value());
    if (*input.dtype == DType::float32) {
      std::uniform_real_distribution<float> values(-1, 1);
      std::vector<float> data(count);
      for (float& value : data) value = values(random);
      batch.inputs.emplace(input.name, Tensor::from(shape, std::move(data)));
    } else if (*input.dtype == DType::int64) {
      batch.inputs.emplace(input.name, Tensor::from(shape, std::vector<std::int64_t>(count, 1)));
    } else {
      batch.inputs.emplace(input.name, Tensor::from(shape, std::vector<std::int32_t>(count, 1)));
    }
  }
  return batch;
}

/// Times `step` over batches made beforehand; the first tenth of the steps warms up.
Figures measure(const Settings& settings, const std::function<void(const Batch&)>& step) {
  const Model model = load(settings.reference);
  std::vector<double> times;
  const int warm = settings.steps / 10 + 1;
  for (int i = 0; i < settings.steps + warm; ++i) {
    const Batch batch = make_batch(model, settings.batch, static_cast<std::uint64_t>(i));
    const double begin = now_ms();
    step(batch);
    if (i >= warm) times.push_back((now_ms() - begin) / static_cast<double>(settings.batch));
  }
  std::ranges::sort(times);
  return {times.front(), times[times.size() / 2], 0, 0};
}

/// The runtime as its users run it: from the file, with its defaults.
Figures run_bare(const Settings& settings, const std::vector<fs::path>& paths) {
  onnxruntime::require_library();
  Ort::Env env(ORT_LOGGING_LEVEL_FATAL, "bench");
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(static_cast<int>(settings.threads));
  const double begin = now_ms();
  std::vector<Ort::Session> sessions;
  for (const fs::path& path : paths) sessions.emplace_back(env, path.c_str(), options);
  const double open_ms = now_ms() - begin;
  Figures figures = measure(settings, [&](const Batch& batch) {
    const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
    for (Ort::Session& session : sessions) {
      Ort::AllocatorWithDefaultOptions allocator;
      std::vector<std::string> names, outputs;
      std::vector<const char*> name_texts, output_texts;
      std::vector<Ort::Value> values;
      for (std::size_t i = 0; i < session.GetInputCount(); ++i) {
        names.emplace_back(session.GetInputNameAllocated(i, allocator).get());
      }
      for (std::size_t i = 0; i < session.GetOutputCount(); ++i) {
        outputs.emplace_back(session.GetOutputNameAllocated(i, allocator).get());
      }
      for (const std::string& name : names) {
        const Tensor& tensor = batch.inputs.at(name);
        const auto type =
            session.GetInputTypeInfo(values.size()).GetTensorTypeAndShapeInfo().GetElementType();
        values.push_back(Ort::Value::CreateTensor(
            memory, const_cast<std::byte*>(tensor.bytes().data()), tensor.bytes().size(),
            tensor.shape().data(), tensor.shape().size(), type));
        name_texts.push_back(name.c_str());
      }
      for (const std::string& name : outputs) output_texts.push_back(name.c_str());
      session.Run(Ort::RunOptions{nullptr}, name_texts.data(), values.data(), values.size(),
                  output_texts.data(), output_texts.size());
    }
  });
  figures.open_ms = open_ms;
  return figures;
}

TapSpec spec_of(const Model& reference, const Model& quantized, bool pairs, bool histogram) {
  TapSpec spec;
  spec.pairs = onnxruntime::pairs_by_name(reference, quantized);
  if (!pairs) {
    spec.taps = onnxruntime::taps_of(spec.pairs);
    spec.pairs.clear();
  }
  for (Tap& tap : spec.taps) tap.histogram = histogram;
  for (PairTap& pair : spec.pairs) pair.histogram = histogram;
  return spec;
}

Figures run_tapped(const Settings& settings, bool pairs, bool histogram) {
  const Model reference = load(settings.reference);
  const Model quantized = load(settings.quantized);
  const TapSpec spec = spec_of(reference, quantized, pairs, histogram);
  const double begin = now_ms();
  const auto run = onnxruntime::open(reference, pairs ? &quantized : nullptr, spec,
                                     {.threads = settings.threads});
  const double open_ms = now_ms() - begin;
  Figures figures = measure(settings, [&](const Batch& batch) { run->step(batch); });
  figures.open_ms = open_ms;
  return figures;
}

void print(const char* phase, const Figures& figures, const Figures& bare) {
  std::printf("%-34s %9.3f %9.3f %7.2f %9.1f %7.2f %9.0f\n", phase, figures.best_ms,
              figures.median_ms, figures.best_ms / bare.best_ms, figures.peak_mb,
              figures.peak_mb / bare.peak_mb, figures.open_ms);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s FLOAT.onnx INT8.onnx [threads [batch [steps]]]\n", argv[0]);
    return 2;
  }
  Settings settings{.reference = argv[1], .quantized = argv[2]};
  if (argc > 3) settings.threads = static_cast<unsigned>(std::atoi(argv[3]));
  if (argc > 4) settings.batch = std::atoi(argv[4]);
  if (argc > 5) settings.steps = std::atoi(argv[5]);
  std::printf("%s, %s, %u threads, batch %lld; ms per sample, MB at the peak\n", argv[1], argv[2],
              settings.threads, static_cast<long long>(settings.batch));
  std::printf("%-34s %9s %9s %7s %9s %7s %9s\n", "phase", "best", "median", "ratio", "peak",
              "ratio", "open ms");
  const Figures one = in_child([&] { return run_bare(settings, {settings.reference}); });
  print("bare float", one, one);
  print("extremes and moments", in_child([&] { return run_tapped(settings, false, false); }), one);
  print("with histograms", in_child([&] { return run_tapped(settings, false, true); }), one);
  const Figures two = in_child([&] {
    return run_bare(settings, {settings.reference, settings.quantized});
  });
  print("bare float and bare int8", two, two);
  print("compared", in_child([&] { return run_tapped(settings, true, false); }), two);
  print("compared, with histograms", in_child([&] { return run_tapped(settings, true, true); }),
        two);
  return 0;
}
