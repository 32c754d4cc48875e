#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long viewers take to show a network, on the same files in one run: quantlens serve, Netron, Model Explorer.

usage: graph_viewers.py PROGRAM [--sizes 3000,10000] [--rounds 3] [--shape transformer]

PROGRAM is quantlens with its web pages. Netron and Model Explorer run from their packages (netron, ai-edge-model-explorer,
model-explorer-onnx) where this Python has them; who is absent is named. All of them serve on this machine and are opened
in headless Chromium without a GPU (bench/graph_viewers.mjs). Networks are those of large_graphs.py; their names lie in one
scope a block, as exporters write them.
"""

import argparse
import importlib.util
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

import onnx

import large_graphs

HERE = pathlib.Path(__file__).parent
BLOCK = 20  # nodes of a scope


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def write_model(shape, size, folder):
    path, data, nodes = large_graphs.write_model(shape, size, folder, 2)
    model = onnx.load(path)
    for index, node in enumerate(model.graph.node):
        node.name = f"/blocks.{index // BLOCK}{node.name}"
    onnx.save(model, path)
    return path, data, nodes


def store_run(program, model, data, workspace):
    """The graph is stored as soon as the model was read; what the run computes after that is not waited for."""
    command = [program, "quantize", model, "--data", data, "-o", workspace / "int8.onnx", "--workspace", workspace]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not list(workspace.glob("workloads/*/graph.json*")):
        if running.poll() not in (None, 0):
            raise RuntimeError("quantlens quantize failed")
        time.sleep(0.1)
    running.terminate()
    running.wait()


def serve_ours(program, model, data, folder):
    workspace = folder / "workspace"
    workspace.mkdir()
    store_run(program, model, data, workspace)
    port = free_port()
    command = [program, "serve", "--workspace", workspace, "--port", port, "--allow-insecure-connections"]
    server = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in server.stdout:
        if "http://" in line:
            return server, line[line.index("http://"):].split()[0]
    raise RuntimeError("quantlens serve did not start")


def serve_netron(model):
    port = free_port()
    return start([shutil.which("netron", path=pathlib.Path(sys.executable).parent), "--host", "127.0.0.1", "-p", port, model],
                 port, f"http://127.0.0.1:{port}/")


def serve_model_explorer(model):
    port = free_port()
    command = [shutil.which("model-explorer", path=pathlib.Path(sys.executable).parent), "--no_open_in_browser", "--skip_health_check",
               "--host", "127.0.0.1", "--port", port, "--extensions=model_explorer_onnx", model]
    wanted = urllib.parse.quote(f'{{"models": [{{"url": "{model}"}}]}}')
    return start(command, port, f"http://127.0.0.1:{port}/?data={wanted}")


def start(command, port, url):
    server = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return server, url
        time.sleep(0.1)
    server.kill()
    raise RuntimeError(f"{command[0]} did not start")


def measure(name, started, rounds):
    server, url = started
    try:
        subprocess.run(["node", HERE / "graph_viewers.mjs", name, url, str(rounds)], check=True)
    finally:
        server.terminate()
        server.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--sizes", default="3000,10000")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shape", default="transformer", choices=large_graphs.SHAPES)
    given = parser.parse_args()
    for size in map(int, given.sizes.split(",")):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            model, data, nodes = write_model(given.shape, size, folder)
            print(f"{given.shape}, {nodes} nodes", flush=True)
            measure("quantlens", serve_ours(given.program, model, data, folder), given.rounds)
            for package, label, serve in (("netron", "netron", serve_netron), ("model_explorer", "model-explorer", serve_model_explorer)):
                if importlib.util.find_spec(package):
                    measure(label, serve(model), given.rounds)
                else:
                    print(f"{label}: not installed beside this Python, left out")


if __name__ == "__main__":
    main()
