// SPDX-License-Identifier: Apache-2.0
#include "quantlens/base/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"

namespace quantlens {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(MemoryStore, ReadsWhatItWroteUnderAnySpellingOfThePath) {
  MemoryStore store;
  write_atomic(store, "w/a.json", "hello");
  EXPECT_EQ(store.read("w/./b/../a.json").text(), "hello");
}

TEST(MemoryStore, ShowsNothingBeforeCommit) {
  MemoryStore store;
  const auto writer = store.create("a");
  writer->write({});
  EXPECT_THAT(store.files(), IsEmpty());
}

TEST(MemoryStore, SaysThatAFileIsMissing) {
  const MemoryStore store;
  try {
    (void)store.read("a");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::not_found);
  }
}

TEST(MemoryStore, KeepsBytesThatWereReadWhenTheFileIsReplaced) {
  MemoryStore store;
  write_atomic(store, "a", "old");
  const MappedFile old = store.read("a");
  write_atomic(store, "a", "new");
  EXPECT_EQ(old.text(), "old");
}

TEST(MemoryStore, ListsFilesAndFoldersOnce) {
  MemoryStore store;
  for (const char* path : {"/w/b", "/w/a", "/w/sub/x", "/w/sub/y", "/other"}) {
    write_atomic(store, path, "");
  }
  store.make_folder("/w/made/inner");
  EXPECT_THAT(store.list("/w"), ElementsAre("a", "b", "made", "sub"));
  EXPECT_THAT(store.list("/w/"), ElementsAre("a", "b", "made", "sub"));
  EXPECT_THAT(store.list("/"), ElementsAre("other", "w"));
  EXPECT_THAT(store.list("/absent"), IsEmpty());
}

TEST(MemoryStore, RemovesAFolderWithoutItsNamesake) {
  MemoryStore store;
  for (const char* path : {"w/a", "w/sub/b", "w2/c"}) write_atomic(store, path, "");
  store.make_folder("w/made");
  store.remove("w");
  store.remove("absent");
  EXPECT_THAT(store.list(""), ElementsAre("w2"));
}

/// write_atomic takes two operations: one write, one commit.
TEST(MemoryStore, LeavesTheOldFileWhereverAWriteFails) {
  for (const int failing : {0, 1}) {
    MemoryStore store;
    write_atomic(store, "a", "old");
    store.fail_after(failing);
    EXPECT_THROW(write_atomic(store, "a", "new"), Error);
    EXPECT_EQ(store.read("a").text(), "old");
  }
}

TEST(MemoryStore, FailsOnce) {
  MemoryStore store;
  store.fail_after(2);
  write_atomic(store, "a", "1");
  EXPECT_THROW(write_atomic(store, "a", "2"), Error);
  write_atomic(store, "a", "3");
  EXPECT_EQ(store.read("a").text(), "3");
}

}  // namespace
}  // namespace quantlens
