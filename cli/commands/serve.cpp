// SPDX-License-Identifier: Apache-2.0
#include "server/serve.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include "cli/commands/commands.h"
#include "cli/commands/demo_folder.h"
#include "cli/usage.h"
#include "quantlens/base/cores.h"
#include "quantlens/base/error.h"
#include "quantlens/base/lost_pages.h"
#include "quantlens/base/text.h"
#include "quantlens/workspace/workspace.h"
#include "server/api/workloads.h"
#include "server/jobs/roots.h"
#include "server/own_folder.h"

extern char** environ;  // NOLINT(readability-identifier-naming): the system's

namespace quantlens::cli {
namespace {

constexpr unsigned kMostPort = 65535;

struct Arguments {
  std::string address = "127.0.0.1", workspace, prefix, certificate, key;
  std::optional<std::uint16_t> port, gui_port;
  std::vector<std::string> names;
  bool insecure = false, open = false;
  unsigned threads = 2;
  int verbose = 0;
  std::vector<std::string> roots;
  unsigned job_cores = 0;
  std::uint64_t upload_limit = 2000, upload_quota = 10'000;  // MB
};

/// The predecessors' sentences.
CLI::Validator port() {
  const auto check = [](const std::string& text) -> std::string {
    long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::invalid_argument || end != text.data() + text.size())
      return fmt::format("'{}' is no port; give a number from 1 to {}", shortened(text), kMostPort);
    if (error == std::errc() && value >= 1 && value <= static_cast<long>(kMostPort)) return "";
    if (text.starts_with('-') || value == 0)
      return fmt::format("Lowest allowed port number is 1, attempted to use: {}", shortened(text));
    return fmt::format("Highest allowed port number is {}, attempted to use: {}", kMostPort,
                       shortened(text));
  };
  return {check, ""};
}

/// Starts the browser without a shell, and leaves it alone. The child's streams are closed: what
/// it says is not ours to show.
void open_browser(const std::string& url) {
  std::string program = "xdg-open", argument = url;
  char* const words[] = {program.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  for (const int fd : {0, 1, 2})
    posix_spawn_file_actions_addopen(&streams, fd, "/dev/null", O_RDWR, 0);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, program.c_str(), &streams, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&streams);
  if (error != 0) {
    print_err("note: no browser is started, as xdg-open is not there; open the address by hand\n");
    return;
  }
  std::thread([child] {
    int status = 0;
    ::waitpid(child, &status, 0);  // else it stays as a zombie
  }).detach();
}

void log_line(std::string_view line) {
  print_err(fmt::format("{}\n", line));
}

constexpr std::uint64_t kMegabyte = 1'000'000;

/// The folder that the server is started in, and the demo's, so that pages can go on from it. A
/// folder that was not asked for is not an error, and the root of all files is none for jobs.
std::vector<fs::path> usual_roots() {
  std::vector<fs::path> roots;
  std::error_code error;
  fs::path current = fs::current_path(error);
  if (!error && current != current.root_path()) roots.push_back(std::move(current));
  const std::optional<fs::path> demo = find_demo_folder();
  if (demo && (roots.empty() || !server::is_below(server::resolved(*demo), roots.front())))
    roots.push_back(*demo);
  return roots;
}

server::JobsOptions jobs_of(const Arguments& arguments) {
  const unsigned all = available_cores();
  return {.roots = arguments.roots.empty()
                       ? usual_roots()
                       : std::vector<fs::path>(arguments.roots.begin(), arguments.roots.end()),
          .cores = arguments.job_cores > 0 ? arguments.job_cores : std::max(1U, all - 1),
          .upload_bytes = arguments.upload_limit * kMegabyte,
          .upload_quota = arguments.upload_quota * kMegabyte,
          .check_usage = check_usage};
}

int run(const Arguments& arguments) {
  if (arguments.insecure) {
    print_err(
        "Running in insecure mode. Everyone in your network may attempt to access this server.\n");
  }
  server::ServeOptions options{.workspace = arguments.workspace.empty()
                                                ? default_workspace()
                                                : fs::path(arguments.workspace),
                               .address = arguments.address,
                               .port = arguments.port,
                               .gui_port = arguments.gui_port,
                               .url_prefix = arguments.prefix,
                               .host_names = arguments.names,
                               .is_insecure = arguments.insecure,
                               .certificate = arguments.certificate,
                               .key = arguments.key,
                               .threads = arguments.threads,
                               .opens_browser = arguments.open};
  if (arguments.verbose > 0) options.log = log_line;
  survive_lost_pages();
  const server::JobsOptions jobs = jobs_of(arguments);
  server::WorkspaceServer served(options, server::make_api(options.workspace, jobs));
  uninstall_interrupt_handler();
  served.server().stop_on({SIGINT, SIGTERM});
  print_out(fmt::format("Neural Insights Server started.\nOpen address {}\n", served.url()));
  if (!server::is_writable(options.workspace)) {
    print_err(
        "note: the workspace cannot be written: its runs are shown, and nothing is started or "
        "changed\n");
  }
  if (arguments.open) open_browser(served.once_url());
  served.server().run();
  return kDone;
}

void add_job_options(CLI::App& verb, Arguments& arguments) {
  constexpr std::uint64_t kMostCores = 1024, kMostQuota = 100'000'000;
  verb.add_option("--root", arguments.roots,
                  "Let jobs read and write below this folder; give it once for each folder "
                  "(default: the folder that the server is started in, and that of the demo)")
      ->check(offers_folders())
      ->take_all()
      ->check(not_empty())
      ->group("Jobs");
  verb.add_option("--job-cores", arguments.job_cores,
                  "Let all jobs together use this many cores; further jobs wait (default: all but "
                  "one)")
      ->check(whole_number(1, kMostCores))
      ->group("Jobs");
  verb.add_option("--upload-limit", arguments.upload_limit,
                  "Take uploaded files of this size at most (default: 2000)")
      ->check(whole_number(1, kMostQuota))
      ->type_name("MB")
      ->group("Jobs");
  verb.add_option("--upload-quota", arguments.upload_quota,
                  "Keep uploads of this size in all (default: 10000)")
      ->check(whole_number(1, kMostQuota))
      ->type_name("MB")
      ->group("Jobs");
}

void add_options(CLI::App& verb, Arguments& arguments) {
  verb.add_option("-p,--port", arguments.port,
                  "Listen on this port (default: 5000, or one that is free)")
      ->check(port())
      ->group("Address");
  verb.add_option("--address", arguments.address,
                  "Listen on this address of the machine; 0.0.0.0 is all of them (default: "
                  "127.0.0.1, so that nobody else reaches the server)")
      ->check(not_empty())
      ->group("Address");
  verb.add_option("--host-name", arguments.names,
                  "Answer requests that name this host, too; give it once for each name (default: "
                  "the address and localhost)")
      ->take_all()
      ->group("Address");
  verb.add_option("-P,--gui-port", arguments.gui_port,
                  "Print this port in the address to open, where a tunnel or a proxy is between "
                  "(default: the server's)")
      ->check(port())
      ->group("Address");
  verb.add_option("-U,--url-prefix", arguments.prefix,
                  "Begin all paths with this, as a proxy may ask for (default: /)")
      ->group("Address");
  verb.add_flag("--open", arguments.open, "Start the browser")->group("Address");
  verb.add_option("--cert", arguments.certificate,
                  "Use this certificate, in PEM, with those of its issuers behind it (default: one "
                  "that the first start makes)")
      ->check(offers_files())
      ->group("Security");
  verb.add_option("--key", arguments.key,
                  "The certificate's private key, in PEM, without a password")
      ->check(offers_files())
      ->group("Security");
  verb.add_flag("--allow-insecure-connections", arguments.insecure,
                "Speak HTTP instead of HTTPS: whoever listens on the way reads all, the token "
                "included")
      ->group("Security");
  verb.add_option("--workspace,--workdir-location", arguments.workspace,
                  "Serve the runs in this folder (default: $QUANTLENS_WORKSPACE, else quantlens in "
                  "$XDG_DATA_HOME or ~/.local/share)")
      ->check(offers_folders())
      ->group("Run");
  verb.add_option("--threads", arguments.threads, "Use this many cores (default: 2)")
      ->check(whole_number(1, 1024))
      ->group("Run");
  verb.add_flag("-v,--verbose", arguments.verbose, "Log each request on standard error")
      ->group("Run");
}

}  // namespace

void add_serve(CLI::App& program, const std::vector<std::string>&, Runner& chosen) {
  CLI::App* verb = program.add_subcommand(
      "serve", "Serve the stored runs over HTTPS, to browsers and to scripts");
  auto arguments = std::make_shared<Arguments>();
  add_options(*verb, *arguments);
  add_job_options(*verb, *arguments);
  verb->footer(
      "The server ends at Ctrl-C. Called as neural_insights, quantlens does the same.\n"
      "Example:\n  quantlens serve --open");
  verb->callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

}  // namespace quantlens::cli
