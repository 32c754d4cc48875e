// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/store.h"

#include <cstdlib>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Bytes bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

class DiskStoreTest : public testing::Test {
 protected:
  DiskStoreTest() {
    std::string name = testing::TempDir() + "quantlens_store_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~DiskStoreTest() override { fs::remove_all(folder_); }

  fs::path path(std::string_view name) const { return folder_ / name; }

  /// The sentence of the Errc::io that the action throws.
  template <class Action>
  static std::string io_failure(Action action) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::io);
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
  }

  fs::path folder_;
  DiskStore store_;
};

TEST_F(DiskStoreTest, ReadsWhatItWrote) {
  write_atomic(store_, path("a.json"), "hello");
  EXPECT_EQ(store_.read(path("a.json")).text(), "hello");
}

TEST_F(DiskStoreTest, AppendsToALogThatItMakes) {
  store_.append(path("log"), "one\n");
  store_.append(path("log"), "two\n");
  EXPECT_EQ(store_.read(path("log")).text(), "one\ntwo\n");
  EXPECT_THAT(io_failure([&] { store_.append(path("none/log"), "one\n"); }), HasSubstr("none/log"));
}

TEST_F(DiskStoreTest, ReadsAnEmptyFileAsNoBytes) {
  write_atomic(store_, path("empty"), "");
  EXPECT_EQ(store_.read(path("empty")).bytes().size(), 0U);
}

TEST_F(DiskStoreTest, WritesPiecesOfAnySizeInOrder) {
  std::string expected;
  const auto writer = store_.create(path("big"));
  for (const std::size_t size : {1U, 65535U, 2U, 65536U, 0U, 200000U, 7U, 65537U}) {
    const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
    writer->write(bytes_of(piece));
    expected += piece;
  }
  writer->commit();
  EXPECT_TRUE(store_.read(path("big")).text() == expected);
}

TEST_F(DiskStoreTest, ShowsNothingUnderTheFinalNameBeforeCommit) {
  const auto writer = store_.create(path("a"));
  writer->write(bytes_of("half"));
  EXPECT_FALSE(fs::exists(path("a")));
  EXPECT_THAT(store_.list(folder_), ElementsAre("a.part" + std::to_string(::getpid())));
}

TEST_F(DiskStoreTest, RemovesTheUnfinishedFileWhenAWriterIsDropped) {
  write_atomic(store_, path("a"), "old");
  {
    const auto writer = store_.create(path("a"));
    writer->write(bytes_of("new"));
  }
  EXPECT_EQ(store_.read(path("a")).text(), "old");
  EXPECT_THAT(store_.list(folder_), ElementsAre("a"));
}

TEST_F(DiskStoreTest, LetsTwoWritersOfOneNameBothFinish) {
  const auto first = store_.create(path("a"));
  const auto second = store_.create(path("a"));
  first->write(bytes_of("first"));
  second->write(bytes_of("second"));
  first->commit();
  EXPECT_EQ(store_.read(path("a")).text(), "first");
  second->commit();
  EXPECT_EQ(store_.read(path("a")).text(), "second");
  EXPECT_THAT(store_.list(folder_), ElementsAre("a"));
}

TEST_F(DiskStoreTest, NeverWritesThroughALinkThatWaitsUnderThePartName) {
  write_atomic(store_, path("precious"), "precious");
  fs::create_symlink("precious", path("a.part" + std::to_string(::getpid())));
  write_atomic(store_, path("a"), "new");
  EXPECT_EQ(store_.read(path("precious")).text(), "precious");
  EXPECT_EQ(store_.read(path("a")).text(), "new");
}

TEST_F(DiskStoreTest, WritesTheFileThatALinkMeansAndKeepsTheLink) {
  fs::create_directory(path("other"));
  write_atomic(store_, path("other/a"), "old");
  fs::create_symlink("other/a", path("near"));
  fs::create_symlink(path("near"), path("far"));
  write_atomic(store_, path("far"), "new");
  EXPECT_EQ(store_.read(path("other/a")).text(), "new");
  EXPECT_TRUE(fs::is_symlink(path("far")) && fs::is_symlink(path("near")));
  EXPECT_THAT(store_.list(path("other")), ElementsAre("a"));
}

TEST_F(DiskStoreTest, MakesTheFileThatALinkMeans) {
  fs::create_symlink("not_yet", path("link"));
  write_atomic(store_, path("link"), "new");
  EXPECT_EQ(store_.read(path("not_yet")).text(), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
}

TEST_F(DiskStoreTest, RefusesLinksInACircle) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  EXPECT_THAT(io_failure([&] { write_atomic(store_, path("a"), ""); }),
              testing::AllOf(HasSubstr("a: cannot write: Too many levels of symbolic links; "),
                             HasSubstr("name a file that is no such link")));
}

TEST_F(DiskStoreTest, KeepsMappedBytesWhenTheFileIsReplaced) {
  write_atomic(store_, path("a"), "old bytes");
  const MappedFile old = store_.read(path("a"));
  write_atomic(store_, path("a"), "new");
  EXPECT_EQ(old.text(), "old bytes");
}

TEST_F(DiskStoreTest, SaysWhatAndWhereWhenTheFolderIsMissingOrIsAFile) {
  EXPECT_THAT(io_failure([&] { write_atomic(store_, path("no/a"), ""); }),
              testing::AllOf(HasSubstr("no/a: cannot write: No such file or directory; "),
                             HasSubstr("check that the folder exists")));
  write_atomic(store_, path("file"), "");
  EXPECT_THAT(io_failure([&] { write_atomic(store_, path("file/a"), ""); }),
              HasSubstr("file/a: cannot write: Not a directory; "));
  EXPECT_THAT(io_failure([&] { store_.make_folder(path("file/sub/sub")); }),
              HasSubstr("cannot make the folder"));
  EXPECT_THAT(io_failure([&] { (void)store_.list(path("file")); }),
              HasSubstr("cannot list the folder"));
}

TEST_F(DiskStoreTest, RefusesToReplaceWhatIsNoRegularFile) {
  EXPECT_THAT(io_failure([&] { (void)store_.create("/dev/null"); }), HasSubstr("no regular file"));
  EXPECT_THAT(io_failure([&] { (void)store_.create(folder_); }), HasSubstr("it is a folder"));
}

TEST_F(DiskStoreTest, PassesTheSystemsReasonOnWhenTheDiskIsFull) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  // The part file is swapped for /dev/full beneath the writer's descriptor.
  const auto writer = store_.create(path("a"));
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  const fs::path part = path("a.part" + std::to_string(::getpid()));
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    if (fs::read_symlink(entry.path(), ignored) == part) {
      ::dup2(full, std::stoi(entry.path().filename().string()));
    }
  }
  ::close(full);
  writer->write(bytes_of("data"));
  EXPECT_THAT(io_failure([&] { writer->commit(); }),
              HasSubstr("/a: cannot write: No space left on device; free some space or choose "
                        "another folder"));
  EXPECT_FALSE(fs::exists(path("a")));
}

TEST_F(DiskStoreTest, ListsNamesInOrderAndAnAbsentFolderAsEmpty) {
  for (const char* name : {"b", "a", "C"}) write_atomic(store_, path(name), "");
  store_.make_folder(path("d/e"));
  EXPECT_THAT(store_.list(folder_), ElementsAre("C", "a", "b", "d"));
  EXPECT_THAT(store_.list(path("absent")), IsEmpty());
}

TEST_F(DiskStoreTest, RemovesFilesAndFoldersButNotWhatLinksPointTo) {
  write_atomic(store_, path("precious"), "x");
  store_.make_folder(path("d/e"));
  fs::create_symlink(path("precious"), path("d/e/link"));
  store_.remove(path("d"));
  store_.remove(path("absent"));
  EXPECT_THAT(store_.list(folder_), ElementsAre("precious"));
}

TEST_F(DiskStoreTest, ReadsOnlyRegularFiles) {
  EXPECT_THAT(io_failure([&] { (void)store_.read(folder_); }), HasSubstr("it is a folder"));
  EXPECT_THAT(io_failure([&] { (void)store_.read("/dev/zero"); }), HasSubstr("it is no file"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(io_failure([&] { (void)store_.read(path("pipe")); }), HasSubstr("it is no file"));
}

TEST_F(DiskStoreTest, TellsAMissingFileFromAnUnreadableOne) {
  for (const fs::path& missing : {path("absent"), path("absent/absent"), fs::path("")}) {
    try {
      (void)store_.read(missing);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::not_found);
    }
  }
  const std::string endless(5000, 'x');
  EXPECT_THAT(io_failure([&] { (void)store_.read(path(endless)); }), HasSubstr("too long"));
}

TEST_F(DiskStoreTest, KeepsControlCharactersOfANameOutOfMessages) {
  try {
    (void)store_.read(path("a\x1b[31m\nb"));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("a?[31m?b: no such file"));
  }
}

TEST_F(DiskStoreTest, WritesARelativeNameWithoutAFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  write_atomic(store_, "plain", "x");
  EXPECT_EQ(store_.read("plain").text(), "x");
  fs::current_path(before);
}

TEST(MappedFile, KeepsItsBytesAliveThroughItsOwner) {
  std::shared_ptr<const void> owner;
  Bytes bytes;
  {
    const MappedFile file = MappedFile::from_bytes("abc");
    owner = file.owner();
    bytes = file.bytes();
  }
  EXPECT_EQ(static_cast<char>(bytes[2]), 'c');
}

TEST(MappedFile, IsEmptyByDefault) {
  EXPECT_TRUE(MappedFile().bytes().empty());
  EXPECT_EQ(MappedFile().text(), "");
}

}  // namespace
}  // namespace quantlens
