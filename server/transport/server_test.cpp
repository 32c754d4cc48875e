// SPDX-License-Identifier: Apache-2.0
#include "server/transport/server.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantlens/base/error.h"
#include "quantlens/workspace/testing/temporary_folder.h"
#include "server/part_file.h"

namespace quantlens::server {
namespace {

using boost::asio::ip::tcp;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using namespace std::chrono_literals;

constexpr std::uint64_t kAnnounced = 1'000'000'000;

/// A server without TLS on a free port, answering "METHOD path body", and what it was asked.
class Running {
 public:
  explicit Running(const Limits& limits = {}, Handler answer = echo)
      : server_(service(std::move(answer)), limits, {.ports = {0}}),
        thread_([this] { server_.run(); }) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { stop(); }
  void stop() {
    if (!thread_.joinable()) return;
    server_.stop();
    thread_.join();
  }
  void stop_soon() { server_.stop(); }
  std::uint16_t port() const { return server_.port(); }

  static Response echo(const Request& request) {
    return text_response(200, request.method + " " + request.path + " " + request.body);
  }

 private:
  static Service service(Handler answer) {
    return {.admit = [](Request& request, const Peer&) -> std::optional<Response> {
              if (request.path == "/closed") return text_response(403, "closed");
              return std::nullopt;
            },
            .endpoint = {.plan_body =
                             [](const Request& request) {
                               const bool is_large = request.path == "/large";
                               return BodyPlan{.most_bytes = is_large ? kAnnounced : 100};
                             },
                         .answer = std::move(answer)},
            .log = [](std::string_view) {}};
  }
  Server server_;
  std::thread thread_;
};

class Client {
 public:
  explicit Client(const Running& server) : socket_(io_) {
    socket_.connect({boost::asio::ip::address_v4::loopback(), server.port()});
  }
  void send(std::string_view text) {
    boost::system::error_code ignored;
    boost::asio::write(socket_, boost::asio::buffer(text), ignored);
  }
  /// Until the server closes, or the text ends so.
  std::string read(std::string_view end = "never") {
    std::string text;
    std::array<char, 4096> room{};
    boost::system::error_code error;
    while (!error && !text.ends_with(end)) {
      const std::size_t count = socket_.read_some(boost::asio::buffer(room), error);
      text.append(room.data(), count);
    }
    return text;
  }
  std::string ask(std::string_view text) {
    send(text);
    return read();
  }

 private:
  boost::asio::io_context io_;
  tcp::socket socket_;
};

std::string get_text(std::string_view path, std::string_view more = "") {
  return fmt::format("GET {} HTTP/1.1\r\nHost: a\r\n{}\r\n", path, more);
}

Limits short_limits() {
  return {.handshake = 300ms, .head = 300ms, .body = 300ms, .idle = 300ms, .stop = 500ms};
}

TEST(Server, AnswersAndKeepsTheConnection) {
  const Running server;
  Client client(server);
  client.send(get_text("/a"));
  EXPECT_THAT(client.read("GET /a "), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(client.ask(get_text("/b", "Connection: close\r\n")), EndsWith("GET /b "));
}

TEST(Server, AnswersPipelinedRequestsInTheirOrder) {
  const Running server;
  Client client(server);
  std::string all;
  for (int i = 0; i < 200; ++i) all += get_text(fmt::format("/{:03}", i));
  client.send(all + get_text("/last", "Connection: close\r\n"));
  const std::string text = client.read();
  std::size_t at = 0;
  for (int i = 0; i < 200; ++i) {
    at = text.find(fmt::format("GET /{:03} ", i), at);
    ASSERT_NE(at, std::string::npos) << i;
  }
  EXPECT_THAT(text, EndsWith("GET /last "));
}

TEST(Server, ReadsBodiesAndWhatFollows) {
  const Running server;
  Client client(server);
  const std::string text = client.ask(
      "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
      "PUT /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
      "2\r\nxy\r\n0\r\n\r\n");
  EXPECT_THAT(text, HasSubstr("POST /a abc"));
  EXPECT_THAT(text, EndsWith("PUT /b xy"));
}

TEST(Server, AnswersHeadWithoutABody) {
  const Running server;
  Client client(server);
  const std::string text = client.ask("HEAD /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(text, HasSubstr("Content-Length: 8\r\n"));
  EXPECT_THAT(text, EndsWith("\r\n\r\n"));
}

TEST(Server, AsksForABodyOnlyWhereItWillBeRead) {
  const Running server;
  constexpr std::string_view kHead =
      "POST {} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n";
  Client willing(server);
  willing.send(fmt::format(fmt::runtime(kHead), "/a", 3));
  EXPECT_THAT(willing.read("\r\n\r\n"), StartsWith("HTTP/1.1 100 Continue\r\n"));
  willing.send("abc");
  EXPECT_THAT(willing.read("POST /a abc"), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(Client(server).ask(fmt::format(fmt::runtime(kHead), "/closed", 3)),
              StartsWith("HTTP/1.1 403 Forbidden\r\n"));
  EXPECT_THAT(Client(server).ask(fmt::format(fmt::runtime(kHead), "/a", 101)),
              StartsWith("HTTP/1.1 413 "));
}

TEST(Server, LetsARefusedClientReadWhy) {
  const Running server;
  Client client(server);
  client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
  client.send(std::string(1'000'000, 'x'));
  const std::string text = client.read();
  EXPECT_THAT(text, StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(text, HasSubstr("Connection: close\r\n"));
}

TEST(Server, EndsAConnectionThatCannotBeReadOn) {
  const Running server;
  const std::string text = Client(server).ask(
      "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
      "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(text, StartsWith("HTTP/1.1 400 "));
  EXPECT_EQ(text.find("HTTP/1.1", 8), std::string::npos) << "there is one answer";
}

TEST(Server, TellsAHandlersFailureByStatus) {
  const Running server({}, [](const Request& request) -> Response {
    if (request.path == "/a") throw Error(Errc::not_found, "there is no a");
    throw std::runtime_error("secret path");
  });
  Client client(server);
  client.send(get_text("/a"));
  EXPECT_THAT(client.read("there is no a"), StartsWith("HTTP/1.1 404 "));
  const std::string text = client.ask(get_text("/b", "Connection: close\r\n"));
  EXPECT_THAT(text, StartsWith("HTTP/1.1 500 "));
  EXPECT_EQ(text.find("secret"), std::string::npos);
}

TEST(Server, ClosesSlowClients) {
  const Running server(short_limits());
  const auto begin = std::chrono::steady_clock::now();
  Client silent(server), head(server), body(server);
  head.send("GET / HTTP/1.1\r\nHo");
  body.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(silent.read(), "");
  EXPECT_EQ(head.read(), "");
  EXPECT_EQ(body.read(), "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s);
}

TEST(Server, GivesNoTimeForABodyThatIsOnlyAnnounced) {
  const Running server(short_limits());
  Client client(server);
  client.send(
      fmt::format("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\nabc", kAnnounced));
  EXPECT_EQ(client.read(), "");
}

TEST(Server, LeavesNothingOfABodyInAFileThatNobodyKept) {
  const TemporaryFolder folder;
  const auto entries = [&] {
    return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
  };
  std::atomic<std::ptrdiff_t> while_asked = 0;
  Server server(
      {.admit = [](Request&, const Peer&) -> std::optional<Response> { return {}; },
       .endpoint = {.plan_body =
                        [&](const Request&) {
                          return BodyPlan{.most_bytes = 100,
                                          .file = std::make_shared<PartFile>(folder.path() / "a")};
                        },
                    .answer =
                        [&](const Request& request) {
                          while_asked = entries();
                          return text_response(200, MappedFile::open(request.file->name()).text());
                        }},
       .log = [](std::string_view) {}},
      {}, {.ports = {0}});
  std::thread running([&] { server.run(); });
  boost::asio::io_context io;
  tcp::socket client(io);
  client.connect({boost::asio::ip::address_v4::loopback(), server.port()});
  const std::string_view text =
      "PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello";
  boost::asio::write(client, boost::asio::buffer(text));
  std::string answer(4096, '\0');
  answer.resize(client.read_some(boost::asio::buffer(answer)));
  EXPECT_THAT(answer, EndsWith("hello"));
  EXPECT_EQ(while_asked, 1);
  EXPECT_EQ(entries(), 0) << "though the connection is kept";
  server.stop();
  running.join();
}

TEST(Server, ClosesClientsThatDrip) {
  const Running server(short_limits());
  Client client(server);
  const auto begin = std::chrono::steady_clock::now();
  std::thread dripping([&] {
    const std::string text = get_text("/", "X: " + std::string(100, 'x') + "\r\n");
    for (const char c : text) {
      client.send({&c, 1});
      std::this_thread::sleep_for(20ms);
      if (std::chrono::steady_clock::now() - begin > 2s) break;
    }
  });
  EXPECT_EQ(client.read(), "");
  dripping.join();
}

TEST(Server, ClosesClientsThatDoNotRead) {
  Limits limits = short_limits();
  limits.write = 300ms;
  limits.least_bytes_per_second = 1 << 30;
  constexpr std::size_t kLarge = 32 << 20;
  const auto body = std::make_shared<const std::string>(kLarge, 'x');
  const Running server(limits,
                       [body](const Request&) { return Response{.type = "x/y", .body = body}; });
  Client client(server);
  client.send(get_text("/"));
  std::this_thread::sleep_for(1s);
  EXPECT_LT(client.read().size(), kLarge);
}

TEST(Server, ClosesTheOldestIdleConnectionForANewOne) {
  Limits limits;
  limits.connections = 2;
  limits.idle = 10s;
  const Running server(limits);
  Client oldest(server);
  oldest.send(get_text("/1"));
  oldest.read("GET /1 ");
  // A client has its answer before the server waits again.
  std::this_thread::sleep_for(500ms);
  Client second(server);
  second.send(get_text("/2"));
  second.read("GET /2 ");
  std::this_thread::sleep_for(500ms);
  Client third(server);
  EXPECT_EQ(oldest.read(), "");
  third.send(get_text("/3", "Connection: close\r\n"));
  EXPECT_THAT(third.read(), EndsWith("GET /3 "));
  second.send(get_text("/4", "Connection: close\r\n"));
  EXPECT_THAT(second.read(), EndsWith("GET /4 "));
}

TEST(Server, SendsEventsAndAHeartbeat) {
  auto events = std::make_shared<Events>();
  Limits limits;
  limits.heartbeat = 100ms;
  const Running server(limits, [events](const Request&) {
    Response response;
    response.events = events->subscribe();
    return response;
  });
  Client client(server);
  client.send(get_text("/events"));
  const std::string head = client.read("\r\n\r\n");
  EXPECT_THAT(head, HasSubstr("Content-Type: text/event-stream\r\n"));
  events->publish("changed", "1");
  events->publish("changed", "2");
  EXPECT_EQ(client.read("2\n\n"), event_text("changed", "1") + event_text("changed", "2"));
  EXPECT_THAT(client.read(": here\n\n"), EndsWith(": here\n\n"));
}

TEST(Server, ForgetsAReaderOfEventsThatIsGone) {
  auto events = std::make_shared<Events>();
  const Running server({}, [events](const Request&) {
    Response response;
    response.events = events->subscribe();
    return response;
  });
  {
    Client client(server);
    client.send(get_text("/events"));
    client.read("\r\n\r\n");
    EXPECT_EQ(events->readers(), 1U);
  }
  for (int i = 0; i < 100 && events->readers() > 0; ++i) std::this_thread::sleep_for(20ms);
  EXPECT_EQ(events->readers(), 0U);
}

TEST(Server, StopsAtOnceWhereNothingIsUnderWay) {
  auto events = std::make_shared<Events>();
  Running server({}, [events](const Request&) {
    Response response;
    response.events = events->subscribe();
    return response;
  });
  Client idle(server), reader(server);
  reader.send(get_text("/events"));
  reader.read("\r\n\r\n");
  const auto begin = std::chrono::steady_clock::now();
  server.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 2s);
  EXPECT_EQ(idle.read(), "");
  EXPECT_EQ(reader.read(), "");
}

TEST(Server, FinishesWhatIsUnderWayWhenItStops) {
  std::atomic<bool> is_asked = false;
  Running server({}, [&](const Request& request) {
    is_asked = true;
    std::this_thread::sleep_for(300ms);
    return Running::echo(request);
  });
  Client client(server);
  client.send(get_text("/slow"));
  while (!is_asked) std::this_thread::sleep_for(1ms);
  server.stop_soon();
  const std::string text = client.read();
  EXPECT_THAT(text, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(text, EndsWith("GET /slow "));
}

TEST(Server, SpeaksTlsToSeveralAtOnce) {
  namespace ssl = boost::asio::ssl;
  const Certificate certificate = make_certificate({}, std::chrono::system_clock::now());
  Server server({.admit = [](Request&, const Peer&) -> std::optional<Response> { return {}; },
                 .endpoint = {.plan_body = [](const Request&) { return BodyPlan(); },
                              .answer = Running::echo},
                 .log = [](std::string_view) {}},
                {}, {.ports = {0}, .certificate = certificate});
  std::thread running([&] { server.run(); });
  std::atomic<int> answered = 0;
  const auto ask = [&] {
    for (int i = 0; i < 10; ++i) {
      boost::asio::io_context io;
      ssl::context context(ssl::context::tls_client);
      context.set_verify_mode(ssl::verify_peer);
      context.add_certificate_authority(boost::asio::buffer(certificate.certificate));
      ssl::stream<tcp::socket> stream(io, context);
      stream.next_layer().connect({boost::asio::ip::address_v4::loopback(), server.port()});
      stream.handshake(ssl::stream_base::client);
      boost::asio::write(stream, boost::asio::buffer(get_text("/a", "Connection: close\r\n")));
      std::string text;
      boost::system::error_code error;
      boost::asio::read(stream, boost::asio::dynamic_buffer(text), error);
      if (text.ends_with("GET /a ") && error == boost::asio::error::eof) ++answered;
    }
  };
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) clients.emplace_back(ask);
  for (std::thread& each : clients) each.join();
  server.stop();
  running.join();
  EXPECT_EQ(answered, 40) << "each answer ends with a word of TLS, not of TCP alone";
}

TEST(Server, StopsOnASignal) {
  Server server({.log = [](std::string_view) {}}, {}, {.ports = {0}});
  server.stop_on({SIGUSR1});
  std::thread running([&] { server.run(); });
  std::raise(SIGUSR1);
  running.join();
}

TEST(Server, WaitsForSlowClientsNoLongerThanAllowedWhenItStops) {
  Limits limits;
  limits.stop = 300ms;
  Running server(limits);
  Client client(server);
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
  std::this_thread::sleep_for(50ms);
  const auto begin = std::chrono::steady_clock::now();
  server.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s);
}

TEST(Server, SaysThatAPortIsTaken) {
  const Running server;
  try {
    const Server second({}, {}, {.ports = {server.port()}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                StartsWith(fmt::format("Port {} is already in use; ", server.port())));
    EXPECT_EQ(error.code(), Errc::failed);
  }
  const Server third({}, {}, {.ports = {server.port(), 0}});
  EXPECT_NE(third.port(), server.port());
}

TEST(Server, SaysThatAnAddressIsNotOurs) {
  EXPECT_THROW(Server({}, {}, {.address = "8.8.8.8", .ports = {0}}), Error);
  EXPECT_THROW(Server({}, {}, {.address = "localhorst", .ports = {0}}), Error);
}

}  // namespace
}  // namespace quantlens::server
