// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/memory.h"

#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "quantlens/base/error.h"

namespace quantlens::remote {
namespace {

std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Bytes bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

FileDescriptor copy_of(int fd) {
  return FileDescriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
}

TEST(Body, PutsItsPiecesAtMultiplesOf64WithZerosBetween) {
  Body body;
  EXPECT_EQ(body.add(bytes_of("abc")), 0u);
  EXPECT_EQ(body.add_owned("de"), 64u);
  EXPECT_EQ(body.add({}), 128u);
  EXPECT_EQ(body.size(), 128u);
  EXPECT_EQ(body.add(bytes_of("f")), 128u);
  std::string out(body.size(), '?');
  body.copy_to(std::as_writable_bytes(std::span(out)));
  std::string expected(129, '\0');
  expected.replace(0, 3, "abc").replace(64, 2, "de").replace(128, 1, "f");
  EXPECT_EQ(out, expected);
}

TEST(SharedMemory, IsReadWhereItIsWrittenAndGrows) {
  SharedMemory memory;
  EXPECT_TRUE(memory.reserve(100));
  std::memcpy(memory.bytes().data(), "first", 5);
  const Payload first = map_memory(copy_of(memory.file()));
  EXPECT_EQ(text_of(first.bytes.first(5)), "first");
  std::memcpy(memory.bytes().data(), "again", 5);
  EXPECT_EQ(text_of(first.bytes.first(5)), "again");
  EXPECT_FALSE(memory.reserve(memory.bytes().size()));
  EXPECT_TRUE(memory.reserve(memory.bytes().size() + 1));
  std::memcpy(memory.bytes().data(), "other", 5);
  EXPECT_EQ(text_of(first.bytes.first(5)), "again") << "the old memory stays while it is read";
}

TEST(SharedMemory, CannotBeCutOff) {
  SharedMemory memory;
  memory.reserve(1);
  EXPECT_NE(::ftruncate(memory.file(), 0), 0);
  EXPECT_NE(::fcntl(memory.file(), F_ADD_SEALS, F_SEAL_WRITE), 0);
  const FileDescriptor unsealed(::memfd_create("test", MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(unsealed.get(), 4096), 0);
  EXPECT_THROW(map_memory(unsealed), Error);
  EXPECT_THROW(map_memory(FileDescriptor(::open("/dev/zero", O_RDONLY))), Error);
  ASSERT_EQ(::fcntl(unsealed.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
  EXPECT_EQ(map_memory(unsealed).bytes.size(), 4096u);
}

TEST(SharedMemory, FilesHaveTheirBytesForGood) {
  const std::string text(100'000, 'x');
  const FileDescriptor file = file_of(bytes_of(text));
  EXPECT_EQ(text_of(map_memory(file).bytes), text);
  EXPECT_LT(::pwrite(file.get(), "y", 1, 0), 0);
}

/// Says what is thrown where files may not be larger than 1 MB.
[[noreturn]] void reserve_too_much() {
  const rlimit limit{.rlim_cur = 1 << 20, .rlim_max = 1 << 20};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, SIG_IGN);
  SharedMemory memory;
  memory.reserve(1 << 20);
  try {
    memory.reserve(1 << 22);
  } catch (const Error& error) {
    std::fprintf(stderr, "%d %s, %zu kept\n", static_cast<int>(error.code()), error.what(),
                 memory.bytes().size());
  }
  std::_Exit(0);
}

TEST(SharedMemory, ThatCannotBeHadIsASentence) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(reserve_too_much(), ::testing::ExitedWithCode(0),
              "0 4.2 MB of shared memory cannot be had: File too large; .*, 1048576 kept");
}

TEST(SharedMemory, BeyondWhatAMachineHasIsASentence) {
  SharedMemory memory;
  EXPECT_THROW(memory.reserve(std::uint64_t{1} << 60U), Error);
}

}  // namespace
}  // namespace quantlens::remote
