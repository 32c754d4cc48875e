// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/command_line.h"

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/json.h"
#include "quantlens/base/words.h"
#include "quantlens/record/recipe.h"
#include "quantlens/workspace/testing/temporary_folder.h"
#include "server/jobs/fields.h"
#include "server/jobs/refusal.h"
#include "server/jobs/testing/small_onnx.h"

namespace quantlens::server {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// A root with a model and data in it, and a workspace.
class CommandLineTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root_ / "images");
    fs::create_directories(workspace_folder_);
    write(root_ / "net.onnx", small_onnx());
    write(root_ / "data.npz", "PK\x03\x04");
    roots_.emplace(workspace_folder_, std::vector{root_});
  }
  static void write(const fs::path& file, std::string_view text) {
    std::ofstream(file, std::ios::binary) << text;
  }
  std::string in_root(const std::string& name) const { return (root_ / name).string(); }
  CommandLine made(const std::string& text) {
    const json::Value asked = json::parse(text, "request");
    return make_command_line(asked.as_object(),
                             {workspace_, *roots_, workspace_folder_ / "jobs" / "j", 4});
  }
  /// A request of quantize with more in it.
  CommandLine with(const std::string& more) {
    return made(fmt::format(R"({{"verb": "quantize", "model": "{}"{}{}}})", in_root("net.onnx"),
                            more.empty() ? "" : ", ", more));
  }
  std::pair<unsigned, std::string> refusal(const std::string& text) {
    try {
      made(text);
    } catch (const Refusal& refused) {
      return {refused.status(), refused.what()};
    }
    return {0, "taken"};
  }
  std::pair<unsigned, std::string> refusal_with(const std::string& more) {
    return refusal(
        fmt::format(R"({{"verb": "quantize", "model": "{}", {}}})", in_root("net.onnx"), more));
  }

  TemporaryFolder folder_;
  fs::path base_ = fs::canonical(folder_.path());
  fs::path root_ = base_ / "root", workspace_folder_ = base_ / "workspace";
  DiskStore store_;
  Workspace workspace_{store_, workspace_folder_};
  std::optional<Roots> roots_;
};

TEST_F(CommandLineTest, SaysEachFieldInTheWordsOfTheVerb) {
  const CommandLine line = with(fmt::format(
      R"("data": "{}", "recipe": {{"weight": {{"granularity": "per_tensor"}}}}, "metric": "top1",
         "limit": 50, "diagnose": true, "strict": false, "format": "qdq", "threads": 2,
         "name": "--help", "seed": null)",
      in_root("data.npz")));
  EXPECT_THAT(
      line.arguments,
      ElementsAre("quantize", in_root("net.onnx"), "--data=" + in_root("data.npz"),
                  R"(--recipe={"weight":{"granularity":"per_tensor"}})", "--metric=top1",
                  "--limit=50", "--format=qdq", "--diagnose", "--name=--help", "--threads=2", "-o",
                  (workspace_folder_ / "jobs/j/made/net.int8.onnx").string(), "--progress=json",
                  "--workspace=" + workspace_folder_.string()));
  EXPECT_EQ(line.cores, 2U);
  // What is checked again before it begins is what was checked now.
  const CommandLine again =
      make_command_line(line.request, {workspace_, *roots_, workspace_folder_ / "jobs" / "j", 4});
  EXPECT_EQ(again.arguments, line.arguments);
}

TEST(InWordsOfFields, PutsTheFieldFirst) {
  const auto said = [](std::string_view sentence) {
    return in_words_of_fields(sentence, "quantize");
  };
  EXPECT_EQ(said("--verify requires --diagnose"), "verify: --verify requires --diagnose");
  EXPECT_EQ(said("--limit: '0' is no whole number"), "limit: '0' is no whole number");
  EXPECT_EQ(said("--isolate-timeout requires --isolate"),
            "isolate_timeout: --isolate-timeout requires --isolate");
  EXPECT_EQ(said("there is no metric of --metric x"), "metric: there is no metric of --metric x");
  EXPECT_EQ(said("--data is required"), "data: --data is required");
  EXPECT_EQ(said("--max-loss is another verb's"), "--max-loss is another verb's");
  EXPECT_EQ(said("--format-of-no-option and --datum"), "--format-of-no-option and --datum");
  EXPECT_EQ(said(""), "");
}

TEST_F(CommandLineTest, LetsNoValueBecomeAnOption) {
  for (const char* hostile : {"--workspace=/", "-o", "--", "-", "-x/../..", "--recipe={}"}) {
    const std::string quoted = fmt::format("\"{}\"", hostile);
    for (const char* field : {"data", "ranges", "output", "calibration_data"}) {
      EXPECT_NE(refusal_with(fmt::format("\"{}\": {}", field, quoted)).first, 0U) << field;
    }
    EXPECT_NE(refusal(fmt::format(R"({{"verb": "quantize", "model": {}}})", quoted)).first, 0U);
    EXPECT_NE(refusal_with("\"recipe\": " + quoted).first, 0U);
    EXPECT_NE(refusal_with("\"metric\": " + quoted).first, 0U);
    EXPECT_NE(refusal_with("\"limit\": " + quoted).first, 0U);
    EXPECT_THAT(with("\"name\": " + quoted).arguments, Contains(std::string("--name=") + hostile));
  }
}

TEST_F(CommandLineTest, TakesNothingThatItsTableDoesNotName) {
  for (const char* more : {R"("workspace": "/tmp")", R"("progress": "none")", R"("quiet": true)",
                           R"("o": "/x")", R"("--name": "x")", R"("arguments": ["x"])",
                           R"("max_loss": 1)", R"("": 1)", R"("<b>": 1)"}) {
    EXPECT_EQ(refusal_with(more).first, kWrongRequest) << more;
  }
  EXPECT_THAT(refusal_with(R"("diagnos": true)").second, HasSubstr("did you mean 'diagnose'"));
  for (const char* verb : {"serve", "worker", "benchmark-instance", "demo", "", "--help"}) {
    EXPECT_EQ(refusal(fmt::format(R"({{"verb": "{}", "model": "/x"}})", verb)).first,
              kWrongRequest);
  }
  EXPECT_EQ(refusal(R"({"verb": ["quantize"]})").first, kWrongRequest);
  EXPECT_EQ(refusal(R"({"verb": "quantize"})").first, kWrongRequest);
  EXPECT_EQ(refusal(fmt::format(R"({{"verb": "tune", "model": "{0}", "data": "random"}})",
                                in_root("net.onnx")))
                .first,
            kWrongRequest);
}

TEST_F(CommandLineTest, RunsNoProgramOfAClient) {
  for (const char* metric : {"command:rm -rf /", "command", "command:"}) {
    EXPECT_EQ(refusal_with(fmt::format(R"("metric": "{}")", metric)).first, kForbidden);
  }
  EXPECT_EQ(refusal_with(R"("metric": " command:x")").first, kWrongRequest);
  EXPECT_THAT(with(R"("metric": "top1:label_offset=1")").arguments,
              Contains("--metric=top1:label_offset=1"));
}

TEST_F(CommandLineTest, RefusesValuesOfAnotherKind) {
  for (const char* more :
       {R"("limit": 0)", R"("limit": -1)", R"("limit": 1.5)", R"("limit": [1])",
        R"("limit": 99999999999999999999)", R"("diagnose": "yes")", R"("format": "QDQ")",
        R"("format": "qdq qoperator")", R"("format": 1)", R"("name": "")", R"("name": "a\nb")",
        R"("name": "a\u0000b")", R"("recipe": 7)", R"("recipe": [[]])", R"("metric": {})",
        R"("threads": 5)", R"("threads": 0)", R"("data": ["random"])"}) {
    EXPECT_EQ(refusal_with(more).first, kWrongRequest) << more;
  }
  EXPECT_EQ(refusal_with(fmt::format(R"("name": "{}")", std::string(201, 'n'))).first,
            kWrongRequest);
  const auto [status, sentence] = refusal_with(R"("recipe": "no-such-workload")");
  EXPECT_EQ(status, kNotThere);
  EXPECT_EQ(sentence, "recipe: there is no workload 'no-such-workload'");
  write(root_ / "long.yaml", "");
  fs::resize_file(root_ / "long.yaml", (1 << 20) + 1);
  EXPECT_EQ(refusal_with(fmt::format(R"("recipe": "{}")", in_root("long.yaml"))).first,
            kWrongRequest);
  fs::resize_file(root_ / "long.yaml", 1 << 20);
  EXPECT_EQ(refusal_with(fmt::format(R"("recipe": "{}")", in_root("long.yaml"))).first, 0U);
}

TEST_F(CommandLineTest, NamesAWorkloadByItsFolder) {
  const auto writer = workspace_.create("quantize", "net", {});
  writer->succeed();
  const std::string id = writer->workload().id;
  const CommandLine line = with(R"("recipe": ["last", {"seed": 1}])");
  EXPECT_THAT(line.arguments,
              Contains("--recipe=" + (workspace_folder_ / "workloads" / id).string()));
  EXPECT_EQ(line.request.at("recipe").at(0).as_string(), id);  // whatever is the last one later
}

TEST_F(CommandLineTest, GoesOnWithRunsOfItsVerbAlone) {
  const std::string begin = fmt::format(
      R"({{"verb": "tune", "model": "{}", "data": "random", "metric": "top1", "resume": "last")",
      in_root("net.onnx"));
  workspace_.create("tune", "net", {})->succeed();
  EXPECT_THAT(made(begin + "}").arguments, Contains(testing::StartsWith("--resume=")));
  workspace_.create("quantize", "net", {})->succeed();
  const auto [status, sentence] = refusal(begin + "}");
  EXPECT_EQ(status, kWrongRequest);
  EXPECT_THAT(sentence, HasSubstr("was written by 'quantize', not by tune"));
}

TEST_F(CommandLineTest, CountsTheCoresOfInstances) {
  const std::string begin =
      fmt::format(R"({{"verb": "benchmark", "model": "{}", )", in_root("net.onnx"));
  EXPECT_EQ(made(begin + R"("instances": 2, "cores_per_instance": 2, "threads": 1})").cores, 4U);
  EXPECT_EQ(refusal(begin + R"("instances": 2, "cores_per_instance": 3})").first, kWrongRequest);
  EXPECT_THAT(made(begin + R"("instances": 2})").arguments, Contains("--cores-per-instance=2"));
  EXPECT_THAT(made(begin + R"("batch_size": [1, 8]})").arguments, Contains("--batch-size=1,8"));
  EXPECT_EQ(refusal(begin + R"("batch_size": "1,8 --help"})").first, kWrongRequest);
}

TEST_F(CommandLineTest, WritesWhereNothingIs) {
  EXPECT_EQ(*with(fmt::format(R"("output": "{}")", in_root("new.onnx"))).output,
            root_ / "new.onnx");
  EXPECT_EQ(refusal_with(fmt::format(R"("output": "{}")", in_root("net.onnx"))).first, kConflict);
  EXPECT_EQ(refusal_with(fmt::format(R"("output": "{}")", in_root("new.sh"))).first, kWrongRequest);
  EXPECT_EQ(refusal_with(fmt::format(R"("output": "{}")", in_root("none/new.onnx"))).first,
            kNotThere);
  for (const fs::path& file : {base_ / "new.onnx", workspace_folder_ / "new.onnx",
                               workspace_folder_ / "uploads/new.onnx", root_ / "../new.onnx"}) {
    EXPECT_EQ(refusal_with(fmt::format(R"("output": "{}")", file.string())).first, kForbidden);
  }
}

TEST_F(CommandLineTest, LooksIntoDataDocuments) {
  const auto status = [&](std::string_view document) {
    write(root_ / "data.yaml", document);
    return refusal_with(fmt::format(R"("data": "{}")", in_root("data.yaml"))).first;
  };
  EXPECT_EQ(status("npz: {file: data.npz}"), 0U);
  EXPECT_EQ(status("random: {count: 5}"), 0U);
  EXPECT_EQ(status("images: {folder: images}"), 0U);
  write(base_ / "secret.txt", "secret");
  EXPECT_EQ(status("npz: {file: ../secret.txt}"), kForbidden);
  EXPECT_EQ(status("npz: {file: /etc/passwd}"), kForbidden);
  EXPECT_EQ(status("npy: {file: data.npz, labels: /etc/passwd}"), kForbidden);
  EXPECT_EQ(status("images: {folder: /etc}"), kForbidden);
  EXPECT_EQ(status("images: {folder: images, labels: ../secret.txt}"), kForbidden);
  EXPECT_EQ(status("tfrecord: {files: \"images/*\"}"), 0U);
  EXPECT_EQ(status("tfrecord: {files: \"/etc/*\"}"), kForbidden);
  EXPECT_EQ(status("tfrecord: {files: \"../*\"}"), kForbidden);
  EXPECT_EQ(status("npz: {file: absent.npz}"), kNotThere);
  EXPECT_EQ(status("npz: {file: [1]}"), kWrongRequest);
  EXPECT_EQ(status("just words"), kWrongRequest);
  EXPECT_EQ(status(std::string(2'000'000, ' ')), kWrongRequest);
  fs::create_symlink("/etc/passwd", root_ / "images" / "a.png");
  EXPECT_EQ(status("images: {folder: images}"), kForbidden);
  EXPECT_EQ(status("tfrecord: {files: \"images/*\"}"), kForbidden);
  EXPECT_EQ(refusal_with(fmt::format(R"("data": "{}")", in_root("images"))).first, kForbidden);
  write(root_ / "labels.txt", "b.png 0\n");
  EXPECT_EQ(status("images: {folder: images, labels: labels.txt}"), 0U);
  write(root_ / "labels.txt", "b.png 0\n  a.png\t 1 \r\n");
  EXPECT_EQ(status("images: {folder: images, labels: labels.txt}"), kForbidden);
}

TEST_F(CommandLineTest, OfAReportNamesRunsAndNoModel) {
  const std::string id = workspace_.create("quantize", "net", {})->workload().id;
  const CommandLine line = made(fmt::format(
      R"({{"verb": "report", "workload": "last", "other_workload": "{}", "fail_below": 20}})", id));
  const fs::path usual = workspace_folder_ / "jobs" / "j" / "made" / "report.html";
  EXPECT_THAT(line.arguments,
              ElementsAre("report", id, id, "--fail-below=20", "-o", usual.string(),
                          "--progress=json", "--workspace=" + workspace_folder_.string()));
  EXPECT_EQ(line.output, usual);
  EXPECT_EQ(line.cores, 1U);
  EXPECT_EQ(refusal(R"({"verb": "report"})").first, kWrongRequest);
  EXPECT_EQ(refusal(R"({"verb": "report", "workload": "none"})").first, kNotThere);
  EXPECT_EQ(refusal(R"({"verb": "report", "workload": "last", "threads": 2})").first,
            kWrongRequest);
  EXPECT_EQ(refusal(fmt::format(R"({{"verb": "report", "workload": "last", "output": "{}"}})",
                                in_root("report.exe")))
                .first,
            kWrongRequest);
}

TEST_F(CommandLineTest, OfEventFilesNamesANewFolder) {
  const std::string id = workspace_.create("quantize", "net", {})->workload().id;
  const auto with_folder = [&](const fs::path& folder) {
    return fmt::format(R"({{"verb": "tensorboard", "workload": "last", "logdir": "{}"}})",
                       folder.string());
  };
  const CommandLine line = made(with_folder(root_ / "events"));
  EXPECT_THAT(line.arguments,
              ElementsAre("tensorboard", id, "--logdir=" + (root_ / "events").string(),
                          "--progress=json", "--workspace=" + workspace_folder_.string()));
  EXPECT_EQ(line.output, std::nullopt) << "a folder is not sent";
  EXPECT_EQ(line.cores, 1U);
  EXPECT_FALSE(fs::exists(root_ / "events")) << "the job makes it";
  EXPECT_EQ(refusal(R"({"verb": "tensorboard", "workload": "last"})").first, kWrongRequest);
  EXPECT_EQ(refusal(with_folder(root_ / "images")).first, kConflict);
  EXPECT_EQ(refusal(with_folder(base_ / "events")).first, kForbidden);
  EXPECT_EQ(refusal(with_folder(workspace_folder_ / "events")).first, kForbidden);
  EXPECT_EQ(refusal(with_folder(root_ / "none" / "events")).first, kNotThere);
  EXPECT_EQ(refusal(with_folder("runs")).first, kWrongRequest) << "not absolute";
  EXPECT_THAT(with(fmt::format(R"("tensorboard": "{}")", in_root("events"))).arguments,
              Contains("--tensorboard=" + (root_ / "events").string()));
  EXPECT_EQ(refusal_with(R"("tensorboard": true)").first, kWrongRequest);
  EXPECT_EQ(refusal_with(R"("tensorboard_tags": "both")").first, kWrongRequest);
}

TEST(JobFields, HaveTheWordsThatRecipesHave) {
  const auto words_of_field = [](std::string_view name) {
    for (const Field& field : job_fields()) {
      if (field.name == name) return words_in(field.words);
    }
    return std::vector<std::string_view>();
  };
  EXPECT_THAT(words_of_field("approach"), testing::UnorderedElementsAreArray(words<Approach>()));
  EXPECT_THAT(words_of_field("accuracy_level"),
              testing::UnorderedElementsAreArray(words<AccuracyLevel>()));
  EXPECT_THAT(words_of_field("target"), testing::UnorderedElementsAreArray(words<TargetCpu>()));
}

}  // namespace
}  // namespace quantlens::server
