# SPDX-License-Identifier: Apache-2.0
"""The program, serving a workspace on 127.0.0.1, for the scripts that ask it."""

import contextlib
import http.client
import json
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import tempfile
import time

import harness


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def open_context():
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


class Server:
    """The program, serving; ended with its block. `port`: 0 gives none to the program."""

    def __init__(self, sandbox, *options, command=None, port=None, user=None):
        port = free_port() if port is None else port
        words = [*(command or [harness.program(), "serve"]), *(["-p", str(port)] if port else []), *map(str, options)]
        self.began = time.monotonic()
        self.log = tempfile.TemporaryFile("w+", dir=sandbox.path)
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=self.log, text=True, env=sandbox.environment,
                                        user=user)
        self.lines = [self.process.stdout.readline().rstrip("\n") for _ in range(2)]
        self.url = self.lines[1].removeprefix("Open address ")
        self.token = self.url.partition("?token=")[2]
        self.is_secure = self.url.startswith("https")
        self.port = port or int(self.url.split(":")[2].split("/")[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(timeout=10)

    def connect(self, timeout=15):
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        return open_context().wrap_socket(plain) if self.is_secure else plain

    def raw(self, data, timeout=15):
        """All that is answered to these bytes until the server closes or is silent."""
        with self.connect(timeout) as connection:
            answer = b""
            with contextlib.suppress(OSError):
                connection.sendall(data)
            with contextlib.suppress(OSError):
                while piece := connection.recv(65536):
                    answer += piece
            return answer

    def ask(self, method="GET", path="/api/v1/workloads", headers=None, body=None, token=True):
        """(status, headers, body); with the token unless it is told otherwise."""
        given = dict(headers or {})
        if token:
            given.setdefault("Authorization", f"Bearer {self.token}")
        if self.is_secure:
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=open_context(), timeout=15)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=15)
        with contextlib.closing(connection):
            connection.request(method, path, body=body, headers=given)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    def resident_mb(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024

    def json(self, path, body=None):
        """What a GET, or a POST of this value, is answered with."""
        status, _, text = self.ask("GET" if body is None else "POST", path, {} if body is None else
                                   {"Content-Type": "application/json"}, None if body is None else json.dumps(body))
        assert status == 200, f"{path}: {status} {text[:200]}"
        return json.loads(text)
