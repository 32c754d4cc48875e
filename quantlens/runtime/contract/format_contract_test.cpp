// SPDX-License-Identifier: Apache-2.0
// What reads and writes models, whether a frontend in this process or a worker, gives the same.
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "quantlens/base/memory_store.h"
#include "quantlens/frontend/onnx/onnx.h"
#include "quantlens/runtime/contract/run_contract.h"
#include "quantlens/runtime/contract/same_model.h"
#include "quantlens/runtime/formats.h"
#include "quantlens/runtime/workers.h"

namespace quantlens::contract {
namespace {

/// What is before an ONNX file that only test_worker.cpp's "renamed" knows.
constexpr std::string_view kMagic = "RNMD";

bool is_renamed(Bytes bytes, const fs::path&) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.starts_with(kMagic);
}

/// ONNX as if no frontend here read it, and a format that none reads.
constexpr FormatEntry kOnnxApart[] = {
    {"onnx", "onnxruntime", nullptr, nullptr, nullptr, onnx::match}};
constexpr FormatEntry kRenamed[] = {{"renamed", "renamed", nullptr, nullptr, nullptr, is_renamed}};

struct FormatKind {
  const char* name;
  std::span<const FormatEntry> entries;
  std::string_view format;
  std::string_view magic;
};

std::ostream& operator<<(std::ostream& out, const FormatKind& kind) {
  return out << kind.name;
}

const QParams kStep{.scale = 0.5F, .zero_point = 3};

/// An If over names of odd bytes, attributes of all kinds, and weights that are no floats.
Model odd_net() {
  Net net;
  net.input("x", {-1, 3});
  net.weight("w", random_floats({3, 64}, 1));
  net.weight("names", Tensor::from_strings({2}, {"", "a\xff"}));
  net.weight("flag", Tensor::from<std::uint8_t>({}, {1}).reshaped({}));
  net.node("MatMul", {"x", "w"}, "prod\xfe uct");
  net.node("Odd", {"prod\xfe uct", "names", ""}, "y",
           {{"integer", std::int64_t{-5}},
            {"real", 0.1F},
            {"text", std::string("t\xff")},
            {"integers", std::vector<std::int64_t>{1, -2}},
            {"reals", std::vector<float>{1e-30F, -0.0F}},
            {"texts", std::vector<std::string>{"", "\x01"}},
            {"tensor", random_floats({4}, 2)}});
  auto body = std::make_shared<Graph>();
  body->weights.emplace("inner", random_floats({3}, 3));
  Node add;
  add.type = "Add";
  add.inputs = {"x", "inner"};
  add.outputs = {"inner_sum"};
  body->nodes = {add};
  body->outputs = {{.name = "inner_sum", .dtype = DType::float32, .shape = {}}};
  net.node("If", {"flag"}, "z");
  net.last().subgraphs = {{"then_branch", body}, {"else_branch", body}};
  return net.output("y").output("z").model();
}

/// y = relu(x w), that a small plan quantizes.
Model plain_net() {
  Net net;
  net.input("x", {-1, 3});
  net.weight("w", Tensor::from<float>({3, 2}, {1, -1, 2, 0, -3, 4}));
  net.node("MatMul", {"x", "w"}, "product");
  net.node("Relu", {"product"}, "y");
  return net.output("y").model();
}

Plan small_plan() {
  Plan plan;
  ActivationPlan x;
  x.value = "x";
  x.scheme = {.dtype = DType::uint8, .symmetric = false, .axis = {}, .bits = 8};
  x.params = kStep;
  x.uses = {{"product", 0}};
  plan.activations = {x};
  plan.input_edits = {{{"product", 1}, "w/edited", "w"}};
  plan.weights = {{"w/edited", Tensor::from<float>({3, 2}, {1, 2, 3, 4, 5, 6})}};
  plan.weights_quantized = {{"w/edited",
                             {.dtype = DType::int8, .symmetric = true, .axis = 1, .bits = 8},
                             {{.scale = 0.1F, .zero_point = 0}, {.scale = 0.2F, .zero_point = 0}},
                             {{"product", 1}}}};
  return plan;
}

class ModelFormats : public testing::TestWithParam<FormatKind> {
 protected:
  void SetUp() override {
    const std::string missing = onnxruntime_missing();
    if (!missing.empty()) GTEST_SKIP() << missing;
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              (std::to_string(::getpid()) + "_formats_" + info->test_suite_name());
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  fs::path put(const Model& model) const {
    const fs::path path = folder_ / "model";
    std::ofstream(path, std::ios::binary) << GetParam().magic << model.file.text();
    return path;
  }
  Formats formats() { return Formats(&workers_, {}, GetParam().entries); }
  /// As it would be read here, under the name of this kind's format.
  static Model expected(const Model& model) {
    Model same = onnx::read("model", model.file);
    same.format = GetParam().format;
    return same;
  }

  Workers workers_{Isolation{.program = QUANTLENS_TEST_WORKER, .stop_requested = {}}};

 private:
  fs::path folder_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, ModelFormats,
                         testing::Values(FormatKind{"here", known_formats(), "onnx", ""},
                                         FormatKind{"onnx_in_a_worker", kOnnxApart, "onnx", ""},
                                         FormatKind{"only_in_a_worker", kRenamed, "renamed",
                                                    kMagic}),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST_P(ModelFormats, ReadAllThatAModelIs) {
  const Model model = odd_net();
  const fs::path path = put(model);
  const Model read = formats().read(path);
  EXPECT_EQ(whole_text(read), whole_text(expected(model)));
  EXPECT_EQ(read.path, path);
  EXPECT_EQ(read.file.text(), std::string(GetParam().magic) + std::string(model.file.text()));
}

TEST_P(ModelFormats, LeaveWeightsInTheFileWhereTheyAre) {
  if (GetParam().format != "onnx") GTEST_SKIP() << "its weights are not in the file as they are";
  const Model read = formats().read(put(odd_net()));
  const Bytes file = read.file.bytes(), weight = read.graph.weights.at("w").bytes();
  EXPECT_GE(weight.data(), file.data());
  EXPECT_LE(weight.data() + weight.size(), file.data() + file.size());
}

TEST_P(ModelFormats, ReadWhatRunsAndIsTimed) {
  const Model model = formats().read(put(plain_net()));
  const Batch data = batch(0, {{"x", Tensor::from<float>({1, 3}, {1, 1, 1})}});
  const auto run = formats().open(
      model, nullptr, {},
      {.isolation = Isolation{.program = QUANTLENS_TEST_WORKER, .stop_requested = {}},
       .watch = {}});
  EXPECT_EQ(run->step(data).reference.at("y").data<float>()[1], 3);
  const auto by_format = formats().open(model, nullptr, {}, {.workers = &workers_, .watch = {}});
  EXPECT_EQ(by_format->step(data).reference.at("y").data<float>()[1], 3);
  const auto timed = formats().open_timed(model, {.nodes = true, .workers = &workers_});
  EXPECT_GT(timed->run(timed->add(data)).whole, 0U);
  EXPECT_FALSE(timed->graph().nodes.empty());
}

TEST_P(ModelFormats, ApplyAPlanToTheSameBytes) {
  const Model here = plain_net();
  const std::map<std::string, std::string> metadata{{"who", "a\xff"}, {"empty", ""}};
  MemoryStore wanted, written;
  const auto notes = onnx::apply(here, small_plan(), metadata, wanted, "out/q");
  const Model read = formats().read(put(here));
  EXPECT_EQ(formats().apply(read, small_plan(), metadata, written, "out/q"), notes);
  EXPECT_EQ(written.files().at("out/q"),
            std::string(GetParam().magic) + wanted.files().at("out/q"));
  EXPECT_EQ(written.files().size(), 1U);
}

TEST_P(ModelFormats, EditAModelThatIsNotWritten) {
  const Model here = plain_net();
  const std::map<std::string, std::string> metadata{{"who", "a\xff"}};
  Model wanted = onnx::edited(here, small_plan(), metadata);
  const Model edited = formats().edited(formats().read(put(here)), small_plan(), metadata);
  wanted.format = GetParam().format;
  EXPECT_EQ(whole_text(edited), whole_text(wanted));
}

TEST_P(ModelFormats, PatchAModelToTheSameBytes) {
  const Model here = plain_net();
  Node once = here.graph.nodes.at(0);
  once.outputs = {"once"};
  Node twice;
  twice.kind = Kind::mul;
  twice.inputs = {"once", "two"};
  twice.outputs = {"product"};
  const Patch patch{.weights = {{"two", Tensor::from<float>({1}, {2})}},
                    .nodes = {{"product", {once, twice}}}};
  MemoryStore wanted, written;
  onnx::write_patched(here, patch, wanted, "out/q");
  formats().write_patched(formats().read(put(here)), patch, written, "out/q");
  EXPECT_EQ(written.files().at("out/q"),
            std::string(GetParam().magic) + wanted.files().at("out/q"));
}

TEST_P(ModelFormats, SayWhyAFileIsNoModel) {
  const Model model = plain_net();
  Model cut = model;
  cut.file = MappedFile::from_bytes(std::string(model.file.text().substr(0, 60)));
  const fs::path path = put(cut);
  EXPECT_EQ(refusal([&] { formats().read(path); }, {path.string(), "not a sound ONNX file"}),
            Errc::bad_input);
}

TEST_P(ModelFormats, AreRefusedWithoutTheWorkerThatAloneHasThem) {
  if (GetParam().entries.front().match == nullptr) GTEST_SKIP() << "it is read here";
  const fs::path path = put(plain_net());
  const Formats alone(nullptr, {}, GetParam().entries);
  const auto sentence = {std::string("for a worker of"), std::string("--isolate")};
  EXPECT_EQ(refusal([&] { alone.read(path); }, {path.string(), "--isolate"}), Errc::unsupported);
  const Model model = formats().read(path);
  MemoryStore store;
  EXPECT_EQ(refusal([&] { alone.apply(model, {}, {}, store, "q"); }, sentence), Errc::unsupported);
  EXPECT_EQ(refusal([&] { alone.edited(model, {}, {}); }, sentence), Errc::unsupported);
  EXPECT_EQ(refusal([&] { alone.write_patched(model, {}, store, "q"); }, sentence),
            Errc::unsupported);
  EXPECT_EQ(refusal([&] { alone.open(model, nullptr, {}, {}); }, sentence), Errc::unsupported);
  EXPECT_EQ(refusal([&] { alone.open_timed(model, {}); }, sentence), Errc::unsupported);
  EXPECT_TRUE(store.files().empty());
}

}  // namespace
}  // namespace quantlens::contract
