// SPDX-License-Identifier: Apache-2.0
#include "server/api/openapi.h"

#include <utility>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api/own_routes.h"
#include "server/api/route.h"
#include "server/api/testing/runs.h"
#include "server/jobs/testing/small_onnx.h"

namespace quantlens::server {
namespace {

/// As much of JSON Schema as our documents use. Returns what is wrong, or an empty text.
class Validator {
 public:
  explicit Validator(const boost::json::object& document)
      : schemas_(document.at("components").at("schemas").as_object()) {}

  std::string check(const json::Value& schema, const json::Value& value,
                    const std::string& where = "") const {
    const boost::json::object& rules = schema.as_object();
    if (const auto* reference = rules.if_contains("$ref")) {
      const std::string_view name = reference->as_string();
      return check(schemas_.at(name.substr(name.rfind('/') + 1)), value, where);
    }
    if (const auto* forms = rules.if_contains("anyOf")) return any(forms->as_array(), value, where);
    if (const auto* words = rules.if_contains("enum")) {
      const auto& all = words->as_array();
      if (std::ranges::find(all, value) == all.end())
        return where + ": no such word: " + boost::json::serialize(value);
    }
    const auto* type = rules.if_contains("type");
    if (type != nullptr && !has_type(type->as_string(), value))
      return where + ": no " + std::string(type->as_string());
    if (value.is_object()) return members(rules, value.get_object(), where);
    if (value.is_array()) return items(rules, value.get_array(), where);
    return "";
  }

 private:
  static bool has_type(std::string_view type, const json::Value& value) {
    if (type == "number") return value.is_number();
    if (type == "integer") return value.is_int64() || value.is_uint64();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_bool();
    if (type == "null") return value.is_null();
    if (type == "array") return value.is_array();
    return type == "object" && value.is_object();
  }
  std::string any(const boost::json::array& forms, const json::Value& value,
                  const std::string& where) const {
    std::string wrong;
    for (const json::Value& form : forms) {
      const std::string one = check(form, value, where);
      if (one.empty()) return "";
      wrong += "{" + one + "} ";
    }
    return wrong;
  }
  std::string members(const boost::json::object& rules, const boost::json::object& value,
                      const std::string& where) const {
    if (const auto* needed = rules.if_contains("required")) {
      for (const json::Value& name : needed->as_array()) {
        if (!value.contains(name.as_string()))
          return where + ": has no " + std::string(name.as_string());
      }
    }
    const auto* properties = rules.if_contains("properties");
    const auto* others = rules.if_contains("additionalProperties");
    for (const auto& member : value) {
      const json::Value* rule =
          properties != nullptr ? properties->as_object().if_contains(member.key()) : nullptr;
      if (rule == nullptr) rule = others;
      if (rule == nullptr) continue;
      std::string wrong = check(*rule, member.value(), where + "." + std::string(member.key()));
      if (!wrong.empty()) return wrong;
    }
    return "";
  }
  std::string items(const boost::json::object& rules, const boost::json::array& value,
                    const std::string& where) const {
    const auto* most = rules.if_contains("maxItems");
    if (most != nullptr && value.size() > most->to_number<std::size_t>())
      return where + ": too many";
    const auto* rule = rules.if_contains("items");
    for (std::size_t i = 0; rule != nullptr && i < value.size(); ++i) {
      std::string wrong = check(*rule, value[i], where + "[" + std::to_string(i) + "]");
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  const boost::json::object& schemas_;
};

const json::Value& schema_of(const json::Value& operation) {
  return operation.at("responses").at("200").at("content").at("application/json").at("schema");
}

/// What stands for the names of an address in these tests.
std::string filled(std::string path, const std::string& id, std::string_view table,
                   std::string_view record, std::string_view job) {
  const auto put = [&](std::string_view name, std::string_view value) {
    if (const auto at = path.find(name); at != std::string::npos)
      path.replace(at, name.size(), value);
  };
  put("{id}", id);
  put("{table}", table);
  put("{record}", record);
  put("{name}", "plan.json");
  put("{job}", job);
  return path;
}

/// One that waits.
std::string a_job(ApiWorld& world) {
  using namespace std::string_literals;
  const BodyPlan plan = world.jobs.uploads().begin("net.onnx", {});
  plan.file->write(small_onnx());
  const std::string model = world.jobs.uploads().keep("net.onnx", *plan.file).path;
  return world.jobs.submit({{"verb", "profile"}, {"model", model}}).id;
}

TEST(OpenApi, DescribesEachRoute) {
  const boost::json::object document = openapi();
  EXPECT_EQ(document.at("openapi"), "3.1.0");
  const boost::json::object& paths = document.at("paths").as_object();
  for (const Route& route : routes()) {
    const json::Value& path = paths.at(route.path);
    EXPECT_FALSE(path.as_object().empty()) << route.path;
  }
  EXPECT_TRUE(paths.at("/api/workloads").as_object().contains("post"));
  EXPECT_FALSE(paths.at("/api/workloads/delete").as_object().contains("get"));
  const std::string text = boost::json::serialize(document);
  const auto& schemas = document.at("components").at("schemas").as_object();
  constexpr std::string_view kBefore = "#/components/schemas/";
  for (std::size_t at = text.find(kBefore); at != std::string::npos; at = text.find(kBefore, at)) {
    at += kBefore.size();
    EXPECT_TRUE(schemas.contains(text.substr(at, text.find('"', at) - at)));
  }
}

TEST(OpenApi, IsKeptByClientsUntilItIsAnotherDocument) {
  ApiWorld world;
  Runs runs(world.store, world.workspace);
  Labels labels(world.store, world.folder.path());
  RowIndexes rows;
  KeptIndexes indexes(world.store);
  SampleNames samples(world.store);
  Context context{world.store, world.workspace, runs,         labels, rows,
                  indexes,     samples,         world.events, nullptr};
  const Request request;
  const Answer answer = show_openapi(context, {request, Arguments(request.query), {}});
  EXPECT_EQ(answer.state, sha256_hex(answer.make()));
}

TEST(OpenApi, NamesFieldsThatMeanNothingWithoutOthers) {
  const boost::json::object document = openapi();
  const json::Value& body = document.at("paths").at("/api/v1/jobs").at("post").at("requestBody");
  const json::Value& forms = body.at("content").at("application/json").at("schema").at("anyOf");
  const auto needs_of = [&](std::string_view verb) {
    for (const json::Value& form : forms.as_array()) {
      if (form.at("properties").at("verb").at("enum").at(0).as_string() == verb)
        return boost::json::serialize(form.at("dependentRequired"));
    }
    return std::string();
  };
  EXPECT_EQ(needs_of("quantize"), R"({"isolate_timeout":["isolate"],"verify":["diagnose"]})");
  EXPECT_EQ(needs_of("profile"), R"({"isolate_timeout":["isolate"]})");
}

class EachAnswer : public testing::TestWithParam<std::size_t> {};

TEST_P(EachAnswer, IsAsTheDocumentSays) {
  ApiWorld world;
  const std::string id = world.add_run(GetParam());
  world.workspace.create("tune", "failed", {})->fail(std::string(kHtml));
  const std::string job = a_job(world);
  const json::Value document = world.json("/api/v1/openapi.json");
  const Validator validator(document.as_object());
  const Pairs query = {{"op", "v0"},
                       {"other", id},
                       {"reference", "v0"},
                       {"quantized", "v0_q"},
                       {"workload_id", id},
                       {"type", "weights"},
                       {"op_name", "/block.0/MatMul"},
                       {"path", "/models/net.onnx"}};
  for (const auto& path : document.at("paths").as_object()) {
    const json::Value* get = path.value().as_object().if_contains("get");
    if (get == nullptr || path.key() == "/api/model/summary") continue;
    const auto* json_type =
        get->at("responses").at("200").at("content").as_object().if_contains("application/json");
    if (json_type == nullptr) continue;
    for (const char* record :
         {"diagnosis", "plan", "pairing", "graph", "accuracy", "profile", "workload"}) {
      const std::string asked =
          filled(std::string(path.key()), id, "diagnosis.activations", record, job);
      const Response response = world.get(asked, query);
      ASSERT_EQ(response.status, 200U) << asked << text_of(response);
      EXPECT_EQ(validator.check(schema_of(*get), json::parse(text_of(response), asked), ""), "")
          << asked;
      if (path.key().find("{record}") == boost::json::string_view::npos) break;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Server, EachAnswer, testing::Values(3, 1200));

TEST(OpenApi, RowsOfAnOpAreThoseOfTheRecords) {
  ApiWorld world;
  const std::string id = world.add_run();
  const WorkloadReader reader(world.store, world.folder_of(id));
  Pairing pairing = pairing_of(3);
  pairing.weights.push_back({.op = op_of(0),
                             .reference = "w0",
                             .quantized = "w0_quantized",
                             .params = std::vector<QParams>(3)});
  world.write(reader.path<Pairing>(), to_file(pairing));
  ProfileRecord profile;
  profile.reference.nodes.push_back({.name = "node", .ops = {op_of(0)}});
  profile.quantized.emplace().nodes = profile.reference.nodes;
  profile.ops.push_back({.ops = {op_of(0)}});
  world.write(reader.path<ProfileRecord>(), to_file(profile));
  json::Value answer = world.json(v1(id, "/ops"), {{"op", "v0"}});
  const boost::json::object document = openapi();
  const Validator validator(document);
  const json::Value& schema =
      schema_of(document.at("paths").at("/api/v1/workloads/{id}/ops").at("get"));
  EXPECT_EQ(validator.check(schema, answer), "");
  for (auto& member : answer.as_object()) {
    if (member.key() == "op") continue;
    ASSERT_FALSE(member.value().as_array().empty()) << member.key();
    const json::Value row = std::exchange(member.value().at(0), boost::json::object());
    EXPECT_NE(validator.check(schema, answer), "") << member.key() << " has rows of any kind";
    member.value().at(0) = row;
  }
}

TEST(OpenApi, SchemasTellRecordsFromEachOther) {
  // A validator that lets all through would prove nothing.
  const boost::json::object document = openapi();
  const Validator validator(document);
  const json::Value schema = boost::json::object{{"$ref", "#/components/schemas/Diagnosis"}};
  json::Value record = json::encode(diagnosis_of(2));
  EXPECT_EQ(validator.check(schema, record), "");
  record.at("activations").at(0).as_object()["mse"] = "much";
  EXPECT_NE(validator.check(schema, record), "");
  record.at("activations").at(0).as_object()["mse"] = "nan";
  EXPECT_EQ(validator.check(schema, record), "");
  record.as_object().erase("samples");
  EXPECT_NE(validator.check(schema, record), "");
}

}  // namespace
}  // namespace quantlens::server
