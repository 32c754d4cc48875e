// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/onnx/annotate.h"

#include <gtest/gtest.h>

#include "quantlens/base/memory_store.h"
#include "quantlens/frontend/onnx/small_models.h"
#include "quantlens/frontend/onnx/wire.h"

namespace quantlens::onnx {
namespace {

constexpr std::uint32_t kMetadataOfNode = 9;

std::string annotated_bytes(const std::string& model, const Annotations& notes) {
  MemoryStore store;
  write_annotated("model", MappedFile::from_bytes(model), notes, store, "copy");
  return store.files().at("copy");
}

Annotations notes_of_r1(const std::string& value) {
  return {.nodes = {{"r1", {{"quantlens.sqnr_db", value}}}}, .model = {{"quantlens.run", value}}};
}

std::string small_bytes() {
  return std::string(model_of(small_graph()).file.text());
}

/// Contents of the metadata of the node that makes a value.
std::vector<std::string> metadata_of(const std::string& model, const std::string& output) {
  const std::string node = node_bytes(model).at(output);
  std::vector<std::string> found;
  Fields whole(node);
  Field field;
  whole.next(field);
  Fields fields(field.payload);
  for (Field one; fields.next(one);)
    if (one.number() == kMetadataOfNode) found.emplace_back(one.payload);
  return found;
}

TEST(Annotate, WithoutNotesCopiesEveryByte) {
  const std::string bytes = with_unknown_fields(small_bytes());
  EXPECT_EQ(annotated_bytes(bytes, {}), bytes);
}

TEST(Annotate, AddsNotesToTheNodesThatMakeTheValuesAndToTheModel) {
  const std::string before = small_bytes();
  const std::string after = annotated_bytes(before, notes_of_r1("12"));
  EXPECT_EQ(metadata_of(after, "r1"),
            std::vector<std::string>{std::string("\x0A\x11quantlens.sqnr_db\x12\x02\x31\x32")});
  EXPECT_TRUE(metadata_of(after, "c1").empty());
  EXPECT_EQ(model_of(after).metadata.at("quantlens.run"), "12");
  EXPECT_EQ(weight_bytes(after), weight_bytes(before));
  EXPECT_EQ(unknown_fields(annotated_bytes(with_unknown_fields(before), notes_of_r1("12"))),
            unknown_fields(with_unknown_fields(before)));
}

TEST(Annotate, OfACopyHasNewNotesInPlaceOfTheOldOnes) {
  const std::string copy = annotated_bytes(small_bytes(), notes_of_r1("12"));
  EXPECT_EQ(annotated_bytes(copy, notes_of_r1("34")),
            annotated_bytes(small_bytes(), notes_of_r1("34")));
  const Annotations of_others{.nodes = {{"c1", {{"quantlens.mse", "1"}}}}, .model = {}};
  EXPECT_TRUE(metadata_of(annotated_bytes(copy, of_others), "r1").empty());
}

TEST(Annotate, RefusesWhatIsTruncatedAndWritesNothing) {
  const std::string bytes = small_bytes();
  MemoryStore store;
  const auto write = [&] {
    write_annotated("model", MappedFile::from_bytes(bytes.substr(0, bytes.size() - 3)),
                    notes_of_r1("1"), store, "copy");
  };
  EXPECT_NE(sentence_of(Errc::bad_input, write).find("truncated or damaged"), std::string::npos);
  EXPECT_TRUE(store.files().empty());
}

}  // namespace
}  // namespace quantlens::onnx
