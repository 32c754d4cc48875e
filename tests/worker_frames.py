# SPDX-License-Identifier: Apache-2.0
"""The worker pipe as docs/workers.md gives it, spoken by an independent client; figures against ONNX Runtime's own."""

import fcntl
import json
import mmap
import os
import socket
import struct
import subprocess
import zlib

import harness

harness.need("numpy", "onnxruntime")
import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402

HELLO, OPEN, OPENED, STEP, STEPPED, TAKE, TAKEN, ERROR, CLOSE = range(1, 10)
IN_MEMORY, NEW_MEMORY = 1, 2
MODEL = harness.DEMO / "digits.onnx"


class Client:
    def __init__(self, runtime="onnxruntime"):
        self.socket, theirs = socket.socketpair()
        self.process = subprocess.Popen([harness.program(), "worker", runtime], stdin=theirs, stderr=subprocess.PIPE)
        theirs.close()
        self.sequence = 0
        self.memory = None

    def send(self, kind, text=None, body=b"", flags=0, files=()):
        self.sequence += 1
        encoded = b"" if text is None else json.dumps(text).encode()
        head = b"QLWP" + struct.pack("<HHIIQBBH", 2, kind, self.sequence, len(encoded), len(body), flags, len(files), 0)
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
        assert (magic, version, zero, count) == (b"QLWP", 2, 0, len(files)) and sequence == self.sequence
        length = text_bytes + (0 if flags & IN_MEMORY else body_bytes)
        rest = b""
        while len(rest) < length:
            rest += self.socket.recv(length - len(rest))
        assert zlib.crc32(head[:28] + rest) == crc
        if flags & NEW_MEMORY:
            self.memory = mmap.mmap(files[0], 0, prot=mmap.PROT_READ)
            os.close(files[0])
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


def main():
    session = onnxruntime.InferenceSession(str(MODEL), providers=["CPUExecutionProvider"])
    given, wanted = session.get_inputs()[0], session.get_outputs()[0].name
    shape = [extent if isinstance(extent, int) else 1 for extent in given.shape][1:]
    client = Client()
    kind, hello, _ = client.receive()
    harness.check((kind, hello["runtime"]) == (HELLO, "onnxruntime"), f"it says hello: {hello}")

    kind, refused, _ = client.ask(STEP, {"samples": [0], "inputs": []})
    harness.check(kind == ERROR and refused["code"] == "usage", f"a step before open is refused: {refused}")
    model = os.open(MODEL, os.O_RDONLY)
    kind, opened, _ = client.ask(OPEN, {"models": [{"format": "onnx", "path": "any.onnx", "attached": True}],
                                        "taps": {"taps": [{"value": wanted}]}, "options": {"threads": 1}}, files=[model])
    harness.check((kind, opened) == (OPENED, {"not_tapped": [], "in_flight": 1}), f"a model that came as a file is opened: {opened}")

    random = np.random.default_rng(1)
    for first, count, in_memory in ((0, 2, False), (2, 300, True)):
        images = random.random((count, *shape), dtype=np.float32)
        body = images.tobytes()
        text = {"samples": list(range(first, first + count)),
                "inputs": [{"name": given.name, "dtype": "float32", "shape": images.shape, "offset": 0,
                            "bytes": len(body)}]}
        file = [shared(body)] if in_memory else []
        flags = IN_MEMORY | NEW_MEMORY if in_memory else 0
        kind, stepped, out = client.ask(STEP, text, body, flags=flags, files=file)
        harness.check(kind == STEPPED, f"a batch of {count} is run: {stepped if kind == ERROR else kind}")
        outputs = {each["name"]: tensor(each, out) for each in stepped["reference"]}
        expected = session.run(None, {given.name: images})[0]
        harness.check(np.array_equal(outputs[wanted], expected), f"outputs of {count} are those of ONNX Runtime itself")

    kind, _, state = client.ask(TAKE)
    harness.check(kind == TAKEN and wanted.encode() in state, "what was gathered comes as bytes")
    client.send(CLOSE)
    harness.check(client.process.wait(20) == 0, "close ends it with 0")

    client = Client()
    client.receive()
    client.socket.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n")
    code, words = client.process.wait(20), client.process.stderr.read().decode()
    harness.check(code == 1 and "QLWP" in words, f"what is no frame ends it in a sentence: {code} {words!r}")


main()
