# SPDX-License-Identifier: Apache-2.0
"""TensorBoard itself, on a loopback address, for the scripts that ask it."""

import contextlib
import http.client
import subprocess
import sys
import time


@contextlib.contextmanager
def server(arguments, folder):
    """Its port, once it answers."""
    command = [sys.executable, "-m", "tensorboard.main", "--host", "127.0.0.1", "--port", "0", "--load_fast", "false",
               *arguments]
    with open(folder / "tensorboard.log", "w+", encoding="utf-8") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
        try:
            end = time.monotonic() + 120
            while time.monotonic() < end and process.poll() is None:
                text = (folder / "tensorboard.log").read_text()
                if "http://127.0.0.1:" in text:
                    yield int(text.split("http://127.0.0.1:")[1].split("/")[0])
                    return
                time.sleep(0.1)
            raise AssertionError((folder / "tensorboard.log").read_text())
        finally:
            process.terminate()
            process.wait(30)


def answer(port, path, method="GET", body=None, is_whole=lambda _: True):
    """The text, once it is whole: the server reads its files in the background."""
    for _ in range(300):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        if response.status == 200 and text not in ("{}", "[]") and is_whole(text):
            return text
        time.sleep(0.1)
    raise AssertionError(f"{path}: {response.status} {text[:300]}")
