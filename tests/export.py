# SPDX-License-Identifier: Apache-2.0
"""Stored runs for other programs: CSV, Model Explorer, Netron, Perfetto. Model Explorer and Netron themselves are tried
where this Python has model_explorer_onnx and netron."""

import csv
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys

import harness

harness.need("numpy", "onnx", "onnxruntime")
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402

MODEL = harness.DEMO / "digits.onnx"
DATA = harness.DEMO / "digits.npz"
PEERS = sys.executable if all(map(importlib.util.find_spec, ("model_explorer_onnx", "netron"))) else None

NODE_IDS = """
import json, sys, types
apis = types.ModuleType("model_explorer.apis")  # its web server, which needs a lot and is not asked
for name in ("config", "visualize", "visualize_from_config", "visualize_pytorch"):
    setattr(apis, name, None)
sys.modules["model_explorer.apis"] = apis
from model_explorer import node_data_builder as ndb
from model_explorer_onnx.main import ONNXAdapter
graph = ONNXAdapter().convert(sys.argv[1], {})["graphs"][0]
ids = {node.id for node in graph.nodes}
for path in sys.argv[2:]:
    data = json.load(open(path))
    results = {key: ndb.NodeDataResult(**value) for key, value in data.pop("results").items()}
    data = ndb.GraphNodeData(results=results, **data)
    assert json.loads(data.to_json_string())["results"], path
    missing = set(results) - ids
    assert not missing, f"{path}: {sorted(missing)[:3]} are no nodes of {sorted(ids)[:5]}"
    print(len(results))
"""

NETRON = """
import { readFileSync } from 'node:fs';
const [,, folder, path] = process.argv;
const { onnx } = await import(`${folder}/onnx-proto.js`);
const protobuf = await import(`${folder}/protobuf.js`);
const model = onnx.ModelProto.decode(protobuf.BinaryReader.open(new Uint8Array(readFileSync(path))));
const props = (list) => Object.fromEntries(list.map((one) => [one.key, one.value]));
console.log(JSON.stringify({ model: props(model.metadata_props), nodes: model.graph.node.map((node) => props(node.metadata_props)) }));
"""


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def tables(sandbox, identity):
    sandbox.run("export", "last", "--as", "csv", "-o", "tables/")
    folder = sandbox.path / "tables"
    names = sorted(path.name for path in folder.iterdir())
    for name in ("activations.csv", "weights.csv", "plan.csv", "findings.csv", "accuracy.csv", "histograms.csv"):
        harness.check(name in names, f"{name} is written")
    for name in names:
        lines = rows(folder / name)
        harness.check(len(lines) > 1 and {len(line) for line in lines} == {len(lines[0])}, f"{name}: {len(lines) - 1} rows")
    ops = len(sandbox.record(identity, "graph.json")["ops"])
    harness.check(len(rows(folder / "plan.csv")) - 1 == ops, f"the plan has all {ops} ops")
    counted = [line for line in rows(folder / "histograms.csv")[1:] if line[0] == "image" and line[2] == "reference"]
    data = np.load(DATA)
    images = data["image" if "image" in data else data.files[0]].size
    harness.check(sum(int(line[5]) for line in counted) == images, f"a histogram counts all {images} elements")
    refused = sandbox.run("export", "last", "--as", "csv", "-o", "tables", code=2)
    harness.check("is there already" in refused.stderr, "a folder that is there is left alone")
    sandbox.run("export", "last", "--as", "csv", "--no-histograms", "-o", "small")
    names = {path.name for path in (sandbox.path / "tables").iterdir()} - {path.name for path in (sandbox.path / "small").iterdir()}
    harness.check(names == {"histograms.csv"}, "--no-histograms leaves them out")


def several(sandbox):
    """Of exports into one folder one is there whole, and what killed ones left goes."""
    at_once = [subprocess.Popen([harness.program(), "export", "last", "--as", "csv", "-o", "same"], cwd=sandbox.path, env=sandbox.environment,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    told = [(one.communicate()[1], one.returncode) for one in at_once]
    harness.check(sorted(code for _, code in told) == [0, 2, 2, 2], f"one of four makes it: {told}")
    harness.check(all("same: is there already" in error for error, code in told if code), "and the others say why")
    ended = subprocess.Popen(["true"])
    ended.wait()
    killed, living = (sandbox.path / f"next.quantlens.part{pid}" for pid in (ended.pid, os.getpid()))
    theirs = sandbox.path / f"next.part{ended.pid}"
    for folder in (killed, living, theirs):
        folder.mkdir()
        (folder / "plan.csv").write_text("")
    sandbox.run("export", "last", "--as", "csv", "-o", "next")
    harness.check(not killed.exists() and living.exists() and theirs.exists(), "what a killed export left is gone")


def without_histograms(sandbox, identity):
    record = sandbox.workload(identity) / "histograms.bin"
    kept = record.read_bytes()
    record.unlink()
    told = sandbox.run("export", identity, "--as", "csv", "-o", "uncounted")
    harness.check("histograms.bin: is not there" in told.stderr, "histograms that are missing are told")
    record.write_bytes(kept)


def outputs(path):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    data = np.load(DATA)
    key = session.get_inputs()[0].name
    return session.run(None, {key: data[key if key in data else data.files[0]][:8].astype(np.float32)})


def without_notes(path):
    model = onnx.load(path)
    for node in model.graph.node:
        kept = [one for one in node.metadata_props if not one.key.startswith("quantlens.")]
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
    kept = [one for one in model.metadata_props if one.key not in ("quantlens.verdict", "quantlens.run")]
    del model.metadata_props[:]
    model.metadata_props.extend(kept)
    return model.SerializeToString(deterministic=True)


def netron(sandbox, models):
    for role, path in models.items():
        copy = sandbox.path / f"{role}.netron.onnx"
        sandbox.run("export", "last", "--as", "netron", "--model", role, "-o", copy)
        onnx.checker.check_model(str(copy), full_check=True)
        harness.check(without_notes(copy) == without_notes(path), f"{role}: without its notes the copy is the same model")
        same = all(np.array_equal(a, b) for a, b in zip(outputs(path), outputs(copy)))
        harness.check(same, f"{role}: the copy computes the same bits")
        noted = [node for node in onnx.load(copy).graph.node if node.metadata_props]
        keys = {one.key for node in noted for one in node.metadata_props}
        harness.check({"quantlens.sqnr_db", "quantlens.precision"} <= keys, f"{role}: {len(noted)} nodes show {sorted(keys)}")
    changed = sandbox.path / "int8.onnx"
    changed.write_bytes(changed.read_bytes() + b"\x72\x00")
    refused = sandbox.run("export", "last", "--as", "netron", "-o", "no.onnx", code=1)
    harness.check("no longer the file" in refused.stderr, "a model that changed is refused")
    changed.unlink()
    sandbox.run("export", "last", "--as", "netron", "-o", "no.onnx", code=1)
    harness.check(not (sandbox.path / "no.onnx").exists(), "and nothing is written where it is gone")


def peers(sandbox, models):
    for role, path in models.items():
        files = sorted((sandbox.path / "node_data").glob(f"{role}_*.json"))
        told = subprocess.run([PEERS, "-c", NODE_IDS, path, *files], capture_output=True, text=True)
        harness.check(told.returncode == 0, f"Model Explorer has every node of {role}: {told.stdout.split()}{told.stderr[-800:]}")
    if not shutil.which("node"):
        print("NOT TRIED: Netron's own reader, since there is no node")
        return
    found = subprocess.run([PEERS, "-c", "import netron; print(netron.__path__[0])"], capture_output=True, text=True, check=True)
    # Its modules are ES modules, which its package does not say.
    folder = sandbox.path / "netron_js"
    shutil.copytree(found.stdout.strip(), folder)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "read.mjs").write_text(NETRON)
    for role in models:
        done = subprocess.run(["node", folder / "read.mjs", folder, sandbox.path / f"{role}.netron.onnx"], capture_output=True,
                              text=True)
        harness.check(done.returncode == 0, f"Netron reads the copy of {role} {done.stderr[-500:]}")
        read = json.loads(done.stdout)
        shown = sum("quantlens.sqnr_db" in node for node in read["nodes"])
        harness.check(shown > 3 and "dB" in read["model"]["quantlens.verdict"], f"{role}: the verdict, and SQNR at {shown} nodes")


def strange_names(sandbox):
    """Nodes without names, and with names that formats must escape."""
    model = onnx.load(MODEL)
    for number, node in enumerate(model.graph.node):
        node.name = ("", f'a|b`<c>*,"=\n{number}', f"ключ/:x{number}")[number % 3]
    path = sandbox.path / "strange.onnx"
    onnx.save(model, path)
    sandbox.run("quantize", path, "-o", sandbox.path / "strange8.onnx", "--data", DATA, "--diagnose")
    sandbox.run("export", "last", "--as", "csv", "-o", "strange_tables")
    for file in (sandbox.path / "strange_tables").iterdir():
        harness.check(len({len(line) for line in rows(file)}) == 1, f"{file.name} holds together with strange names")
    sandbox.run("export", "last", "--as", "model-explorer", "-o", "strange_data")
    return path, sorted((sandbox.path / "strange_data").glob("reference_*.json"))


def traces(sandbox):
    refused = sandbox.run("export", "last", "--as", "perfetto", "-o", "no.json", code=1)
    harness.check("no trace" in refused.stderr, "a run without a profile has no trace")
    sandbox.run("profile", MODEL, "--data", DATA)
    sandbox.run("export", "last", "--as", "perfetto", "-o", "trace.json")
    harness.check(json.loads((sandbox.path / "trace.json").read_text()), "a profile's trace is copied out")
    sandbox.run("export", "last", "--as", "csv", "-o", "times")
    harness.check((sandbox.path / "times" / "profile_nodes.csv").exists(), "and its times are tables")


def main():
    sandbox = harness.Sandbox()
    int8 = sandbox.path / "int8.onnx"
    done = sandbox.run("quantize", MODEL, "-o", int8, "--data", DATA, "--metric", "top1", "--diagnose")
    models = {"reference": pathlib.Path(MODEL), "quantized": sandbox.path / "kept.onnx"}
    tables(sandbox, harness.identity_of(done))
    several(sandbox)
    without_histograms(sandbox, harness.identity_of(done))
    sandbox.run("export", "last", "--as", "model-explorer", "-o", "node_data")
    harness.check((sandbox.path / "node_data" / "reference_sqnr_db.json").exists(), "node data are written")
    shutil.copy(int8, models["quantized"])
    netron(sandbox, models)
    strange, data = strange_names(sandbox)
    if PEERS:
        peers(sandbox, models)
        told = subprocess.run([PEERS, "-c", NODE_IDS, strange, *data], capture_output=True, text=True)
        harness.check(told.returncode == 0, f"and every node of strange names {told.stderr[-800:]}")
    else:
        print("NOT TRIED: Model Explorer and Netron; tools/setup --tests installs a Python that has them")
    traces(sandbox)


main()
