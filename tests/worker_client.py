# SPDX-License-Identifier: Apache-2.0
"""An independent client of the worker pipe, as docs/workers.md gives it."""

import fcntl
import json
import mmap
import os
import socket
import struct
import subprocess
import zlib

import harness

harness.need("numpy")
import numpy as np  # noqa: E402

HELLO, OPEN, OPENED, STEP, STEPPED, TAKE, TAKEN, ERROR, CLOSE = range(1, 10)
(STATUS, STATUS_TOLD, READ, READ_DONE, APPLY, APPLIED, OPEN_TIMED, OPENED_TIMED, ADD, ADDED, TIME, TIMED, ASK_OUTPUTS, OUTPUTS,
 CLOSE_TIMED, CLOSED_TIMED) = range(12, 28)
VERSION = 5
IN_MEMORY, NEW_MEMORY = 1, 2


class Client:
    def __init__(self, runtime="onnxruntime"):
        self.socket, theirs = socket.socketpair()
        self.process = subprocess.Popen([harness.program(), "worker", runtime], stdin=theirs, stderr=subprocess.PIPE)
        theirs.close()
        self.sequence = 0
        self.memory = None

    def send(self, kind, text=None, body=b"", flags=0, files=(), version=VERSION):
        self.sequence += 1
        encoded = b"" if text is None else json.dumps(text).encode()
        head = b"QLWP" + struct.pack("<HHIIQBBH", version, kind, self.sequence, len(encoded), len(body), flags, len(files), 0)
        inline = b"" if flags & IN_MEMORY else body
        frame = head + struct.pack("<I", zlib.crc32(head + encoded + inline)) + encoded + inline
        socket.send_fds(self.socket, [frame[:1]], list(files))
        self.socket.sendall(frame[1:])

    def receive(self):
        head, files = b"", []
        while len(head) < 32:
            part, got, _, _ = socket.recv_fds(self.socket, 32 - len(head), 4)
            assert part, "the worker is gone"
            head, files = head + part, files + list(got)
        magic, version, kind, sequence, text_bytes, body_bytes, flags, count, zero, crc = struct.unpack(
            "<4sHHIIQBBHI", head)
        assert (magic, version, zero, count) == (b"QLWP", VERSION, 0, len(files)) and sequence == self.sequence
        length = text_bytes + (0 if flags & IN_MEMORY else body_bytes)
        rest = b""
        while len(rest) < length:
            rest += self.socket.recv(length - len(rest))
        assert zlib.crc32(head[:28] + rest) == crc
        if flags & NEW_MEMORY:
            self.memory = mmap.mmap(files[0], 0, prot=mmap.PROT_READ)
            os.close(files.pop(0))
        self.sealed = []
        for file in files:
            seals = fcntl.fcntl(file, 1034)  # F_GET_SEALS
            assert seals & 2 and seals & 8, "sealed against shrinking and writing"
            self.sealed.append(mmap.mmap(file, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)[:])
            os.close(file)
        body = self.memory[:body_bytes] if flags & IN_MEMORY else rest[text_bytes:]
        return kind, json.loads(rest[:text_bytes]) if text_bytes else None, body

    def ask(self, *arguments, **options):
        self.send(*arguments, **options)
        return self.receive()


def tensor(text, body):
    piece = body[text["offset"]:text["offset"] + text["bytes"]]
    return np.frombuffer(piece, text["dtype"]).reshape(text["shape"])


def shared(content):
    """A sealed file of these bytes."""
    file = os.memfd_create("client", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    os.write(file, content)
    fcntl.fcntl(file, 1033, 2)  # F_ADD_SEALS, F_SEAL_SHRINK
    return file
