// SPDX-License-Identifier: Apache-2.0
#include "server/api/picture_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/api/testing/runs.h"

namespace quantlens::server {
namespace {

using namespace std::string_view_literals;
using ::testing::HasSubstr;

constexpr std::string_view kJpeg = "\xFF\xD8\xFF\xE0 a picture \0 <script>"sv;
constexpr std::string_view kPng = "\x89PNG\r\n\x1A\n a picture"sv;

/// Sample 7 is a flip of `name`, sample 9 a worst sample of some op.
struct PictureWorld : ApiWorld {
  fs::path data = folder.path() / "uploads" / "images";
  std::size_t ops = 3;

  std::string add(const DataUsed& used, const std::string& name = "cat.jpg") {
    const auto writer = workspace.create("quantize", "net", {});
    writer->describe({used}, "top1");
    AccuracyRecord accuracy = small_accuracy();
    accuracy.flips = {{.sample = 3, .name = "other.jpg"}, {.sample = 7, .name = name}};
    writer->put(accuracy);
    Diagnosis diagnosis = diagnosis_of(ops);
    diagnosis.activations.back().worst_samples = {{.sample = 9, .name = "dog.png", .share = 0.5}};
    writer->put(diagnosis);
    writer->succeed();
    return writer->workload().id;
  }
  std::string add_folder(const std::string& name = "cat.jpg") {
    return add({.data = "images", .path = data.string()}, name);
  }
  Response picture(const std::string& id, const std::string& sample = "7") {
    return get(v1(id, "/samples/" + sample + "/picture"));
  }
  unsigned status(const std::string& id, const std::string& sample = "7") {
    return picture(id, sample).status;
  }
};

TEST(ShowPicture, SendsTheFileAsItIs) {
  PictureWorld world;
  world.ops = 1200;  // whose rows have a file of their own
  const std::string id = world.add_folder();
  world.write(world.data / "cat.jpg", kJpeg);
  world.write(world.data / "dog.png", kPng);
  const Response flip = world.picture(id);
  EXPECT_EQ(flip.status, 200U) << text_of(flip);
  EXPECT_EQ(text_of(flip), kJpeg);
  EXPECT_EQ(flip.type, "image/jpeg");
  EXPECT_EQ(header(flip, "X-Content-Type-Options"), "nosniff");
  const Response worst = world.picture(id, "9");
  EXPECT_EQ(text_of(worst), kPng);
  EXPECT_EQ(worst.type, "image/png");
}

TEST(ShowPicture, IsNotSentTwiceUntilTheFileChanges) {
  PictureWorld world;
  const std::string id = world.add_folder();
  world.write(world.data / "cat.jpg", kJpeg);
  const std::string path = v1(id, "/samples/7/picture");
  const std::string tag = header(world.picture(id), "ETag");
  ASSERT_NE(tag, "");
  EXPECT_EQ(world.get(path, {}, {{"if-none-match", tag}}).status, 304U);
  world.write(world.data / "cat.jpg", kPng);
  const Response changed = world.get(path, {}, {{"if-none-match", tag}});
  EXPECT_EQ(text_of(changed), kPng);
  EXPECT_EQ(changed.type, "image/png");
}

/// Other bytes in a file that looks as it did.
void damage_unseen(const fs::path& file) {
  const auto was = fs::last_write_time(file);
  std::fstream(file, std::ios::binary | std::ios::in | std::ios::out)
      << std::string(fs::file_size(file), '?');
  fs::last_write_time(file, was);
}

TEST(ShowPicture, ReadsRecordsOnlyWhereTheyHaveChanged) {
  PictureWorld world;
  world.ops = 1200;
  const std::string id = world.add_folder();
  world.write(world.data / "cat.jpg", kJpeg);
  world.write(world.data / "dog.png", kPng);
  const std::string tag = header(world.picture(id, "9"), "ETag");
  for (const char* record : {"accuracy.json", "diagnosis.json", "diagnosis.activations.rows"})
    damage_unseen(world.folder_of(id) / record);
  const std::string path = v1(id, "/samples/9/picture");
  EXPECT_EQ(world.get(path, {}, {{"if-none-match", tag}}).status, 304U);
  EXPECT_EQ(world.status(id, "7"), 200U);
  EXPECT_EQ(world.status(id, "8"), 404U) << "one that none names";
  fs::last_write_time(world.folder_of(id) / "diagnosis.json", fs::file_time_type::clock::now());
  EXPECT_EQ(world.status(id, "7"), 400U);
}

TEST(ShowPicture, HasTheNamesOfRecordsThatWereReplaced) {
  PictureWorld world;
  const std::string id = world.add_folder();
  world.write(world.data / "cat.jpg", kJpeg);
  EXPECT_EQ(world.status(id, "5"), 404U);
  AccuracyRecord accuracy = small_accuracy();
  accuracy.flips = {{.sample = 5, .name = "cat.jpg"}};
  write_atomic(world.store, world.folder_of(id) / FileOf<AccuracyRecord>::kName, to_file(accuracy));
  EXPECT_EQ(world.status(id, "5"), 200U);
  EXPECT_EQ(world.status(id, "7"), 404U);
}

TEST(ShowPicture, TakesNamesOfAllKinds) {
  PictureWorld world;
  for (const char* name :
       {"a cat & a dog.jpg", "\xC3\xA9t\xC3\xA9 \xE7\x8C\xAB.jpg", "n01/cat.jpg", "100%.jpg"}) {
    world.write(world.data / name, kJpeg);
    EXPECT_EQ(text_of(world.picture(world.add_folder(name))), kJpeg) << name;
  }
}

TEST(ShowPicture, FollowsADataDocument) {
  PictureWorld world;
  const fs::path document = world.folder.path() / "uploads" / "val.yaml";
  world.write(document, "images: {folder: images, labels: labels.txt, mean: [1, 2, 3]}\n");
  world.write(world.data / "cat.jpg", kJpeg);
  EXPECT_EQ(text_of(world.picture(world.add({.data = "val.yaml", .path = document}))), kJpeg);
  EXPECT_EQ(text_of(world.picture(world.add({.data = document.string()}))), kJpeg)
      << "as runs before had it";
  world.write(document, "images: {folder: /etc}\n");
  EXPECT_EQ(world.status(world.add({.path = document})), 403U);
  world.write(document, "images: {folder: nowhere}\n");
  EXPECT_EQ(world.status(world.add({.path = document})), 404U);
  world.write(document, "{{{");
  EXPECT_EQ(world.status(world.add({.path = document})), 400U);
  world.write(document, std::string((1 << 20) + 1, ' '));
  EXPECT_EQ(world.status(world.add({.path = document})), 400U);
}

TEST(ShowPicture, KnowsNoOtherSamplesThanTheRecords) {
  PictureWorld world;
  const std::string id = world.add_folder();
  world.write(world.data / "cat.jpg", kJpeg);
  for (const char* sample : {"8", "-7", "7x", "0x7", "18446744073709551616"})
    EXPECT_EQ(world.status(id, sample), 404U) << sample;
  EXPECT_EQ(world.status("nobody"), 404U);
}

TEST(ShowPicture, ArraysAndRandomNumbersHaveNone) {
  PictureWorld world;
  const fs::path uploads = world.folder.path() / "uploads";
  world.write(uploads / "x.npz", "PK\x03\x04 and so on");
  world.write(uploads / "x.yaml", "npz: {file: x.npz}\n");
  for (const char* file : {"x.npz", "x.yaml"})
    EXPECT_EQ(world.status(world.add({.path = (uploads / file).string()}, "row 7")), 404U) << file;
  EXPECT_EQ(world.status(world.add({.data = "random"})), 404U);
  const Response relative = world.picture(world.add({.data = "images"}));
  EXPECT_EQ(relative.status, 404U);
  EXPECT_THAT(text_of(relative), HasSubstr("does not say"));
}

TEST(ShowPicture, NeverLeavesTheFoldersOfJobs) {
  PictureWorld world;
  const TemporaryFolder outside;
  world.write(outside.path() / "secret.jpg", kJpeg);
  world.write(world.data / "cat.jpg", kJpeg);
  world.write(world.data / ".hidden.jpg", kJpeg);
  world.write(world.data / ".hidden" / "cat.jpg", kJpeg);
  world.write(world.folder.path() / "key.jpg", kJpeg);
  fs::create_symlink(outside.path() / "secret.jpg", world.data / "link.jpg");
  fs::create_directory_symlink(outside.path(), world.data / "links");
  fs::create_symlink("cat.jpg", world.data / "inside.jpg");
  for (const std::string& name :
       {std::string("../../key.jpg"), std::string("links/../../../key.jpg"),
        (outside.path() / "secret.jpg").string(), std::string("link.jpg"),
        std::string("links/secret.jpg"), std::string(".hidden.jpg"),
        std::string(".hidden/cat.jpg")})
    EXPECT_EQ(world.status(world.add_folder(name)), 403U) << name;
  EXPECT_EQ(world.status(world.add({.path = outside.path().string()}, "secret.jpg")), 403U);
  EXPECT_EQ(world.status(world.add({.path = world.folder.path().string()}, "key.jpg")), 403U);
  EXPECT_EQ(text_of(world.picture(world.add_folder("inside.jpg"))), kJpeg);
}

TEST(ShowPicture, SaysWhatIsWrongWithTheFile) {
  PictureWorld world;
  fs::create_directories(world.data / "folder.jpg");
  world.write(world.data / "page.jpg", "<html><script>alert(1)</script>");
  world.write(world.data / "empty.jpg", "");
  world.write(world.data / "huge.jpg", kJpeg);
  fs::resize_file(world.data / "huge.jpg", (std::uintmax_t{32} << 20) + 1);
  ASSERT_EQ(::mkfifo((world.data / "pipe.jpg").c_str(), 0600), 0);
  ASSERT_EQ(::mknod((world.data / "socket.jpg").c_str(), S_IFSOCK | 0600, 0), 0);
  const auto status = [&](const std::string& name) { return world.status(world.add_folder(name)); };
  EXPECT_EQ(status("missing.jpg"), 404U);
  EXPECT_EQ(status("folder.jpg"), 404U);
  EXPECT_EQ(status("page.jpg"), 404U);
  EXPECT_EQ(status("empty.jpg"), 404U);
  for (const char* name : {"pipe.jpg", "socket.jpg"}) {
    const Response special = world.picture(world.add_folder(name));
    EXPECT_EQ(special.status, 404U) << name;
    EXPECT_THAT(text_of(special), HasSubstr("is no file"));
  }
  EXPECT_EQ(status("huge.jpg"), 422U);
  if (::geteuid() == 0) return;  // for whom nothing is unreadable
  world.write(world.data / "closed.jpg", kJpeg);
  fs::permissions(world.data / "closed.jpg", fs::perms::none);
  EXPECT_EQ(status("closed.jpg"), 403U);
}

}  // namespace
}  // namespace quantlens::server
