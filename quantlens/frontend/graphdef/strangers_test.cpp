// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

#include "quantlens/base/error.h"
#include "quantlens/frontend/frontend.h"
#include "quantlens/frontend/graphdef/graphdef.h"
#include "quantlens/frontend/graphdef/small_graphs.h"
#include "quantlens/frontend/graphdef/wire.h"

namespace quantlens::graphdef {
namespace {

using protozero::pbf_writer;
using testing::AllOf;
using testing::HasSubstr;

bool matches(const std::string& bytes, const fs::path& path = "graph") {
  return match(as_bytes(bytes), path);
}

std::string meta_graph() {
  std::string meta;
  pbf_writer writer(meta);
  pbf_writer(writer, MetaGraphDef::meta_info_def)
      .add_bytes(MetaInfoDef::tensorflow_version, "2.21");
  writer.add_bytes(MetaGraphDef::graph_def, small_network().bytes());
  return meta;
}

std::string saved_model() {
  std::string saved;
  pbf_writer writer(saved);
  writer.add_int64(SavedModel::schema_version, 1);
  writer.add_bytes(SavedModel::meta_graphs, meta_graph());
  return saved;
}

/// What reading a file of these bytes ends in.
std::string refusal_of(const std::string& name, const std::string& bytes) {
  const fs::path folder = fs::path(testing::TempDir()) / "quantlens_strangers";
  fs::create_directories(folder);
  std::ofstream(folder / name, std::ios::binary) << bytes;
  try {
    frontend::read(folder / name);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(GraphDefMatch, IsByContent) {
  const std::string bytes = small_network().bytes();
  EXPECT_TRUE(matches(bytes));
  EXPECT_TRUE(matches(bytes.substr(0, bytes.size() / 2))) << "cut short";
  EXPECT_FALSE(matches("")) << "nothing";
  EXPECT_FALSE(matches("\x08\x07\x12\x07pytorch")) << "ONNX";
  EXPECT_FALSE(matches("this is no model"));
  EXPECT_FALSE(matches(saved_model()));
  EXPECT_FALSE(matches(meta_graph()));
}

TEST(GraphDefMatch, DoesNotNeedItsVersionsFirst) {
  GraphBytes graph;
  graph.producer(1286).input("x", {1});
  EXPECT_TRUE(matches(graph.bytes()));
}

TEST(GraphDefStrangers, AreNamedWithWhatToDo) {
  EXPECT_THAT(problem_of(saved_model()), AllOf(HasSubstr("SavedModel"), HasSubstr("freeze it")));
  EXPECT_THAT(problem_of(meta_graph()), HasSubstr("MetaGraph"));
  for (const char* text : {"node {\n  name: \"x\"\n", "# comment\nnode: {", "versions { }",
                           "saved_model_schema_version: 1\nmeta_graphs {"}) {
    EXPECT_THAT(problem_of(text), HasSubstr("as text")) << text;
  }
  EXPECT_THAT(problem_of("PK\x03\x04 metadata.json config.json model.weights.h5"),
              HasSubstr("Keras"));
}

TEST(GraphDefStrangers, AreNoOthers) {
  for (const std::string& bytes :
       {small_network().bytes(), std::string("nodes of a text"), std::string("PK\x03\x04 data.pkl"),
        std::string("\x08\x01\x12\x07pytorch", 11), std::string()}) {
    EXPECT_EQ(problem_of(bytes), "");
  }
}

TEST(GraphDefStrangers, AreRefusedInOneSentenceThatNamesTheFile) {
  EXPECT_THAT(refusal_of("saved_model.pb", saved_model()),
              AllOf(HasSubstr("saved_model.pb: not a model that quantlens can read: it is a "
                              "TensorFlow SavedModel"),
                    HasSubstr("docs/tensorflow.md")));
  EXPECT_THAT(refusal_of("graph.pbtxt", "node {\n"), HasSubstr("write it as bytes"));
  try {
    frontend::read(fs::path(testing::TempDir()) / "quantlens_strangers");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("it is a TensorFlow SavedModel")) << "the folder";
  }
}

TEST(GraphDefStrangers, LeaveFrozenGraphsToTheReader) {
  EXPECT_EQ(refusal_of("frozen.bin", small_network().bytes()), "") << "whatever it is called";
}

}  // namespace
}  // namespace quantlens::graphdef
