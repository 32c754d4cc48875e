// SPDX-License-Identifier: Apache-2.0
#include "quantlens/runtime/remote/channel.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include "quantlens/base/error.h"

namespace quantlens::remote {
namespace {

constexpr std::uint64_t kChunk = 1U << 20U;  // read at once: a length that lies allocates no more

/// Room for the open files that come with a message.
struct FilesRoom {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostFiles * sizeof(int))> bytes{};
};

[[noreturn]] void throw_system(std::string_view verb, int error) {
  throw Error(Errc::failed, fmt::format("cannot {} the worker: {}; run without --isolate", verb,
                                        std::generic_category().message(error)));
}

bool is_gone(int error) {
  return error == EPIPE || error == ECONNRESET || error == ENOTCONN;
}

/// Sends some of the bytes, with the files if there are any; as ::send.
ssize_t send_some(int socket, std::string_view bytes, const std::vector<FileDescriptor>& files) {
  iovec part{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  FilesRoom room;
  if (!files.empty()) {
    message.msg_control = room.bytes.data();
    message.msg_controllen = CMSG_SPACE(files.size() * sizeof(int));
    cmsghdr* control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
    for (std::size_t i = 0; i < files.size(); ++i) {
      const int fd = files[i].get();
      std::memcpy(CMSG_DATA(control) + i * sizeof(int), &fd, sizeof(int));
    }
  }
  return ::sendmsg(socket, &message, MSG_NOSIGNAL);
}

/// Takes over the files that came; false where some were lost.
bool take_files(msghdr& message, std::vector<FileDescriptor>& files) {
  for (cmsghdr* control = CMSG_FIRSTHDR(&message); control != nullptr;
       control = CMSG_NXTHDR(&message, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(control) + i * sizeof(int), sizeof(int));
      files.emplace_back(fd);
    }
  }
  return (message.msg_flags & MSG_CTRUNC) == 0 && files.size() <= kMostFiles;
}

}  // namespace

Payload memory_with(const Received& received) {
  if (received.files.empty()) return {};
  if (received.files.size() > 1) throw Error(Errc::bad_input, "it brings more files than one");
  return map_sealed(received.files.front());
}

Channel::Channel(FileDescriptor socket, Wait wait)
    : socket_(std::move(socket)), wait_(std::move(wait)) {
  const int flags = ::fcntl(socket_.get(), F_GETFL);
  if (flags < 0 || ::fcntl(socket_.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    throw_system("talk to", errno);
  }
}

Transfer Channel::send(Message message) {
  FrameHeader header{.type = message.type,
                     .sequence = message.sequence,
                     .text_bytes = static_cast<std::uint32_t>(message.text.size()),
                     .body_bytes = message.body.size(),
                     .in_memory = message.body.size() > kMostInFrame};
  if (message.text.size() > kMostText) {
    throw Error(Errc::unsupported,
                "the graph has too many values for a worker; run without "
                "--isolate");
  }
  std::string in_frame;
  if (header.in_memory) {
    header.new_memory = outgoing_.reserve(message.body.size());
    message.body.copy_to(outgoing_.bytes().first(message.body.size()));
    if (header.new_memory) {
      const int copy = ::fcntl(outgoing_.file(), F_DUPFD_CLOEXEC, 0);
      if (copy < 0) throw_system("share memory with", errno);
      message.files.emplace(message.files.begin(), copy);
    }
  } else {
    in_frame.resize(message.body.size());
    message.body.copy_to(std::as_writable_bytes(std::span(in_frame)));
  }
  header.files = static_cast<std::uint8_t>(message.files.size());
  const std::string frame = frame_bytes(header, message.text, in_frame);
  for (std::string_view left = frame; !left.empty();) {
    const ssize_t sent = send_some(socket_.get(), left, message.files);
    if (sent >= 0) {
      left.remove_prefix(static_cast<std::size_t>(sent));
      message.files.clear();  // they went with the first byte
    } else if (is_gone(errno)) {
      return Transfer::ended;
    } else if (errno == EAGAIN) {
      if (!wait_(socket_.get(), POLLOUT)) return Transfer::late;
    } else if (errno != EINTR) {
      throw_system("write to", errno);
    }
  }
  return Transfer::done;
}

Transfer Channel::receive_header(std::string& bytes, std::vector<FileDescriptor>& files) {
  bytes.clear();
  while (bytes.size() < kHeaderBytes) {
    std::array<char, kHeaderBytes> part{};
    iovec room{.iov_base = part.data(), .iov_len = kHeaderBytes - bytes.size()};
    FilesRoom files_room;
    msghdr message{};
    message.msg_iov = &room;
    message.msg_iovlen = 1;
    message.msg_control = files_room.bytes.data();
    message.msg_controllen = files_room.bytes.size();
    const ssize_t count = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
    if (count > 0) {
      bytes.append(part.data(), static_cast<std::size_t>(count));
      if (!take_files(message, files)) throw Error(Errc::bad_input, "too many files come with it");
    } else if (count == 0 || is_gone(errno)) {
      return bytes.empty() ? Transfer::ended : Transfer::cut;
    } else if (errno == EAGAIN) {
      if (!wait_(socket_.get(), POLLIN)) return Transfer::late;
    } else if (errno != EINTR) {
      throw_system("read from", errno);
    }
  }
  return Transfer::done;
}

Transfer Channel::receive_rest(std::string& out, std::uint64_t bytes) {
  while (out.size() < bytes) {
    const std::size_t before = out.size();
    const std::size_t wanted = std::min(bytes - before, kChunk);
    out.resize(before + wanted);
    const ssize_t count = ::recv(socket_.get(), out.data() + before, wanted, 0);
    const int error = count < 0 ? errno : 0;
    out.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count > 0 || error == EINTR) continue;
    if (count == 0 || is_gone(error)) return Transfer::cut;
    if (error != EAGAIN) throw_system("read from", error);
    if (!wait_(socket_.get(), POLLIN)) return Transfer::late;
  }
  return Transfer::done;
}

void Channel::place_body(Received& received, std::string rest) {
  const FrameHeader& header = received.header;
  if (header.new_memory) {
    incoming_ = {};  // the old one goes first
    incoming_ = map_memory(received.files.front());
    received.files.erase(received.files.begin());
  }
  if (header.in_memory) {
    if (header.body_bytes > incoming_.bytes.size()) {
      throw Error(Errc::bad_input, "its body is longer than its shared memory");
    }
    received.body = {.bytes = incoming_.bytes.first(header.body_bytes), .owner = incoming_.owner};
    received.text = std::move(rest);
    return;
  }
  const auto owner = std::make_shared<const std::string>(rest.substr(header.text_bytes));
  received.body = {.bytes = std::as_bytes(std::span(*owner)), .owner = owner};
  rest.resize(header.text_bytes);
  received.text = std::move(rest);
}

Transfer Channel::receive(Received& received) {
  received = {};
  std::string header;
  if (const Transfer got = receive_header(header, received.files); got != Transfer::done)
    return got;
  received.header = header_from_bytes(header);
  if (received.files.size() != received.header.files) {
    throw Error(Errc::bad_input, fmt::format("it announces {} files, and {} come with it",
                                             received.header.files, received.files.size()));
  }
  std::string rest;
  if (const Transfer got = receive_rest(rest, bytes_behind(received.header)); got != Transfer::done)
    return got;
  check_sum(header, rest);
  place_body(received, std::move(rest));
  return Transfer::done;
}

}  // namespace quantlens::remote
