// SPDX-License-Identifier: Apache-2.0
#include "quantlens/frontend/pieces.h"

#include <iterator>

#include <protozero/varint.hpp>

#include "quantlens/frontend/protobuf.h"

namespace quantlens::protobuf {
namespace {

void add_varint(std::string& out, std::uint64_t value) {
  protozero::write_varint(std::back_inserter(out), value);
}

}  // namespace

void Pieces::view(std::string_view bytes) {
  if (bytes.empty()) return;
  size_ += bytes.size();
  if (!pieces_.empty()) {
    auto* const last = std::get_if<std::string_view>(&pieces_.back());
    if (last != nullptr && last->data() + last->size() == bytes.data()) {
      *last = {last->data(), last->size() + bytes.size()};
      return;
    }
  }
  pieces_.emplace_back(bytes);
}

void Pieces::text(std::string_view bytes) {
  if (bytes.empty()) return;
  size_ += bytes.size();
  auto* const last = pieces_.empty() ? nullptr : std::get_if<std::string>(&pieces_.back());
  if (last != nullptr) {
    last->append(bytes);
  } else {
    pieces_.emplace_back(std::string(bytes));
  }
}

void Pieces::later(std::uint64_t size, std::function<void(const Sink&)> make) {
  size_ += size;
  pieces_.emplace_back(Later{size, std::move(make)});
}

void Pieces::append(Pieces other) {
  for (auto& piece : other.pieces_) {
    if (const auto* bytes = std::get_if<std::string_view>(&piece)) {
      view(*bytes);
    } else if (const auto* owned = std::get_if<std::string>(&piece)) {
      text(*owned);
    } else {
      size_ += std::get<Later>(piece).size;
      pieces_.push_back(std::move(piece));
    }
  }
}

void Pieces::field(std::uint32_t number, Pieces contents) {
  std::string head;
  add_varint(head, bytes_key(number));
  add_varint(head, contents.size());
  text(head);
  append(std::move(contents));
}

void Pieces::field(std::uint32_t number, std::string_view contents) {
  Pieces copy;
  copy.text(contents);
  field(number, std::move(copy));
}

void Pieces::varint_field(std::uint32_t number, std::uint64_t value) {
  std::string bytes;
  add_varint(bytes, varint_key(number));
  add_varint(bytes, value);
  text(bytes);
}

bool Pieces::is_view_of(std::string_view bytes) const {
  if (pieces_.empty()) return bytes.empty();
  const auto* const only = std::get_if<std::string_view>(&pieces_.front());
  return pieces_.size() == 1 && only != nullptr && only->data() == bytes.data() &&
         only->size() == bytes.size();
}

void Pieces::emit(const Sink& sink) const {
  for (const auto& piece : pieces_) {
    if (const auto* bytes = std::get_if<std::string_view>(&piece)) {
      sink(as_bytes(*bytes));
    } else if (const auto* owned = std::get_if<std::string>(&piece)) {
      sink(as_bytes(*owned));
    } else {
      std::get<Later>(piece).make(sink);
    }
  }
}

std::string Pieces::str() const {
  std::string out;
  out.reserve(static_cast<std::size_t>(size_));
  emit([&](Bytes bytes) { out.append(as_text(bytes)); });
  return out;
}

}  // namespace quantlens::protobuf
