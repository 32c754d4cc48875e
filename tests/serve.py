# SPDX-License-Identifier: Apache-2.0
"""`serve` from outside: start, token and cookie, limits, and what attacks come to. Listens on 127.0.0.1 alone."""

import contextlib
import json
import os
import pathlib
import random
import re
import resource
import signal
import socket
import ssl
import stat
import threading
import time
import urllib.parse
import warnings

import harness
from serving import Server, open_context

IDLE = 1000


def status_of(answer):
    found = re.match(rb"HTTP/1\.1 (\d+)", answer)
    return int(found.group(1)) if found else None


def request(lines="", path="/", method="GET", body=b""):
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{lines}\r\n".encode() + body


def start_and_files(sandbox):
    with Server(sandbox) as server:
        server.ask()
        ready = time.monotonic() - server.began
        harness.check(ready < 2, f"the first answer comes {ready * 1000:.0f} ms after the start")
        harness.check(server.lines[0] == "Neural Insights Server started.", "the predecessors' first line")
        harness.check(re.fullmatch(rf"https://127\.0\.0\.1:{server.port}/\?token=[0-9a-f]{{32}}", server.url), "and second")
        workspace = sandbox.path / "workspace"
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in workspace.iterdir() if path.is_file()}
        harness.check(modes == {"token": 0o600, "certificate.pem": 0o600}, f"token and certificate are the owner's: {modes}")
        harness.check((workspace / "token").read_text() == server.token, "the token is where clients look for it")
        first = ssl.get_server_certificate(("127.0.0.1", server.port))
        trusting = ssl.create_default_context(cafile=workspace / "certificate.pem")
        for name in ("localhost", "127.0.0.1", "::1"):
            with socket.create_connection(("127.0.0.1", server.port)) as plain, trusting.wrap_socket(
                    plain, server_hostname=name) as safe:
                harness.check(safe.version() == "TLSv1.3", f"the certificate is good for {name}")
        harness.check(server.resident_mb() <= 30 or is_slow_build(), f"{server.resident_mb():.1f} MB resident when idle")
        harness.check(server.end(signal.SIGINT) == 0, "Ctrl-C ends it well")
        harness.check(not (workspace / "token").exists(), "and takes its token along")
    with Server(sandbox) as server:
        harness.check(ssl.get_server_certificate(("127.0.0.1", server.port)) == first, "the certificate is kept")
        harness.check(server.end(signal.SIGTERM) == 0, "so does a termination")


def is_slow_build():
    """With sanitizers memory and time say nothing."""
    cache = pathlib.Path(harness.program()).parent.parent / "CMakeCache.txt"
    return cache.exists() and re.search(r"^QUANTLENS_SANITIZE:\w+=.+$", cache.read_text(), re.MULTILINE) is not None


def tokens(sandbox):
    with Server(sandbox, "-v") as server:
        harness.check(server.ask(token=False)[0] == 403, "without the token nothing is told")
        wrong = server.ask(headers={"Authorization": "0" * 32})
        harness.check(wrong[0] == 403 and wrong[2] ==
                      b"Invalid token, please use the URL displayed by the server on startup", "the predecessors' sentence")
        harness.check(server.ask()[0] == 200, "bearer")
        harness.check(server.ask(headers={"Authorization": server.token})[0] == 200, "the bare token")
        harness.check(server.ask(path=f"/api/v1/workloads?token={server.token}", token=False)[0] == 403,
                      "the API takes none from an address")
        status, headers, _ = server.ask(path=f"/?token={server.token}", token=False)
        cookie = headers["Set-Cookie"]
        harness.check((status, headers["Location"]) == (303, "/"), "the token leaves the address")
        harness.check(all(word in cookie for word in ("HttpOnly", "Secure", "SameSite=Strict", "Path=/")), f"cookie: {cookie}")
        status, headers, body = server.ask(headers={"Cookie": cookie.split(";")[0]}, token=False)
        harness.check(status == 200 and json.loads(body)["workloads"] == [], "the cookie opens the API")
        kept = headers["Cache-Control"]
        harness.check(kept in ("no-store", "private, no-cache"), f"no answer of the API is taken unasked: {kept}")
        answers = [server.ask(headers={"Authorization": f"{i:032x}"})[0] for i in range(30)]
        harness.check(set(answers) <= {403, 429} and answers.count(429) >= 15, f"guesses are slowed down: {answers.count(429)} of 30")
        refused = server.ask(path="/?token=guess", token=False)
        harness.check(refused[0] == 429 and int(refused[1]["Retry-After"]) > 0, "with a time to wait")
        harness.check(server.ask()[0] == 200, "who has the token is not locked out")
        server.log.seek(0)
        harness.check(server.token not in server.log.read(), "the log has no token")


def other_hosts(sandbox):
    with Server(sandbox, "--host-name", "build.example.org") as server:
        for host in ("evil.com", f"evil.com:{server.port}", "127.0.0.1.evil.com", "localhost.evil.com", "10.1.2.3"):
            harness.check(server.ask(headers={"Host": host})[0] == 403, f"host {host} is refused")
        for host in ("localhost", "127.0.0.1:9000", "build.example.org"):
            harness.check(server.ask(headers={"Host": host})[0] == 200, f"host {host} is this server")
        own = f"https://127.0.0.1:{server.port}"
        for name, value, status in (("Origin", "https://evil.com", 403), ("Origin", "null", 403), ("Origin", own, 200),
                                    ("Sec-Fetch-Site", "cross-site", 403), ("Sec-Fetch-Site", "same-site", 403),
                                    ("Sec-Fetch-Site", "same-origin", 200)):
            answer = server.ask(headers={name: value})
            harness.check(answer[0] == status, f"{name}: {value}: {answer[0]}")
            harness.check(not any("access-control" in key.lower() for key in answer[1]), "  no CORS header")


def script_of(page):
    """Of the web pages, or of the list where the program was built without them."""
    return "/app.js" if b"app.js" in page else "/list.js"


def assets_and_headers(sandbox):
    with Server(sandbox) as server:
        status, headers, body = server.ask(path="/", token=False)
        harness.check(status == 200 and body.startswith(b"<!doctype html>"), "the page needs no token")
        harness.check("default-src 'self'" in headers["Content-Security-Policy"], "nothing from elsewhere")
        harness.check(b"<script>" not in body, "no inline script")
        packed = server.ask(path=script_of(body), headers={"Accept-Encoding": "gzip"}, token=False)
        harness.check(packed[1]["Content-Encoding"] == "gzip" and packed[1]["Vary"] == "Accept-Encoding", "precompressed")
        again = server.ask(path="/", headers={"If-None-Match": headers["ETag"]}, token=False)
        harness.check(again[0] == 304 and again[2] == b"" and again[1]["ETag"] == headers["ETag"], "what is known is not sent")
        for status, path in ((200, "/"), (404, "/none"), (403, "/api/x"), (400, "/%00")):
            answer = server.ask(path=path, token=False)
            names = ("X-Frame-Options", "X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy",
                     "Cross-Origin-Resource-Policy", "Content-Security-Policy")
            harness.check(answer[0] == status and all(answer[1][name] for name in names), f"{path}: {status}, guarded")
        head = server.raw(request(method="HEAD"))
        harness.check(head.endswith(b"\r\n\r\n") and b"Content-Length: 0" not in head, "HEAD has the length and no body")
        for method in ("TRACE", "CONNECT", "PROPFIND"):
            harness.check(status_of(server.raw(request(method=method))) == 405, f"{method} is not answered")


def live_changes(sandbox):
    """A run that begins is told at once; the second that is promised is generous here, as the machine may be busy."""
    with Server(sandbox) as server, server.connect(timeout=60) as stream:
        stream.sendall(request(f"Authorization: {server.token}\r\n", path="/api/v1/events"))
        text = b""
        while b"\r\n\r\n" not in text:
            text += stream.recv(4096)
        made = sandbox.json("quantize", harness.DEMO / "digits.onnx", "--data", "random", "--limit", "4", "-o",
                            sandbox.path / "live.onnx", "--workspace", sandbox.path / "workspace")
        ended = time.monotonic()
        while b'"state":"success"' not in text and time.monotonic() < ended + 20:
            text += stream.recv(4096)
        took = time.monotonic() - ended
        harness.check(made["workload"].encode() in text and b"event: workloads" in text, "a run is told while it is under way")
        harness.check(took < 5, f"its end is told {took * 1000:.0f} ms after the process has ended")


def cut_short(sandbox):
    """Somebody cuts a record short while it is read, and puts it back: the server goes on, and tells nothing false."""
    told = sandbox.json("quantize", harness.DEMO / "digits.onnx", "--data", harness.DEMO / "digits.npz", "--limit", 50, "--diagnose",
                        "-o", sandbox.path / "cut.onnx")
    path = sandbox.workload(told["workload"]) / "histograms.bin"
    whole = path.read_bytes()
    row = next(one for one in told["diagnosis"]["activations"] if one["quantized"])
    asked = f"/api/v1/workloads/{told['workload']}/histograms/pair?" + urllib.parse.urlencode({"reference": row["value"],
                                                                                             "quantized": row["quantized"]})
    over = threading.Event()

    def cut():
        while not over.is_set():
            os.truncate(path, 512)
            with open(path, "r+b") as file:
                file.write(whole)

    with Server(sandbox) as server:
        status, _, right = server.ask(path=asked)
        harness.check(status == 200, "a histogram is answered")
        thread = threading.Thread(target=cut)
        thread.start()
        answers = [server.ask(path=f"{asked}&bins={100 + at % 50}")[:3:2] for at in range(300)]
        over.set()
        thread.join()
        harness.check(server.process.poll() is None, f"the server goes on ({sum(one != 200 for one, _ in answers)} of 300 were refused)")
        sums = {sum(json.loads(text)["reference"]) for one, text in answers if one == 200}
        harness.check(sums <= {sum(json.loads(right)["reference"])}, "what it answers is whole")
        harness.check(server.ask(path=asked)[::2] == (200, right), "and at the end the same as before")


def names_are_hostile(sandbox):
    name = "<img src=x onerror=alert(1)></script>\"'&"
    made = sandbox.json("quantize", harness.DEMO / "digits.onnx", "--data", "random", "--limit", "4", "-o",
                        sandbox.path / "int8.onnx", "--name", name)
    with Server(sandbox) as server:
        _, headers, body = server.ask()
        first = json.loads(body)["workloads"][0]
        harness.check((first["id"], first["name"]) == (made["workload"], name), "the workload is listed under its name")
        harness.check(headers["Content-Type"] == "application/json" and headers["X-Content-Type-Options"] == "nosniff",
                      "as JSON that no browser takes for a page")
        if script_of(server.ask(path="/", token=False)[2]) == "/list.js":  # gui.py looks at the web pages in a browser
            script = server.ask(path="/list.js", token=False)[2]
            harness.check(b"innerHTML" not in script and b"textContent" in script, "the page puts names in as text")


def malformed(sandbox):
    with Server(sandbox) as server:
        for path in ("/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "/a/../../b", "/%00", "/%",
                     "/api/v1/../../x", "//../x", "/\\..\\x"):
            status = status_of(server.raw(request(path=path)))
            harness.check(status in (400, 404), f"{path}: {status}")
        chunked = "Transfer-Encoding: chunked\r\n"
        for what, data in {
                "two lengths": request("Content-Length: 1\r\nContent-Length: 2\r\n", body=b"xx"),
                "length and chunks": request("Content-Length: 5\r\n" + chunked, body=b"0\r\n\r\n"),
                "chunks and length": request(chunked + "Content-Length: 5\r\n", body=b"0\r\n\r\n"),
                "another coding": request("Transfer-Encoding: gzip, chunked\r\n", body=b"0\r\n\r\n"),
                "a space before the colon": request("Transfer-Encoding : chunked\r\n", body=b"0\r\n\r\n"),
                "a folded line": request("X: a\r\n b\r\n"),
                "a bare carriage return": request("X: a\rY: b\r\n"),
                "a zero byte": request("X: a\0b\r\n"),
                "two hosts": request("Host: evil.com\r\n"),
                "a negative length": request("Content-Length: -1\r\n"),
                "another protocol": b"SSH-2.0-x\r\n\r\n",
        }.items():
            answer = server.raw(data + request(path="/smuggled"))
            harness.check(status_of(answer) == 400 and answer.count(b"HTTP/1.1 ") == 1, f"{what}: 400, once")
        bad = request(chunked + f"Authorization: {server.token}\r\n", path="/api/x", method="POST", body=b"zz\r\nxx\r\n0\r\n\r\n")
        harness.check(status_of(server.raw(bad)) == 400, "a chunk without a size: 400")
        many = b"".join(request(path=f"/none{i}").replace(b"Connection: close\r\n", b"") for i in range(50)) + request()
        answer = server.raw(many)
        harness.check(answer.count(b"HTTP/1.1 404") == 50 and answer.count(b"HTTP/1.1 200") == 1, "50 at once: 50 answers, in order")
        harness.check(answer.rindex(b"HTTP/1.1 404") < answer.index(b"HTTP/1.1 200"), "  the last one last")
        chance = random.Random(7)
        for _ in range(60):
            data = bytearray(many[:chance.randrange(20, 400)])
            for _ in range(chance.randrange(1, 8)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            with server.connect() as connection, contextlib.suppress(OSError):
                connection.sendall(data)
                connection.settimeout(0.02)
                connection.recv(4096)
        for _ in range(30):
            with socket.create_connection(("127.0.0.1", server.port)) as plain, contextlib.suppress(OSError):
                plain.sendall(chance.randbytes(300))
                plain.settimeout(0.02)
                plain.recv(100)
        harness.check(server.ask()[0] == 200, "after 90 malformed ones it answers")


def too_much(sandbox):
    with Server(sandbox) as server:
        harness.check(status_of(server.raw(request("X: " + "x" * 20000 + "\r\n"))) == 431, "a head of 20 kB: 431")
        harness.check(status_of(server.raw(request(path="/" + "x" * 20000))) == 431, "an address of 20 kB: 431")
        harness.check(status_of(server.raw(request("".join(f"a{i}: b\r\n" for i in range(200))))) == 431, "200 fields: 431")
        allowed = f"Authorization: {server.token}\r\n"
        large = b"x" * 2_000_000
        announced = request(allowed + f"Content-Length: {len(large)}\r\n", path="/api/x", method="POST", body=large)
        harness.check(status_of(server.raw(announced)) == 413, "a body of 2 MB: 413, and the client reads it")
        pieces = b"".join(b"10000\r\n" + b"x" * 65536 + b"\r\n" for _ in range(20))
        harness.check(status_of(server.raw(request(allowed + "Transfer-Encoding: chunked\r\n", path="/api/x", method="POST",
                                                   body=pieces))) == 413, "in chunks: 413")
        waiting = request("Expect: 100-continue\r\nContent-Length: 9\r\n", path="/api/x", method="POST")
        harness.check(status_of(server.raw(waiting)) == 403, "who is not let in is not asked for the body")
        waiting = request(allowed + "Expect: 100-continue\r\nContent-Length: 9\r\n", path="/api/x", method="POST")
        with server.connect() as connection:
            connection.sendall(waiting)
            harness.check(connection.recv(100).startswith(b"HTTP/1.1 100 Continue"), "who is let in is")


def slow_clients(sandbox):
    with Server(sandbox) as server:
        begin = time.monotonic()
        dripping = [server.connect() for _ in range(30)]
        for connection in dripping:
            connection.sendall(b"GET / HTTP/1.1\r\nX: ")
        bare = [socket.create_connection(("127.0.0.1", server.port), timeout=90) for _ in range(30)]  # never a handshake
        slowest = 0
        open_ones = list(dripping)
        while open_ones and time.monotonic() - begin < 60:
            for connection in list(open_ones):
                try:
                    connection.sendall(b"x")
                    connection.settimeout(0.001)
                    if connection.recv(10) == b"":
                        open_ones.remove(connection)
                except TimeoutError:
                    pass
                except OSError:
                    open_ones.remove(connection)
            asked = time.monotonic()
            assert server.ask()[0] == 200
            slowest = max(slowest, time.monotonic() - asked)
            time.sleep(0.3)
        took = time.monotonic() - begin
        harness.check(not open_ones and took > 8, f"30 clients that drip are closed after {took:.0f} s")
        harness.check(slowest < 10, f"others are answered meanwhile, within {slowest * 1000:.0f} ms")
        harness.check(all(connection.recv(10) == b"" for connection in bare), "who never begins TLS is closed, too")
        for connection in dripping + bare:
            connection.close()


def read_only(sandbox):
    """A workspace of somebody else, looked at by a user who may not write."""
    folder = sandbox.path / "theirs"
    made = sandbox.json("quantize", harness.DEMO / "digits.onnx", "--data", "random", "--limit", "4", "-o",
                        sandbox.path / "theirs.onnx", "--workspace", folder)
    is_root = os.geteuid() == 0
    for path in (sandbox.path, *sandbox.path.parents, folder, *folder.rglob("*")):
        if path.is_relative_to(sandbox.path):
            path.chmod(0o755 if path.is_dir() else 0o644)
    if not is_root:
        folder.chmod(0o555)
    with Server(sandbox, "--workspace", folder, user=65534 if is_root else None) as server:
        status, _, body = server.ask()
        harness.check(status == 200 and json.loads(body)["workloads"][0]["id"] == made["workload"], "its runs are shown")
        started = server.ask("POST", "/api/v1/jobs", {"Content-Type": "application/json"},
                             json.dumps({"verb": "benchmark", "model": str(harness.DEMO / "digits.onnx")}))
        harness.check(started[0] in (403, 409), f"no job is started: {started[0]} {started[2].decode()}")
        harness.check(server.ask("PUT", f"/api/v1/workloads/{made['workload']}/labels", body="{\"note\": \"x\"}")[0] == 500,
                      "no label is set")
        server.log.seek(0)
        harness.check("cannot be written" in server.log.read(), "and the user is told so")
        harness.check(server.end() == 0, "it ends well")
    folder.chmod(0o755)


def many_idle(sandbox):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(IDLE, (hard if hard != resource.RLIM_INFINITY else 1 << 20) - 100)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)) if hard != resource.RLIM_INFINITY else 4096, hard))
    with Server(sandbox) as server:
        server.ask()
        before = server.resident_mb()
        idle = []
        for _ in range(count):
            connection = server.connect()
            connection.sendall(request(path="/none").replace(b"Connection: close\r\n", b""))
            connection.recv(65536)
            idle.append(connection)
        during = server.resident_mb()
        asked = time.monotonic()
        harness.check(server.ask()[0] == 200, f"answered in {(time.monotonic() - asked) * 1000:.0f} ms beside {count} idle ones")
        for connection in idle:
            connection.close()
        deadline = time.monotonic() + 10
        while server.resident_mb() > before + 8 and time.monotonic() < deadline:
            time.sleep(0.1)
        after = server.resident_mb()
        figures = f"{before:.1f} MB before, {during:.1f} with {count} idle TLS connections, {after:.1f} after"
        harness.check(during <= 120 and after <= before + 12 or is_slow_build(), figures)
        harness.check(server.end() == 0, "and it ends well")


def old_tls(sandbox):
    with Server(sandbox) as server:
        context = open_context()
        context.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # that is the point
            context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        said = ""
        with socket.create_connection(("127.0.0.1", server.port), timeout=15) as plain:
            try:
                context.wrap_socket(plain).close()
            except ssl.SSLError as error:
                said = str(error)
        harness.check("ALERT_PROTOCOL_VERSION" in said.upper().replace(" ", "_"), f"TLS 1.1 is refused by the server: {said}")
        context = open_context()
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        with socket.create_connection(("127.0.0.1", server.port), timeout=15) as plain, context.wrap_socket(plain) as safe:
            harness.check("ECDHE" in safe.cipher()[0] and "GCM" in safe.cipher()[0], f"TLS 1.2 by {safe.cipher()[0]}")


def browser(sandbox):
    folder = sandbox.path / "bin"
    folder.mkdir()
    opened = folder / "xdg-open"
    opened.write_text('#!/bin/sh\nprintf "%s\\n" "$#" "$1" "$(ls -l /proc/$$/fd | grep -c socket)" >"$0.part" && mv "$0.part" "$0.log"\n')
    opened.chmod(0o755)
    usual = sandbox.environment["PATH"]
    sandbox.environment["PATH"] = f"{folder}:{usual}"
    with Server(sandbox, "--open") as server:
        told = folder / "xdg-open.log"
        for _ in range(100):
            if told.exists():
                break
            time.sleep(0.1)
        count, url, sockets = told.read_text().split()
        harness.check(count == "1" and url.startswith(server.url.partition("=")[0]), "the browser is started with the address")
        harness.check(sockets == "0", "  and holds none of our sockets")
        once = url.partition("=")[2]
        harness.check(once != server.token, "its token is another one")
        answers = [server.ask(path=f"/?token={once}", token=False)[0] for _ in range(2)]
        harness.check(answers == [303, 403], "  and is taken once")
    sandbox.environment["PATH"] = str(sandbox.path / "nowhere")
    with Server(sandbox, "--open") as server:
        harness.check(server.ask()[0] == 200, "without xdg-open it serves, too")
        server.log.seek(0)
        harness.check("no browser is started" in server.log.read(), "  and says so")
    sandbox.environment["PATH"] = usual


def options(sandbox):
    with Server(sandbox) as server:
        taken = sandbox.run("serve", "-p", server.port, code=1)
        harness.check(f"Port {server.port} is already in use" in taken.stderr, f"a taken port: {taken.stderr.strip()}")
    with Server(sandbox, port=0) as first, Server(sandbox, port=0) as second:
        harness.check(first.port != second.port and second.ask()[0] == 200, f"without a port, two servers have {first.port}, {second.port}")
    one, two = sandbox.path / "one.pem", sandbox.path / "two.pem"
    for path in (one, two):
        with Server(sandbox, "--workspace", sandbox.path / path.stem):
            path.write_bytes((sandbox.path / path.stem / "certificate.pem").read_bytes())
    with Server(sandbox, "--cert", one, "--key", one) as server:
        shown = ssl.get_server_certificate(("127.0.0.1", server.port))
        harness.check(shown.split("-----")[2].split() == one.read_text().split("-----")[2].split(), "a given certificate is shown")
    for words, code, said in ((("--cert", one, "--key", two), 1, "does not belong to the certificate"),
                              (("--cert", one), 2, "--cert and --key go together"),
                              (("--cert", harness.DEMO / "digits.onnx", "--key", one), 1, "is no certificate in PEM"),
                              (("--cert", "none", "--key", one), 1, "no such file"),
                              (("--address", "8.8.8.8"), 2, "cannot listen"),
                              (("--host-name", "a/b"), 2, "is no name of a host"),
                              (("-U", "a b"), 2, "is no prefix of paths"),
                              (("-p", "0"), 2, "Lowest allowed port number is 1, attempted to use: 0"),
                              (("-p", "65536"), 2, "Highest allowed port number is 65535, attempted to use: 65536")):
        done = sandbox.run("serve", *words, code=code)
        harness.check(said in done.stderr, f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    link = sandbox.path / "neural_insights"
    link.symlink_to(harness.program())
    with Server(sandbox, "-U", "/quant/lens", "-P", "9000", "--workdir-location", sandbox.path / "older", command=[link]) as server:
        harness.check(f":9000/quant/lens/?token={server.token}" in server.url, f"called as neural_insights: {server.url.partition('?')[0]}")
        harness.check((sandbox.path / "older" / "token").read_text() == server.token, "  with its folder")
        harness.check(server.ask(path="/quant/lens/api/v1/workloads")[0] == 200, "  and its prefix")
        script = script_of(server.ask(path="/quant/lens/")[2])
        harness.check(server.ask(path="/quant/lens" + script)[0] == 200 and server.ask(path=script)[0] == 404, "  for all paths")
    with Server(sandbox, "--allow-insecure-connections") as server:
        server.log.seek(0)
        harness.check("Running in insecure mode. Everyone in your network may attempt to access this server." in server.log.read(),
                      "insecure connections are warned of")
        harness.check(server.url.startswith("http://") and server.ask()[0] == 200, "  and spoken")
        harness.check(server.ask(token=False)[0] == 403, "  and need the token")
    help_text = sandbox.run("serve", "--help").stdout
    harness.check("Example:" in help_text, "--help has an example")


def demo_is_in_reach(sandbox):
    """Of a server that was given no folders, wherever it is started."""
    before = os.getcwd()
    os.chdir(sandbox.path)
    with Server(sandbox, "--allow-insecure-connections") as server:
        folders = [entry["path"] for entry in server.json("/api/v1/files")["entries"]]
        harness.check(str(harness.DEMO) in folders, f"jobs may read the demo's folder: {folders}")
    os.chdir(before)


def main():
    sandbox = harness.Sandbox()
    for part in (start_and_files, demo_is_in_reach, tokens, other_hosts, assets_and_headers, malformed, too_much, old_tls, slow_clients,
                 many_idle, read_only, live_changes, cut_short, names_are_hostile, browser, options):
        print(f"-- {part.__name__}")
        part(sandbox)


main()
