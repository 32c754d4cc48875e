// SPDX-License-Identifier: Apache-2.0
#include "quantlens/workspace/workspace.h"

#include <csignal>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "quantlens/base/error.h"
#include "quantlens/base/memory_store.h"
#include "quantlens/workspace/testing/temporary_folder.h"

namespace quantlens {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

void put(Store& store, const std::string& id, const std::string& record) {
  store.make_folder(fs::path("/w/workloads") / id);
  write_atomic(store, fs::path("/w/workloads") / id / "workload.json", record);
}

/// A finished workload's record, as of the given time.
std::string success(const std::string& created) {
  return R"({"format": 1, "state": "success", "verb": "quantize", "created": ")" + created + "\"}";
}

std::vector<std::string> ids(const Workspace& workspace) {
  std::vector<std::string> ids;
  for (const Workload& workload : workspace.list()) ids.push_back(workload.id);
  return ids;
}

/// The sentence that `work` fails with, after its code.
template <class Work>
std::string failure(Errc code, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.code() == code ? error.what() : std::string("another code: ") + error.what();
  }
  return "no failure";
}

/// A variable of the environment for the length of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(old_ ? old_->c_str() : nullptr); }

 private:
  void set(const char* value) {
    if (value != nullptr) {
      ::setenv(name_, value, 1);
    } else {
      ::unsetenv(name_);
    }
  }
  const char* name_;
  std::optional<std::string> old_;
};

TEST(DefaultWorkspace, IsTheChosenOneElseInTheUsersDataFolder) {
  const Variable home("HOME", "/home/me");
  const Variable data("XDG_DATA_HOME", nullptr);
  const Variable chosen("QUANTLENS_WORKSPACE", nullptr);
  EXPECT_EQ(default_workspace(), "/home/me/.local/share/quantlens");
  const Variable other_data("XDG_DATA_HOME", "/data");
  EXPECT_EQ(default_workspace(), "/data/quantlens");
  const Variable relative("XDG_DATA_HOME", "data");
  EXPECT_EQ(default_workspace(), "/home/me/.local/share/quantlens");
  const Variable mine("QUANTLENS_WORKSPACE", "/mine");
  EXPECT_EQ(default_workspace(), "/mine");
  MemoryStore store;
  EXPECT_EQ(Workspace(store, "").root(), "/mine");
  EXPECT_EQ(Workspace(store, "/other").root(), "/other");
}

TEST(DefaultWorkspace, AsksForOneWhereTheEnvironmentTellsNone) {
  const Variable home("HOME", nullptr);
  const Variable data("XDG_DATA_HOME", "");
  const Variable chosen("QUANTLENS_WORKSPACE", "");
  EXPECT_THAT(failure(Errc::usage, [] { default_workspace(); }), HasSubstr("--workspace"));
}

TEST(Workspace, IsEmptyWhereItsFolderIsAbsent) {
  const TemporaryFolder folder;
  DiskStore store;
  EXPECT_THAT(Workspace(store, folder.path() / "absent").list(), IsEmpty());
}

TEST(Workspace, ListsTheNewestFirst) {
  MemoryStore store;
  put(store, "20260101-000000-tune-a-0001", success("2026-01-01T00:00:00.100Z"));
  put(store, "20260101-000000-diagnose-a-0002", success("2026-01-01T00:00:00.900Z"));
  put(store, "20250101-000000-zzz-a-0003", success("2025-01-01T00:00:00.000Z"));
  EXPECT_THAT(ids({store, "/w"}),
              ElementsAre("20260101-000000-diagnose-a-0002", "20260101-000000-tune-a-0001",
                          "20250101-000000-zzz-a-0003"));
}

TEST(Workspace, ShowsAnUnreadableRecordAsAFailureInItsPlace) {
  MemoryStore store;
  put(store, "20250101-000000-tune-a-0001", success("2025-01-01T00:00:00.000Z"));
  put(store, "20260101-000000-tune-a-0002", "{\"format\": 1, \"state\":");
  const std::vector<Workload> all = Workspace(store, "/w").list();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].id, "20260101-000000-tune-a-0002");
  EXPECT_EQ(all[0].state, WorkloadState::failure);
  EXPECT_THAT(all[0].message, HasSubstr("20260101-000000-tune-a-0002/workload.json"));
}

TEST(Workspace, NamesARecordThatIsMissingOrEmptyToWhoReadsOn) {
  MemoryStore store;
  put(store, "20260101-000000-tune-a-0001", "");
  write_atomic(store, "/w/workloads/20260101-000000-tune-a-0002/plan.json", "{}");
  const Workspace workspace(store, "/w");
  const std::string missing =
      failure(Errc::bad_input, [&] { workspace.find_sound("20260101-000000-tune-a-0002"); });
  EXPECT_EQ(missing,
            "20260101-000000-tune-a-0002/workload.json: is missing; put it back from a copy, or "
            "name another run");
  EXPECT_EQ(workspace.find("20260101-000000-tune-a-0002").message, missing) << "as it is listed";
  EXPECT_THAT(
      failure(Errc::bad_input, [&] { workspace.find_sound("20260101-000000-tune-a-0001"); }),
      HasSubstr("a-0001/workload.json: is empty; put it back"));
}

TEST(Workspace, RefusesANewerFormatWithOneSentence) {
  MemoryStore store;
  put(store, "new", R"({"format": 99, "state": {"phase": 7}})");
  const Workspace workspace(store, "/w");
  EXPECT_THAT(failure(Errc::unsupported, [&] { workspace.find("new"); }),
              AllOf(HasSubstr("written in format 99"), EndsWith("update quantlens")));
  EXPECT_THAT(workspace.list().at(0).message, HasSubstr("update quantlens"));
}

TEST(Workspace, TrustsTheFoldersNameOverTheRecordsId) {
  MemoryStore store;
  put(store, "renamed", R"({"id": "../../etc", "state": "success"})");
  EXPECT_THAT(ids({store, "/w"}), ElementsAre("renamed"));
}

TEST(Workspace, FindsByIdByItsBeginningAndTheLast) {
  MemoryStore store;
  put(store, "20250101-a", success("2025-01-01T00:00:00.000Z"));
  put(store, "20260101-b", success("2026-01-01T00:00:00.000Z"));
  put(store, "20260101-bb", success("2025-06-01T00:00:00.000Z"));
  const Workspace workspace(store, "/w");
  EXPECT_EQ(workspace.find("2025").id, "20250101-a");
  EXPECT_EQ(workspace.find("20260101-b").id, "20260101-b");
  EXPECT_EQ(workspace.find("last").id, "20260101-b");
  EXPECT_EQ(workspace.folder("2025"), "/w/workloads/20250101-a");
}

/// The same of one with a name.
std::string named(const std::string& name, const std::string& created) {
  return R"({"format": 1, "state": "success", "name": ")" + name + R"(", "created": ")" + created +
         "\"}";
}

TEST(Workspace, FindsByTheNameThatOneAloneHas) {
  MemoryStore store;
  put(store, "20250101-a", named("per tensor", "2025-01-01T00:00:00.000Z"));
  put(store, "20260101-b", named("2025", "2026-01-01T00:00:00.000Z"));
  put(store, "20260301-d", "{damaged");
  put(store, "20260401-e", success("2026-04-01T00:00:00.000Z"));
  const Workspace workspace(store, "/w");
  EXPECT_EQ(workspace.find("per tensor").id, "20250101-a");
  EXPECT_EQ(workspace.find_sound("per tensor").id, "20250101-a");
  EXPECT_EQ(workspace.folder("per tensor"), "/w/workloads/20250101-a");
  EXPECT_EQ(workspace.find("2025").id, "20250101-a");  // ids go first
  EXPECT_THAT(failure(Errc::not_found, [&] { workspace.find("per"); }), HasSubstr("there is none"));
  EXPECT_THAT(failure(Errc::not_found, [&] { workspace.find(""); }), HasSubstr("there is none"));
}

TEST(Workspace, RefusesANameThatSeveralHave) {
  MemoryStore store;
  put(store, "20250101-a", named("mine", "2025-01-01T00:00:00.000Z"));
  put(store, "20260101-b", named("mine", "2026-01-01T00:00:00.000Z"));
  Workspace workspace(store, "/w");
  EXPECT_EQ(failure(Errc::usage, [&] { workspace.find("mine"); }),
            "workload 'mine': several have this name: 20260101-b, 20250101-a; give an id");
  EXPECT_THAT(failure(Errc::usage, [&] { workspace.remove("mine"); }), HasSubstr("give an id"));
  EXPECT_THAT(ids(workspace), ElementsAre("20260101-b", "20250101-a"));
}

TEST(Workspace, SaysWhatItDoesNotFind) {
  MemoryStore store;
  const Workspace workspace(store, "/w");
  EXPECT_THAT(failure(Errc::not_found, [&] { workspace.find("last"); }), HasSubstr("none in /w"));
  put(store, "20260101-b", success(""));
  put(store, "20260101-c", success(""));
  EXPECT_THAT(failure(Errc::usage, [&] { workspace.find("2026"); }),
              HasSubstr("20260101-b, 20260101-c"));
  EXPECT_THAT(failure(Errc::not_found, [&] { workspace.find("20260102-b"); }),
              HasSubstr("did you mean '20260101-b'"));
  EXPECT_THAT(failure(Errc::not_found, [&] { workspace.find(""); }), HasSubstr("''"));
  EXPECT_THAT(failure(Errc::not_found, [&] { workspace.find("../workloads/20260101-b"); }),
              HasSubstr("there is none"));
}

TEST(Workspace, RemovesOneAndLeavesTheOthers) {
  const TemporaryFolder folder;
  DiskStore store;
  Workspace workspace(store, folder.path());
  const std::string first = workspace.create("tune", "a", {})->workload().id;
  const std::string second = workspace.create("tune", "b", {})->workload().id;
  workspace.remove(first);
  EXPECT_THAT(ids(workspace), ElementsAre(second));
}

TEST(Workspace, RemovesWhatItCannotRead) {
  const TemporaryFolder folder;
  DiskStore store;
  fs::create_directories(folder.path() / "workloads/broken");
  write_atomic(store, folder.path() / "workloads/broken/workload.json", "{\"format\": 9}");
  Workspace workspace(store, folder.path());
  workspace.remove("broken");
  EXPECT_FALSE(fs::exists(folder.path() / "workloads/broken"));
}

TEST(Workspace, RemovesNothingThatItDidNotMake) {
  const TemporaryFolder folder;
  DiskStore store;
  fs::create_directories(folder.path() / "workloads/holiday");
  write_atomic(store, folder.path() / "workloads/holiday/photo.jpg", "x");
  fs::create_directories(folder.path() / "elsewhere");
  write_atomic(store, folder.path() / "elsewhere/workload.json", "{}");
  fs::create_directory_symlink(folder.path() / "elsewhere", folder.path() / "workloads/link");
  Workspace workspace(store, folder.path());
  EXPECT_THAT(failure(Errc::bad_input, [&] { workspace.remove("holiday"); }),
              HasSubstr("quantlens did not make it"));
  EXPECT_THAT(failure(Errc::bad_input, [&] { workspace.remove("link"); }),
              HasSubstr("symbolic link"));
  EXPECT_THAT(failure(Errc::not_found, [&] { workspace.remove("../elsewhere"); }),
              HasSubstr("there is none"));
  EXPECT_TRUE(fs::exists(folder.path() / "workloads/holiday/photo.jpg"));
  EXPECT_TRUE(fs::exists(folder.path() / "elsewhere/workload.json"));
}

TEST(Workspace, RemovesALinkInsideAFolderButNotItsTarget) {
  const TemporaryFolder folder;
  DiskStore store;
  write_atomic(store, folder.path() / "model.onnx", "weights");
  Workspace workspace(store, folder.path());
  const fs::path workload = workspace.create("tune", "a", {})->folder();
  fs::create_symlink(folder.path() / "model.onnx", workload / "model.onnx");
  workspace.remove("last");
  EXPECT_FALSE(fs::exists(workload));
  EXPECT_TRUE(fs::exists(folder.path() / "model.onnx"));
}

TEST(Workspace, RemovesNothingThatIsBeingWritten) {
  const TemporaryFolder folder;
  DiskStore store;
  Workspace workspace(store, folder.path());
  const auto writer = workspace.create("tune", "a", {});
  EXPECT_THAT(failure(Errc::failed, [&] { workspace.remove("last"); }),
              HasSubstr("is being written"));
  EXPECT_EQ(workspace.find("last").state, WorkloadState::wip);
}

TEST(Workspace, OverlooksStrayFilesAndEmptyFolders) {
  const TemporaryFolder folder;
  DiskStore store;
  fs::create_directories(folder.path() / "workloads/empty");
  write_atomic(store, folder.path() / "workloads/notes.txt", "x");
  fs::create_directories(folder.path() / "workloads/.cache/x");
  EXPECT_THAT(Workspace(store, folder.path()).list(), IsEmpty());
}

TEST(Workspace, ShowsAFolderThatDiedBeforeItsRecordAsInterrupted) {
  const TemporaryFolder folder;
  DiskStore store;
  fs::create_directories(folder.path() / "workloads/20260101-000000-tune-a-0001");
  write_atomic(store, folder.path() / "workloads/20260101-000000-tune-a-0001/lock", "");
  Workspace workspace(store, folder.path());
  EXPECT_EQ(workspace.find("last").message, "interrupted");
  EXPECT_EQ(workspace.find("last").created, "2026-01-01T00:00:00Z");
  workspace.remove("last");
  EXPECT_THAT(workspace.list(), IsEmpty());
}

/// A process that writes a workload until it is killed.
class Victim {
 public:
  explicit Victim(const fs::path& root) {
    int ready[2];
    if (::pipe(ready) != 0) std::abort();
    process_ = ::fork();
    if (process_ == 0) {
      DiskStore store;
      const auto writer = Workspace(store, root).create("quantize", "net", {});
      writer->write("plan.json", "{}");
      if (::write(ready[1], "x", 1) == 1) ::pause();
      ::_exit(1);
    }
    char byte = 0;
    ready_ = ::read(ready[0], &byte, 1) == 1;
    ::close(ready[0]);
    ::close(ready[1]);
  }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;
  ~Victim() { kill(); }
  bool ready() const { return ready_; }
  void kill() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  pid_t process_ = 0;
  bool ready_ = false;
};

TEST(Workspace, ShowsAKilledRunAsInterruptedAndAnotherCanGoOn) {
  const TemporaryFolder folder;
  DiskStore store;
  Victim victim(folder.path());
  ASSERT_TRUE(victim.ready());
  const Workspace workspace(store, folder.path());
  EXPECT_EQ(workspace.find("last").state, WorkloadState::wip);
  victim.kill();
  const Workload killed = workspace.find("last");
  EXPECT_EQ(killed.state, WorkloadState::failure);
  EXPECT_EQ(killed.message, "interrupted");
  WorkloadWriter(store, workspace.folder("last"), killed).succeed();
  EXPECT_EQ(workspace.find("last").state, WorkloadState::success);
}

}  // namespace
}  // namespace quantlens
