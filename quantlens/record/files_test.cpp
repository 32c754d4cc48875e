// SPDX-License-Identifier: Apache-2.0
// Walks the table of files: whatever stands in a record comes back from its file.
#include "quantlens/record/files.h"

#include <limits>
#include <set>
#include <variant>

#include <boost/describe.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/graph/testing/small_graph.h"
#include "quantlens/stats/testing/random_numbers.h"

namespace quantlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Gives every field of a record a value of its own, lists and maps two entries.
class Filler {
 public:
  template <class T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = !value;
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = static_cast<T>(1 + count_++ % 99);
    } else if constexpr (std::is_enum_v<T>) {
      value = *from_word<T>(words<T>().back());
    } else {
      boost::mp11::mp_for_each<boost::describe::describe_members<
          T, boost::describe::mod_public | boost::describe::mod_inherited>>(
          [&](auto member) { fill(value.*member.pointer); });
    }
  }
  void fill(std::string& value) { value = "text " + std::to_string(++count_); }
  void fill(json::Value& value) { value = {{"value", ++count_}}; }
  template <class T>
  void fill(std::optional<T>& value) {
    fill(value.emplace());
  }
  template <class T>
  void fill(std::vector<T>& values) {
    values.clear();
    for (int i = 0; i < 2; ++i) {
      T value{};
      fill(value);
      values.push_back(value);
    }
  }
  /// The first that is any.
  template <class T, class... More>
  void fill(std::variant<std::monostate, T, More...>& value) {
    fill(value.template emplace<T>());
  }
  template <class T, std::size_t kSize>
  void fill(std::array<T, kSize>& values) {
    for (T& value : values) fill(value);
  }
  template <class T>
  void fill(std::map<std::string, T>& values) {
    for (const char* key : {"a", "b"}) fill(values[key]);
  }

 private:
  int count_ = 0;
};

TapState some_state() {
  TapState state{.model = std::string(64, 'a'), .samples = {}, .values = {}, .pairs = {}};
  state.samples.insert(3);
  ValueStats stats{.value = "x"};
  stats.moments.add(3, drawn::normal_floats(1, 100));
  stats.histogram.add(drawn::normal_floats(1, 100));
  state.values.push_back(stats);
  return state;
}

template <class R>
R filled() {
  R record;
  if constexpr (std::is_same_v<R, TapState>) {
    record = some_state();
  } else if constexpr (std::is_same_v<R, Histograms>) {
    record.state = some_state();
    record.weights.emplace_back().reference = "w";
    record.weights.back().pairs.add(0, drawn::normal_floats(1, 9), drawn::normal_floats(2, 9));
    record.weights.emplace_back().reference = "a";  // told in no order of names
  } else if constexpr (std::is_same_v<R, Passes>) {
    record.local = {.ops = some_state(), .weights = {}, .inputs = some_state()};
    record.outputs = {
        {.as_they_are = some_state(),
         .in_float = {{.ops = {{"a", "node_a"}, {"b", "node_b"}}, .errors = some_state()}}},
        {.as_they_are = some_state(), .in_float = {}}};
    record.observation.unseen = {{"a", "node_a"}};
    record.observation.reference_sqnr_db = std::numeric_limits<double>::infinity();
    Filler().fill(record.samples);
    record.caveat = "random data";
  } else if constexpr (std::is_same_v<R, AccuracyState>) {
    record = {.metric = "top1:label_offset=1", .reference = "gathered", .quantized = "likewise"};
    for (std::uint64_t sample = 3; sample < 13; ++sample) record.samples.insert(sample);
    record.both_right = 4;
    record.both_wrong = 3;
    record.lost = 2;
    record.gained = 1;
    Filler().fill(record.flips.emplace_back());
    for (std::uint64_t i = 0; i < 2; ++i) record.flips.push_back(record.flips.front());
    for (std::uint64_t i = 0; i < 3; ++i) record.flips[i].sample = 4 + i;
  } else if constexpr (std::is_same_v<R, Pairing>) {
    Filler().fill(record);
    for (ValuePair& pair : record.pairs) pair.same_as = 1;
  } else {
    Filler().fill(record);
  }
  return record;
}

std::vector<std::string> keys_of(const json::Value& record) {
  std::vector<std::string> keys;
  for (const auto& member : record.get_object()) keys.emplace_back(member.key());
  return keys;
}

TEST(PairingFile, IsRefusedWhereItNamesAPairThatThereIsNot) {
  auto record = filled<Pairing>();
  record.pairs[0].same_as = 2;
  try {
    (void)from_file<Pairing>(to_file(record), "pairing.json");
    ADD_FAILURE() << "it is read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("pairing.json: '" + record.pairs[0].reference +
                                        "' has the elements of pair 2, which there is not"));
  }
}

TEST(PairingFile, KeepsScalesThatNoQuantizerShouldWrite) {
  auto record = filled<Pairing>();
  for (const float scale : {0.0F, -0.5F, std::numeric_limits<float>::infinity()}) {
    record.pairs[0].params->scale = scale;
    EXPECT_EQ(from_file<Pairing>(to_file(record), "pairing.json").pairs, record.pairs) << scale;
  }
}

TEST(DiagnosisFile, IsRefusedWhereAFigureOfItsSentencesIsNoNumber) {
  Diagnosis diagnosis;
  diagnosis.conclusions = {{.says = "kept", .figures = {{"sqnr", figure::decibels(30)}}}};
  const auto read = [](const Diagnosis& record) {
    return from_file<Diagnosis>(to_file(record), "diagnosis.json");
  };
  EXPECT_EQ(read(diagnosis).conclusions, diagnosis.conclusions);
  diagnosis.conclusions[0].figures["sqnr"] =
      figure::decibels(std::numeric_limits<double>::infinity());
  EXPECT_EQ(read(diagnosis).conclusions, diagnosis.conclusions);
  diagnosis.conclusions[0].figures["sqnr"].value = "x";
  EXPECT_THROW((void)read(diagnosis), Error);
  diagnosis.conclusions[0].figures["sqnr"].value = {1, "x"};
  EXPECT_THROW((void)read(diagnosis), Error);
}

template <class File>
class EveryFile : public ::testing::Test {};
template <class List>
struct AsTypes;
template <class... Files>
struct AsTypes<boost::mp11::mp_list<Files...>> {
  using type = ::testing::Types<Files...>;
};
TYPED_TEST_SUITE(EveryFile, AsTypes<RecordFiles>::type, );

TYPED_TEST(EveryFile, ReadsBackAsItWas) {
  using Record = typename TypeParam::Record;
  for (const Record& record : {Record(), filled<Record>()}) {
    const std::string bytes = to_file(record);
    EXPECT_EQ(to_file(from_file<Record>(bytes, TypeParam::kName)), bytes);
  }
}

TYPED_TEST(EveryFile, HasAllThatStandsInTheRecord) {
  using Record = typename TypeParam::Record;
  EXPECT_NE(to_file(filled<Record>()), to_file(Record()));
  if constexpr (boost::describe::has_describe_members<Record>::value) {
    const auto again = from_file<Record>(to_file(filled<Record>()), TypeParam::kName);
    EXPECT_EQ(json::encode(again), json::encode(filled<Record>()));
  }
}

TYPED_TEST(EveryFile, IsRefusedByNameWhereItIsDamaged) {
  using Record = typename TypeParam::Record;
  const std::string whole = to_file(filled<Record>());
  for (const std::string& bytes :
       {std::string(), std::string("{"), std::string("[1]"), whole.substr(0, whole.size() / 2)}) {
    try {
      from_file<Record>(bytes, "w/file");
      ADD_FAILURE() << TypeParam::kName << ": " << bytes.substr(0, 20);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_input);
      EXPECT_THAT(error.what(), HasSubstr("w/file"));
    }
  }
}

TEST(RecordFiles, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  boost::mp11::mp_for_each<RecordFiles>(
      [&](auto file) { EXPECT_TRUE(names.insert(file.kName).second) << file.kName; });
}

// What the layout before this one had.
TEST(RecordFiles, OfLayout2AreRead) {
  const auto alone = from_file<AccuracyRecord>(
      R"({"metric": "top1", "value": 0.75, "interval": [0.5, 0.9], "samples": 8, "is_rate": true,
          "higher_is_better": true})",
      "accuracy.json");
  EXPECT_EQ(alone.quantized.value, 0.75);
  EXPECT_EQ(alone.quantized.samples, 8U);
  EXPECT_FALSE(alone.reference);
  EXPECT_FALSE(alone.difference);

  const auto profile = from_file<ProfileRecord>(
      R"({"model": "net.onnx", "threads": 2, "nodes": [], "types": []})", "profile.json");
  EXPECT_EQ(profile.reference.model, "net.onnx");
  EXPECT_EQ(profile.reference.threads, 2U);
  EXPECT_EQ(profile.reference.source, ProfileSource::quantlens);
  EXPECT_FALSE(profile.quantized);

  Recipe recipe;
  recipe.weight.algorithm = RangeAlgorithm::mse;
  recipe.recipes.smooth_quant_alphas = {0.25, 0.5};
  EXPECT_EQ(from_file<Recipe>(json::dump(json::encode(recipe)), "recipe.json"), recipe);
}

TEST(RecordFiles, RecipesOfAStudyAreAsRecipesOptionTakesThem) {
  Study study;
  study.start.recipes.smooth_quant_alphas = {0.25, 0.5};
  study.trials.resize(2);
  study.trials[1].recipe.weight.algorithm = RangeAlgorithm::mse;
  const json::Value value = to_value(study);
  EXPECT_EQ(value.at("start"), to_value(study.start));
  EXPECT_EQ(value.at("trials").at(1).at("recipe"), to_value(study.trials[1].recipe));
  const auto again = from_file<Study>(to_file(study), "study.json");
  EXPECT_EQ(again.start, study.start);
  EXPECT_EQ(again.trials[1].recipe, study.trials[1].recipe);
  // Up to layout 7 they had the names of the record's fields, and what is absent was null.
  EXPECT_EQ(from_file<Study>(json::dump(json::encode(study)), "study.json").start, study.start);
  EXPECT_THROW(from_file<Study>(R"({"start": [], "trials": [7]})", "study.json"), Error);
}

TEST(RecordFiles, FindingsOfLayout5AreRead) {
  const auto diagnosis = from_file<Diagnosis>(
      R"({"samples": 8, "verdict": "The outputs are lost.", "findings": [
          {"rule": "rounding", "op": "a", "ops": ["a"], "because": "8 bits are too few",
           "remedy": "{\"op_name_dict\": {\"a\": \"fp32\"}}", "severity": "problem",
           "output_share": 0.5},
          {"rule": "dead_channels", "op": "b", "ops": ["b"], "because": "", "remedy": "",
           "severity": "note"}]})",
      "diagnosis.json");
  EXPECT_EQ(diagnosis.samples, 8U);
  EXPECT_EQ(diagnosis.conclusions, Statements{said_in_words("The outputs are lost.")});
  ASSERT_EQ(diagnosis.findings.size(), 2U);
  EXPECT_EQ(diagnosis.findings[0].reasons, Statements{said_in_words("8 bits are too few")});
  EXPECT_EQ(diagnosis.findings[0].remedy.at("op_name_dict").at("a"), "fp32");
  EXPECT_EQ(diagnosis.findings[0].op, (OpRef{.id = {}, .name = "a"}));
  EXPECT_EQ(diagnosis.findings[0].severity, Severity::problem);
  EXPECT_EQ(diagnosis.findings[0].output_share, 0.5);
  EXPECT_TRUE(diagnosis.findings[1].reasons.empty());
  EXPECT_TRUE(diagnosis.findings[1].remedy.is_null());
}

// As quantlens wrote it, but for what stays as it is.
constexpr const char* kProfileOfLayout6 = R"({
  "reference": {"model": "net.onnx", "source": "quantlens", "threads": 1, "nodes": [
    {"name": "conv", "type": "Conv", "role": "op", "position": 0, "ops": ["y", "z"],
     "names": ["conv", "relu"], "inputs": ["float32[1,3]"], "total_us": 120.5}],
    "types": [{"name": "Conv", "type": "Conv", "ops": [], "names": [], "total_us": 120.5}]},
  "quantized": {"model": "net.int8.onnx", "source": "quantlens", "nodes": [
    {"name": "q", "type": "QuantizeLinear", "role": "quantize", "ops": [], "names": []}],
    "types": []},
  "ratio": 1.25, "ratio_interval": [1.2, 1.3],
  "ops": [
    {"ops": ["y", "z"], "names": ["conv", "relu"], "type": "Conv", "gain_us": -20,
     "quantized": true, "passed_to": []},
    {"ops": ["p"], "names": ["pool"], "type": "MaxPool", "passed_to": ["conv"]},
    {"ops": ["a"], "names": ["twin"]}, {"ops": ["b"], "names": ["twin"]},
    {"ops": [], "names": [], "conversion_us": 3}],
  "findings": [
    {"rule": "slow_kernel", "ops": ["conv", "relu"], "because": "QLinearConv is slower",
     "remedy": "{\"op_name_dict\":{\"conv\":\"fp32\"}}", "milliseconds": 0.02,
     "trial": {"ops": ["conv"], "ratio": 0.9, "ratio_interval": [0.8, 0.95]}, "not_tried": ""},
    {"rule": "float_island", "ops": ["twin", "gone"], "because": "it pays", "remedy": "",
     "milliseconds": 0.01, "trial": null, "not_tried": "it is in float already"}],
  "verdict": "The quantized model is 1.25 times as slow as float."
})";

TEST(RecordFiles, ProfilesOfLayout6AreRead) {
  const auto profile = from_file<ProfileRecord>(kProfileOfLayout6, "profile.json");
  const std::vector<OpRef> both{{"y", "conv"}, {"z", "relu"}};
  ASSERT_EQ(profile.reference.nodes.size(), 1U);
  EXPECT_EQ(profile.reference.nodes[0].ops, both);
  EXPECT_EQ(profile.reference.nodes[0].total_us, 120.5);
  EXPECT_EQ(profile.reference.nodes[0].inputs, std::vector<std::string>{"float32[1,3]"});
  EXPECT_TRUE(profile.reference.types.at(0).ops.empty());
  ASSERT_TRUE(profile.quantized);
  EXPECT_EQ(profile.quantized->nodes.at(0).role, NodeRole::quantize);
  EXPECT_EQ(profile.ratio, 1.25);
  ASSERT_EQ(profile.ops.size(), 5U);
  EXPECT_EQ(profile.ops[0].ops, both);
  EXPECT_EQ(profile.ops[0].gain_us, -20);
  EXPECT_EQ(profile.ops[1].passed_to, std::vector<OpRef>({{"y", "conv"}})) << "ids are of the rows";
  EXPECT_TRUE(profile.ops[4].ops.empty());
  EXPECT_EQ(profile.conclusions,
            Statements{said_in_words("The quantized model is 1.25 times as slow as float.")});
}

TEST(RecordFiles, FindingsOfSpeedOfLayout6AreRead) {
  const auto profile = from_file<ProfileRecord>(kProfileOfLayout6, "profile.json");
  ASSERT_EQ(profile.findings.size(), 2U);
  const SpeedFinding& slow = profile.findings[0];
  EXPECT_EQ(slow.rule, SpeedRule::slow_kernel);
  EXPECT_EQ(slow.ops, std::vector<OpRef>({{"y", "conv"}, {"z", "relu"}}));
  EXPECT_EQ(slow.reasons, Statements{said_in_words("QLinearConv is slower")});
  EXPECT_EQ(slow.remedy.at("op_name_dict").at("conv"), "fp32");
  ASSERT_TRUE(slow.trial);
  EXPECT_EQ(slow.trial->ops, std::vector<OpRef>({{"y", "conv"}}));
  EXPECT_TRUE(slow.not_tried.empty());
  const SpeedFinding& island = profile.findings[1];
  EXPECT_EQ(island.ops, std::vector<OpRef>({{"", "twin"}, {"", "gone"}})) << "two have one name";
  EXPECT_TRUE(island.remedy.is_null());
  EXPECT_FALSE(island.trial);
  EXPECT_EQ(island.not_tried, Statements{said_in_words("it is in float already")});
  const auto again = from_file<ProfileRecord>(to_file(profile), "profile.json");
  EXPECT_EQ(json::encode(again), json::encode(profile));
}

TEST(RecordFiles, ImportsOfLayout6HaveNamesWithoutIds) {
  const auto profile = from_file<ProfileRecord>(
      R"({"reference": {"model": "", "source": "onnxruntime", "nodes": [
          {"name": "conv1", "type": "Conv", "ops": [], "names": ["conv1"]}], "types": []},
          "quantized": null, "ratio": null, "ratio_interval": null, "ops": [], "findings": [],
          "verdict": ""})",
      "profile.json");
  EXPECT_EQ(profile.reference.source, ProfileSource::onnxruntime);
  EXPECT_EQ(profile.reference.nodes.at(0).ops, std::vector<OpRef>({{"", "conv1"}}));
  EXPECT_TRUE(profile.conclusions.empty());
}

TEST(RecordFiles, DamagedProfilesOfLayout6AreRefusedByName) {
  for (const char* damaged :
       {R"({"reference": {"nodes": [{"ops": [3], "names": [4]}]}, "verdict": ""})",
        R"({"findings": [{"rule": "slow_kernel", "remedy": "{"}], "verdict": ""})",
        R"({"findings": [{"rule": "unheard_of"}], "verdict": ""})",
        R"({"ops": [{"ops": ["a"], "passed_to": [7]}], "verdict": ""})"}) {
    try {
      from_file<ProfileRecord>(damaged, "w/profile.json");
      ADD_FAILURE() << damaged;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_input);
      EXPECT_THAT(error.what(), HasSubstr("w/profile.json"));
    }
  }
}

const OpRef kConv{.id = "y", .name = "conv"}, kAdd{.id = "z", .name = "add"};

TEST(RecordFiles, OpsOfAPlanOfLayout6AreRead) {
  const auto plan = from_file<Plan>(
      R"({"ops": [{"op": "y", "name": "conv", "type": "Conv", "members": ["y"], "quantized": true},
                  {"op": "z", "name": "add", "type": "Add", "reason": "too small"}],
          "effects": [{"algorithm": "bias_correction", "op": "y", "name": "conv", "gain_db": 3}]})",
      "plan.json");
  ASSERT_EQ(plan.ops.size(), 2U);
  EXPECT_EQ(plan.ops[0].op, kConv);
  EXPECT_EQ(plan.ops[0].members, std::vector<std::string>{"y"});
  EXPECT_EQ(plan.ops[1].op, kAdd);
  EXPECT_EQ(plan.ops[1].reason, "too small");
  ASSERT_EQ(plan.effects.size(), 1U);
  EXPECT_EQ(plan.effects[0].op, kConv);
  EXPECT_EQ(plan.effects[0].gain_db, 3);
}

TEST(RecordFiles, OpsOfAPairingOfLayout6AreRead) {
  const auto pairing = from_file<Pairing>(
      R"({"pairs": [{"op": "y", "op_name": "conv", "type": "Conv", "reference": "y",
                     "quantized": "y_q"},
                    {"op": "z", "op_name": "add", "reference": "z", "quantized": "z_q"},
                    {"op": "b1", "op_name": "twin", "reference": "b1", "quantized": "b1_q"},
                    {"op": "b2", "op_name": "twin", "reference": "b2", "quantized": "b2_q"}],
          "weights": [{"op": "y", "op_name": "conv", "reference": "w", "quantized": "w_q",
                       "params": {"scale": [0.5, 0.25], "zero_point": 0}}],
          "suspects": [{"value": "z", "quantized": "z_q", "op_name": "add", "found_by": "name",
                        "correlation": 0.25}],
          "changes": [{"rule": "changed_weight", "op": "y", "ops": ["conv", "twin", "codes"],
                       "value": "y", "weight": "w", "because": "its weight is another one"}]})",
      "pairing.json");
  ASSERT_EQ(pairing.pairs.size(), 4U);
  EXPECT_EQ(pairing.pairs[0].op, kConv);
  EXPECT_EQ(pairing.pairs[3].op, (OpRef{.id = "b2", .name = "twin"}));
  ASSERT_EQ(pairing.weights.size(), 1U);
  EXPECT_EQ(pairing.weights[0].op, kConv);
  EXPECT_EQ(pairing.weights[0].params.size(), 2U);
  ASSERT_EQ(pairing.suspects.size(), 1U);
  EXPECT_EQ(pairing.suspects[0].op, kAdd);
  ASSERT_EQ(pairing.changes.size(), 1U);
  EXPECT_EQ(pairing.changes[0].op, kConv);
  EXPECT_EQ(pairing.changes[0].ops,
            (std::vector<OpRef>{kConv, {.id = {}, .name = "twin"}, {.id = {}, .name = "codes"}}))
      << "a name that two ops have stands for none";
  EXPECT_EQ(pairing.changes[0].reasons, Statements{said_in_words("its weight is another one")});
}

TEST(RecordFiles, OpsOfADiagnosisOfLayout6AreRead) {
  const auto diagnosis = from_file<Diagnosis>(
      R"({"activations": [{"op": "y", "name": "conv", "type": "Conv", "value": "y"},
                          {"op": "z", "name": "add", "type": "Add", "value": "z"}],
          "weights": [{"op": "y", "name": "conv", "weight": "w"}],
          "suspects": [{"value": "z", "quantized": "z_q", "op_name": "add"}],
          "conclusions": [{"says": "at_op", "figures": {"op": {"is": "op", "value": "add"}}}],
          "findings": [{"rule": "rounding", "op": "conv", "ops": ["conv", "add", "twin"],
                        "op_ids": ["y", "z", "b2"], "remedy": null, "severity": "note",
                        "reasons": [{"says": "observation.unseen",
                                     "figures": {"ops": {"is": "op", "value": ["twin", "add"]},
                                                 "inside": {"is": "text", "value": ["n"]}}}]},
                       {"rule": "rounding", "op": "add", "ops": ["add"], "op_ids": [""],
                        "reasons": [], "remedy": null, "severity": "note"}]})",
      "diagnosis.json");
  const OpRef twin{.id = "b2", .name = "twin"};
  ASSERT_EQ(diagnosis.activations.size(), 2U);
  EXPECT_EQ(diagnosis.activations[0].op, kConv);
  EXPECT_EQ(diagnosis.weights.at(0).op, kConv);
  EXPECT_EQ(diagnosis.suspects.at(0).op, kAdd);
  EXPECT_EQ(diagnosis.conclusions.at(0).figures.at("op"), figure::op(kAdd));
  ASSERT_EQ(diagnosis.findings.size(), 2U);
  EXPECT_EQ(diagnosis.findings[0].op, kConv);
  EXPECT_EQ(diagnosis.findings[0].ops, (std::vector<OpRef>{kConv, kAdd, twin}));
  const auto& figures = diagnosis.findings[0].reasons.at(0).figures;
  EXPECT_EQ(figures.at("ops"), figure::ops({twin, kAdd}));
  EXPECT_EQ(figures.at("inside"), figure::texts({"n"}));
  EXPECT_EQ(diagnosis.findings[1].ops, std::vector<OpRef>{kAdd}) << "as the row of that name";
}

TEST(RecordFiles, AConclusionOfLayout6IsReadWhereThereIsNothingElse) {
  const auto diagnosis = from_file<Diagnosis>(
      R"({"conclusions": [{"says": "at_op", "figures": {"op": {"is": "op", "value": "add"}}}]})",
      "diagnosis.json");
  EXPECT_EQ(diagnosis.conclusions.at(0).figures.at("op"), figure::op({.id = {}, .name = "add"}));
}

// What layout 2 had of two models.
TEST(RecordFiles, OfTwoModelsHaveTheFieldsThatTheyHadInLayout2) {
  AccuracyRecord accuracy;
  Filler().fill(accuracy);
  EXPECT_THAT(keys_of(json::encode(accuracy)),
              ElementsAre("reference", "quantized", "difference", "difference_interval", "ratio",
                          "lost", "gained", "flips"));
  ProfileRecord profile;
  Filler().fill(profile);
  EXPECT_THAT(keys_of(json::encode(profile)),
              ElementsAre("reference", "quantized", "ratio", "ratio_interval", "ops", "findings",
                          "conclusions"));
}

TEST(RecordFiles, HaveTheRolesOfAnOpAsAnObjectThatSaysWhatItIs) {
  SmallGraph net;
  net.input("x").node(Kind::concat, {"x", "x"}, "c").set(&roles::AxisChoice::axis, -1);
  net.node(Kind::cast, {"c"}, "half").set(&roles::Conversion::to, DType::float16);
  const GraphOutline drawn = outline(net.graph());
  const json::Value value = json::encode(drawn);
  EXPECT_EQ(json::dump(value.at("ops").at(0).at("roles")),
            "{\n  \"is\": \"axis_choice\",\n  \"axis\": -1\n}\n");
  EXPECT_EQ(json::dump(value.at("ops").at(1).at("roles")),
            "{\n  \"is\": \"conversion\",\n  \"to\": \"float16\"\n}\n");
  const auto again = json::decode<GraphOutline>(value, "graph.json");
  EXPECT_EQ(again.ops[0].roles, drawn.ops[0].roles);
  EXPECT_EQ(again.ops[1].roles, drawn.ops[1].roles);
  json::Value newer = value;
  newer.at("ops").at(0).at("roles").at("is") = "of_a_newer_quantlens";
  EXPECT_TRUE(std::holds_alternative<std::monostate>(
      json::decode<GraphOutline>(newer, "graph.json").ops[0].roles));
}

}  // namespace
}  // namespace quantlens
