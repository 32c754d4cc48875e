#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Load on `quantlens serve`: clients that keep their connections ask at a steady rate; how long answers take.

    bench/serve_load.py PROGRAM [--clients 32] [--rate 300] [--seconds 20] [--path /api/v1/workloads]
                        [--workspace FOLDER] [--mix] [--idle 0] [--insecure]

--mix asks of the last diagnosed run in the workspace what a browser does: the list, the run, pages, single ops and
histograms, each drawn anew, and now and then the whole table; by the kind, it tells the times of each.

It starts the server on 127.0.0.1 and ends it. Requests begin when they are due, whether others are answered or not, and
a time counts from then: a server that falls behind does not slow its measurement down. The client is Python on the same
cores, so its own time is in the figures.
"""
import argparse
import asyncio
import contextlib
import json
import pathlib
import random
import re
import resource
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

RUN = "/api/v1/workloads/last"
COLUMNS = ("op.name,type,sqnr_db,mse,local_sqnr_db,output_share,cosine,max_abs_error,clip_rate,min,max,"
           "side")
SHARES = {"list": 10, "run": 5, "page": 35, "op": 25, "histogram": 23, "table": 2}  # of --mix, in percent


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--rate", type=float, default=300, help="requests a second of all clients together")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--path", default="/api/v1/workloads")
    parser.add_argument("--workspace", help="of stored runs; else an empty one")
    parser.add_argument("--mix", action="store_true", help="what a browser asks of the last run, instead of one path")
    parser.add_argument("--idle", type=int, default=0, help="connections beside that say nothing")
    parser.add_argument("--insecure", action="store_true", help="without TLS")
    return parser.parse_args()


def context():
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE
    return made


def resident_mb(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text()).group(1)) / 1024


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


async def ask(reader, writer, request):
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(re.search(rb"Content-Length: (\d+)", head).group(1))
    await reader.readexactly(length)
    return int(head.split(b" ", 2)[1]), length


async def client(connection, next_request, due, results):
    """Asks at the times that are due."""
    reader, writer = connection
    for when in due:
        kind, request = next_request()
        await asyncio.sleep(max(0, when - time.perf_counter()))
        status, length = await ask(reader, writer, request)
        results.append((time.perf_counter() - when, status, length, kind))


def stored_values(options, port, token):
    """[(op, value, quantized)] of the last run."""
    url = f"{'http' if options.insecure else 'https'}://localhost:{port}{RUN}/tables/diagnosis.activations"
    asked = urllib.request.Request(f"{url}?columns=op.id,value,quantized&limit=100000",
                                   headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(asked, context=None if options.insecure else context()) as answer:
        columns = json.load(answer)["columns"]
    return list(zip(columns["op.id"], columns["value"], columns["quantized"]))


def mixed_path(kind, values, chance):
    op, value, quantized = chance.choice(values)
    return {"list": "/api/v1/workloads?limit=50", "run": RUN,
            "page": f"{RUN}/tables/diagnosis.activations?limit=50&digits=4&offset={chance.randrange(len(values))}",
            "op": f"{RUN}/ops?" + urllib.parse.urlencode({"op": op}),
            "histogram": f"{RUN}/histograms/pair?" + urllib.parse.urlencode(
                {"reference": value, "quantized": quantized, "bins": 100}),
            "table": f"{RUN}/tables/diagnosis.activations?columns={COLUMNS}&limit=100000&digits=4"}[kind]


def requests_of(options, port, token):
    """A function that gives (kind, bytes) of one request after the other."""
    chance = random.Random(1)
    values = stored_values(options, port, token) if options.mix else []

    def next_request():
        kind = chance.choices(list(SHARES), SHARES.values())[0] if options.mix else options.path
        path = mixed_path(kind, values, chance) if options.mix else options.path
        return kind, (f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
                      f"Accept-Encoding: br, gzip\r\n\r\n").encode()

    return next_request


def figures(times):
    times = sorted(1000 * took for took in times)
    return {**{f"p{p:g}_ms": round(times[min(len(times) - 1, int(len(times) * p / 100))], 2) for p in (50, 90, 99, 99.9)},
            "most_ms": round(times[-1], 2)}


async def load(options, port, next_request):
    tls = None if options.insecure else context()
    connections = [await asyncio.open_connection("127.0.0.1", port, ssl=tls) for _ in range(options.clients + options.idle)]
    begin, results = time.perf_counter() + 0.5, []
    step = options.clients / options.rate
    due = [[begin + i * step + c / options.rate for i in range(int(options.seconds / step))] for c in range(options.clients)]
    await asyncio.gather(*(client(connection, next_request, times, results) for connection, times in zip(connections, due)))
    for _, writer in connections:
        writer.close()
    return results


def main():
    options = parse()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, options.idle + 256)), hard))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        words = [options.program, "serve", "-p", str(port), "--workspace", options.workspace or folder]
        words += ["--allow-insecure-connections"] if options.insecure else []
        server = stack.enter_context(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
        stack.callback(server.terminate)
        server.stdout.readline()
        token = server.stdout.readline().strip().rpartition("=")[2]
        before = resident_mb(server.pid)
        next_request = requests_of(options, port, token)
        results = asyncio.run(load(options, port, next_request))
        after, seconds = resident_mb(server.pid), processor_seconds(server.pid)
        print(json.dumps({"path": "mix" if options.mix else options.path, "clients": options.clients, "rate": options.rate,
                          "answers": len(results), "errors": sum(status != 200 for _, status, _, _ in results),
                          "bytes": sum(length for _, _, length, _ in results) // len(results),
                          **figures([took for took, _, _, _ in results]),
                          "resident_mb_before": round(before, 1), "resident_mb_after": round(after, 1),
                          "server_seconds": seconds}))
        for kind in SHARES if options.mix else ():
            own = [(took, length) for took, _, length, one in results if one == kind]
            print(json.dumps({"kind": kind, "answers": len(own), "bytes": max(length for _, length in own),
                              **figures([took for took, _ in own])}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
