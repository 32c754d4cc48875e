// SPDX-License-Identifier: Apache-2.0
// Stored files that are damaged, and requests that are odd: each has an answer, none ends the
// server or makes it say that it failed.
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "server/api/route.h"
#include "server/api/testing/runs.h"

namespace quantlens::server {
namespace {

std::string filled(std::string path, const std::string& id) {
  for (const auto& [name, value] : {std::pair<std::string, std::string>{"{id}", id},
                                    {"{table}", "diagnosis.activations"},
                                    {"{record}", "diagnosis"},
                                    {"{name}", "plan.json"}}) {
    if (const auto at = path.find(name); at != std::string::npos)
      path.replace(at, name.size(), value);
  }
  return path;
}

Pairs usual_query(const std::string& id) {
  return {{"op", "v0"},
          {"reference", "v0"},
          {"quantized", "v0_q"},
          {"workload_id", id},
          {"type", "weights"},
          {"op_name", "/block.0/MatMul"},
          {"path", "/models/net.onnx"}};
}

/// Asks everything that can be read.
void ask_all(ApiWorld& world, const std::string& id, const std::string& what) {
  for (const Route& route : routes()) {
    if (!has_method(route, "GET") || route.type == "text/event-stream") continue;
    const std::string path = filled(std::string(route.path), id);
    const Response response = world.get(path, usual_query(id));
    EXPECT_LT(response.status, 500U) << what << ": " << path << ": " << text_of(response);
  }
  for (const char* list :
       {"plan.ops", "pairing.pairs", "graph.ops", "diagnosis.weights", "profile.reference.nodes"}) {
    const Response response = world.get(v1(id, std::string("/tables/") + list));
    EXPECT_LT(response.status, 500U) << what << ": " << list << ": " << text_of(response);
  }
}

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// Cut, changed in a byte, or with a part of it twice.
std::string damaged(std::string text, std::mt19937& random) {
  if (text.empty()) return "x";
  const std::size_t at = random() % text.size();
  switch (random() % 4) {
    case 0:
      text.resize(at);
      break;
    case 1:
      text[at] = static_cast<char>(random());
      break;
    case 2:
      text.insert(at, text.substr(at, 1 + random() % 50));
      break;
    default:
      text.replace(at, 1, "9");  // what was a number or a key is another one
  }
  return text;
}

class Damage : public testing::TestWithParam<std::size_t> {};

TEST_P(Damage, OfAnyFileHasAnAnswer) {
  ApiWorld world;
  const std::string id = world.add_run(GetParam());
  const fs::path folder = world.folder_of(id);
  std::mt19937 random(7);
  const int rounds = GetParam() > 1000 ? 3 : 40;
  for (const std::string& name : world.store.list(folder)) {
    if (name == "lock") continue;
    const std::string whole = read(folder / name);
    for (int i = 0; i < rounds; ++i) {
      world.write(folder / name, damaged(whole, random));
      ask_all(world, id, name);
    }
    world.write(folder / name, whole);
  }
  EXPECT_EQ(world.get(v1(id)).status, 200U) << "and once they are whole again, all is well";
}

INSTANTIATE_TEST_SUITE_P(Server, Damage, testing::Values(3, 1200));

TEST(OddRequests, HaveAnAnswer) {
  ApiWorld world;
  const std::string id = world.add_run();
  const std::vector<std::string> odd = {"",
                                        "-1",
                                        "18446744073709551616",
                                        "1e9",
                                        "nan",
                                        "..",
                                        "../../../etc/passwd",
                                        std::string("a\0b", 3),
                                        "\xff\xfe",
                                        "%2e%2e",
                                        std::string(kHtml),
                                        "op.id,op.id,,",
                                        ",",
                                        "op.",
                                        ".",
                                        std::string(100'000, 'a')};
  const std::vector<std::string> names = {
      "op",    "reference", "quantized", "workload_id", "type",   "op_name", "path",
      "group", "offset",    "limit",     "columns",     "digits", "bins",    "channel",
      "after", "q",         "tag",       "state",       "verb"};
  for (const Route& route : routes()) {
    if (!has_method(route, "GET") || route.type == "text/event-stream") continue;
    const std::string path = filled(std::string(route.path), id);
    for (const std::string& name : names) {
      for (const std::string& value : odd) {
        Pairs query = usual_query(id);
        query.insert(query.begin(), {name, value});
        const Response response = world.get(path, query);
        EXPECT_LT(response.status, 500U) << path << name << text_of(response);
        EXPECT_NE(response.type, "text/html");
        const bool is_sentence = response.type == kText;
        EXPECT_TRUE(!is_sentence || text_of(response).size() < 2000) << path << name;
      }
    }
  }
}

}  // namespace
}  // namespace quantlens::server
