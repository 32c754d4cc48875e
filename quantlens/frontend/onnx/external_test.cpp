// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>
#include <unistd.h>

#include "quantlens/base/memory_store.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/frontend/onnx/encode.h"
#include "quantlens/frontend/onnx/small_models.h"

namespace quantlens::onnx {
namespace {

using testing::HasSubstr;

constexpr std::size_t kLarge = 2048;  // floats of the weight "large"

/// A field that holds a message.
std::string message(protozero::pbf_tag_type number, std::string_view contents) {
  std::string bytes;
  protozero::pbf_writer(bytes).add_message(number, contents.data(), contents.size());
  return bytes;
}

/// A folder with a model whose weights are in files beside it.
class ExternalData : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              (std::string("quantlens_external_") + info->name() + std::to_string(::getpid()));
    fs::create_directories(folder_ / "model" / "sub");
    std::string floats(kLarge * 4 + 8, '\0');
    floats[8] = 'A';
    put("model/data.bin", floats);
    put("secret.bin", floats);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void put(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }

  fs::path model_path() const { return folder_ / "model" / "model.onnx"; }

  static Pieces tensor(const std::string& name, const External& external) {
    return encode_tensor({name, DType::float32, {kLarge}, {}}, external);
  }

  /// Add(x, large) -> y; If whose branch reads a tensor of its own; a Constant node: all external.
  void put_model(const External& external) const {
    Pieces attribute;
    attribute.field(AttributeProto::name, "value");
    attribute.field(AttributeProto::t, tensor("", external));
    attribute.varint_field(AttributeProto::type, 4);
    Pieces constant = encode_node(make_node("Constant", {}, {"held"}));
    constant.field(NodeProto::attribute, std::move(attribute));
    Pieces graph;
    graph.field(GraphProto::node, std::move(constant));
    graph.field(GraphProto::node, encode_node(make_node("Add", {"x", "large"}, {"y"})));
    graph.field(GraphProto::node, encode_node(make_node("Add", {"y", "held"}, {"z"})));
    graph.field(GraphProto::initializer, tensor("large", external));
    graph.field(GraphProto::input, encode_value_info(float_value("x", {dim(kLarge)})));
    graph.field(GraphProto::output, encode_value_info(float_value("z", {dim(kLarge)})));
    put("model/model.onnx", with_unknown_fields(file_with(std::move(graph))));
  }

  std::string refusal(Errc code, const External& external) const {
    put_model(external);
    return sentence_of(code, [&] { frontend::read(model_path()); });
  }

  fs::path folder_;
};

TEST_F(ExternalData, AreMappedFromTheFileBeside) {
  put_model({"data.bin", 8, kLarge * 4});
  const Model model = frontend::read(model_path());
  EXPECT_EQ(model.graph.weights.at("large").bytes()[0], std::byte{'A'});
  EXPECT_EQ(std::get<Tensor>(model.graph.nodes[0].attributes.at("value")).bytes()[0],
            std::byte{'A'});
  fs::remove(folder_ / "model" / "data.bin");
  EXPECT_EQ(model.graph.weights.at("large").bytes()[0], std::byte{'A'}) << "still mapped";
}

TEST_F(ExternalData, MayLeaveTheLengthOut) {
  put_model({"data.bin", 8, std::nullopt});
  EXPECT_EQ(frontend::read(model_path()).graph.weights.at("large").size(),
            static_cast<std::int64_t>(kLarge));
}

TEST_F(ExternalData, OutsideTheFolderAreRefused) {
  for (const char* location : {"../secret.bin", "sub/../../secret.bin", "", ".."}) {
    EXPECT_THAT(refusal(Errc::bad_input, {location, 8, kLarge * 4}),
                HasSubstr("outside the model's folder"));
  }
  EXPECT_THAT(refusal(Errc::bad_input, {(folder_ / "secret.bin").string(), 8, kLarge * 4}),
              HasSubstr("outside the model's folder"));
  EXPECT_THAT(refusal(Errc::bad_input, {std::string("data.bin\0x", 10), 8, kLarge * 4}),
              HasSubstr("outside the model's folder"));
}

TEST_F(ExternalData, BehindALinkThatLeavesTheFolderAreRefused) {
  fs::create_symlink("../secret.bin", folder_ / "model" / "link.bin");
  EXPECT_THAT(refusal(Errc::bad_input, {"link.bin", 8, kLarge * 4}),
              HasSubstr("a link that leaves the model's folder"));
  fs::create_directory_symlink("..", folder_ / "model" / "up");
  EXPECT_THAT(refusal(Errc::bad_input, {"up/secret.bin", 8, kLarge * 4}),
              HasSubstr("a link that leaves the model's folder"));
}

TEST_F(ExternalData, BehindALinkThatStaysInTheFolderAreRead) {
  fs::create_symlink("data.bin", folder_ / "model" / "link.bin");
  put_model({"link.bin", 8, kLarge * 4});
  EXPECT_NO_THROW(frontend::read(model_path()));
}

TEST_F(ExternalData, BeyondTheEndOrOfAnotherSizeAreRefused) {
  EXPECT_THAT(refusal(Errc::bad_input, {"data.bin", 9, kLarge * 4}), HasSubstr("beyond the end"));
  EXPECT_THAT(refusal(Errc::bad_input, {"data.bin", ~0ULL, kLarge * 4}),
              HasSubstr("beyond the end"));
  EXPECT_THAT(refusal(Errc::bad_input, {"data.bin", 8, 5}), HasSubstr("needs 8192 bytes"));
  EXPECT_THAT(refusal(Errc::not_found, {"gone.bin", 8, kLarge * 4}),
              HasSubstr("copy that file beside the model"));
}

TEST_F(ExternalData, AndTheModelAreItsFiles) {
  put_model({"data.bin", 8, kLarge * 4});
  const std::vector<fs::path> files{model_path(), model_path().parent_path() / "data.bin"};
  EXPECT_EQ(frontend::files_of(frontend::read(model_path())), files);
  EXPECT_EQ(frontend::files_for("out.onnx"), (std::vector<fs::path>{"out.onnx", "out.onnx.data"}));
}

TEST_F(ExternalData, AreNamedWithoutALookAtTheFiles) {
  put_model({"../secret.bin", 8, kLarge * 4});
  EXPECT_EQ(frontend::named_in(model_path()), std::vector<std::string>{"../secret.bin"});
  put_model({"gone.bin", 8, kLarge * 4});
  EXPECT_EQ(frontend::named_in(model_path()), std::vector<std::string>{"gone.bin"});
}

TEST_F(ExternalData, AreNamedWhereverATensorMayStand) {
  const std::string tensor = message(13, message(1, "location") + message(2, "a.bin"));
  const std::string constant = message(5, message(1, "value") + message(5, tensor));
  const std::string sparse = message(5, message(1, "value") + message(22, message(2, tensor)));
  const std::string body = message(5, message(1, "body") + message(6, message(5, tensor)));
  const auto model = [](std::string_view rest) {
    return std::string("\x08\x08") + std::string(rest);
  };
  const std::string empty = message(7, "");
  for (const std::string& where :
       {message(7, message(5, tensor)), message(7, message(15, message(1, tensor))),
        message(7, message(1, constant)), message(7, message(1, sparse)),
        message(7, message(1, body)), empty + message(25, message(7, constant)),
        empty + message(20, message(1, message(5, tensor)))}) {
    EXPECT_THAT(onnx::locations_in("model", model(where)), testing::ElementsAre("a.bin"));
  }
}

TEST_F(ExternalData, ComeIntoAFileThatIsWrittenForMemory) {
  put_model({"data.bin", 8, kLarge * 4});
  const Model model = frontend::read(model_path());
  const std::string bytes = written(model, {});
  EXPECT_GT(bytes.size(), 2 * kLarge * 4);
  const Model alone = model_of(bytes, "/nowhere/model.onnx");
  EXPECT_EQ(alone.graph.weights.at("large").bytes()[0], std::byte{'A'});
  EXPECT_EQ(unknown_fields(bytes).size(), unknown_fields(model.file.text()).size() - 12)
      << "only those of the entries that said where the data were";
}

Plan float_plan() {
  Plan plan;
  plan.activations = {
      {.value = "x", .scheme = {}, .params = {0.5F, 3}, .all_uses = true, .uses = {}}};
  return plan;
}

TEST_F(ExternalData, AreCopiedOnceToAFileBesideTheOutput) {
  put_model({"data.bin", 8, kLarge * 4});
  const Model model = frontend::read(model_path());
  MemoryStore store;
  apply(model, float_plan(), {}, store, "out/model.int8.onnx");
  const std::string& data = store.files().at("out/model.int8.onnx.data");
  EXPECT_EQ(data.size(), kLarge * 4) << "two tensors share their bytes";
  EXPECT_EQ(data[0], 'A');
  fs::create_directories(folder_ / "out");
  for (const auto& [name, bytes] : store.files()) put(name, bytes);
  const Model after = frontend::read(folder_ / "out" / "model.int8.onnx");
  EXPECT_EQ(after.graph.weights.at("large").bytes()[0], std::byte{'A'});
  EXPECT_EQ(std::get<Tensor>(after.graph.nodes[0].attributes.at("value")).bytes()[0],
            std::byte{'A'});
  const auto kept = unknown_fields(after.file.text());
  EXPECT_EQ(kept, unknown_fields(model.file.text()));
}

TEST_F(ExternalData, HoldNewWeightsThatAreLarge) {
  put_model({"data.bin", 8, kLarge * 4});
  const Model model = frontend::read(model_path());
  Plan plan;
  plan.weights_quantized = {{.weight = "large",
                             .scheme = {DType::int8, true, {}, 8},
                             .params = {{0.5F, 0}},
                             .uses = {{"y", 1}}}};
  DiskStore store;
  apply(model, plan, {}, store, model_path());  // over the model itself: its bytes stay mapped
  const Model after = frontend::read(model_path());
  const Tensor& codes = after.graph.weights.at("large_quantized");
  EXPECT_EQ(codes.size(), static_cast<std::int64_t>(kLarge));
  EXPECT_FALSE(after.graph.weights.contains("large"));
  EXPECT_EQ(fs::file_size(folder_ / "model" / "model.onnx.data"), kLarge * 4 + kLarge)
      << "the Constant's floats and the codes";
}

TEST_F(ExternalData, LeaveNothingBehindWhereAWriteFails) {
  put_model({"data.bin", 8, kLarge * 4});
  const Model model = frontend::read(model_path());
  for (int n = 0;; ++n) {
    MemoryStore store;
    store.fail_after(n);
    try {
      apply(model, float_plan(), {}, store, "out.onnx");
      EXPECT_EQ(store.files().size(), 2U);
      return;
    } catch (const Error&) {
      EXPECT_FALSE(store.files().contains("out.onnx"));
    }
  }
}

}  // namespace
}  // namespace quantlens::onnx
