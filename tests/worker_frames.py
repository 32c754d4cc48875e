# SPDX-License-Identifier: Apache-2.0
"""The worker pipe as docs/workers.md gives it, spoken by an independent client; figures against ONNX Runtime's own."""

import os
import struct

import harness

harness.need("numpy", "onnx", "onnxruntime")
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnx.numpy_helper  # noqa: E402
import onnxruntime  # noqa: E402

from worker_client import (  # noqa: E402
    ADD, ADDED, APPLIED, APPLY, ASK_OUTPUTS, CLOSE, CLOSE_TIMED, CLOSED_TIMED, ERROR, HELLO, IN_MEMORY, NEW_MEMORY, OPEN,
    OPEN_TIMED, OPENED, OPENED_TIMED, OUTPUTS, READ, READ_DONE, STATUS, STATUS_TOLD, STEP, STEPPED, TAKE, TAKEN, TIME, TIMED, VERSION, Client,
    shared, tensor,
)

MODEL = harness.DEMO / "digits.onnx"


def weights_of(graph, memory, file):
    """Of the whole graph, by name."""
    whole = graph["graphs"][-1]
    return {each["name"]: tensor(each, place) for listed, place in ((whole["weights"], memory), (whole["weights_in_file"], file))
            for each in listed}


def whole_runtime(session, given, wanted):
    """What a runtime that lives in a worker alone is asked."""
    client = Client()
    client.receive()
    kind, told, _ = client.ask(STATUS, {})
    harness.check(kind == STATUS_TOLD and told["runtime"] == "onnxruntime" and told["protocol"] == VERSION and
                  told["formats"] == ["onnx"] and told["applies"] and told["times"], f"it says what it is: {told}")
    file = {"format": "onnx", "path": "any.onnx", "attached": True}
    content = MODEL.read_bytes()
    reference = onnx.load(MODEL)
    kind, read, _ = client.ask(READ, file, files=[os.open(MODEL, os.O_RDONLY)])
    harness.check(kind == READ_DONE, f"a model is read: {read if kind == ERROR else kind}")
    nodes = read["graph"]["graphs"][-1]["nodes"]
    harness.check([node["fields"]["type"] for node in nodes] == [node.op_type for node in reference.graph.node] and
                  [node["fields"]["outputs"] for node in nodes] == [list(node.output) for node in reference.graph.node],
                  f"with its {len(nodes)} nodes")
    weights = weights_of(read["graph"], client.sealed[0] if client.sealed else b"", content)
    harness.check(weights.keys() == {each.name for each in reference.graph.initializer} and
                  all(np.array_equal(weights[each.name], onnx.numpy_helper.to_array(each))
                      for each in reference.graph.initializer), f"and its {len(weights)} weights")
    harness.check(all(each["bytes"] < 4096 for each in read["graph"]["graphs"][-1]["weights"]),
                  "large ones are where they are in the file")

    codes = {"dtype": "uint8", "symmetric": False, "axis": None, "bits": 8}
    first = reference.graph.node[0]
    plan = {"plan": {"activations": [{"value": given.name, "scheme": codes, "params": {"scale": 0.5, "zero_point": 3},
                                      "all_uses": False, "uses": [{"op": first.output[0], "input": 0}]}]}}
    text = {"model": file, "plan": plan, "metadata": [{"key": "who", "value": "me"}], "path": "q.onnx"}
    kind, applied, _ = client.ask(APPLY, text, files=[os.open(MODEL, os.O_RDONLY)])
    harness.check(kind == APPLIED and [each["suffix"] for each in applied["files"]] == [""], f"a plan is applied: {applied}")
    made = onnx.load_from_string(client.sealed[0][:applied["files"][0]["bytes"]])
    harness.check("QuantizeLinear" in {node.op_type for node in made.graph.node} and
                  ("who", "me") in {(entry.key, entry.value) for entry in made.metadata_props}, "and the file is as planned")

    kind, opened, _ = client.ask(OPEN_TIMED, {"model": file, "options": {"threads": 1, "nodes": True, "in_turn": True}},
                                 files=[os.open(MODEL, os.O_RDONLY)])
    harness.check(kind == OPENED_TIMED, f"a model is opened for its time: {opened if kind == ERROR else kind}")
    number, count = opened["model"], len(opened["graph"]["graphs"][-1]["nodes"])
    image = np.random.default_rng(1).random([1, *[extent for extent in given.shape[1:]]], dtype=np.float32)
    body = image.tobytes()
    inputs = [{"name": given.name, "dtype": "float32", "shape": image.shape, "offset": 0, "bytes": len(body)}]
    kind, added, _ = client.ask(ADD, {"model": number, "samples": [0], "inputs": inputs}, body)
    harness.check((kind, added) == (ADDED, {"model": number, "batch": 0, "graph": None}), f"it takes a batch: {added}")
    for turns in (1, 3):
        kind, timed, body = client.ask(TIME, {"turns": [{"model": number, "batch": 0}] * turns})
        harness.check(kind == TIMED and len(body) == 8 * turns * (1 + count), f"{turns} turns: times of {count} nodes each")
        for turn in range(turns):
            whole, *nodes = struct.unpack_from(f"<{1 + count}Q", body, 8 * turn * (1 + count))
            harness.check(0 < sum(nodes) <= whole, f"{sum(nodes)} of {whole} ns in nodes")
        types = {each["name"]: (each["dtype"], each["shape"]) for told in timed["types"] for each in told["types"]}
        harness.check(types[wanted] == ("float32", [1, 10]) if turns == 1 else not types, "types come with the first times")
    kind, outputs, body = client.ask(ASK_OUTPUTS, {"model": number, "batch": 0})
    harness.check(kind == OUTPUTS and np.array_equal(tensor(outputs["outputs"][0], body), session.run(None, {given.name: image})[0]),
                  "and answers as ONNX Runtime itself")
    for kind, text in ((TIME, {"turns": [{"model": number, "batch": 0}, {"model": number, "batch": 1}]}),
                       (TIME, {"turns": [{"model": 99, "batch": 0}]}), (ADD, {"model": 0}), (TIME, {"turns": [{"model": -1}]}),
                       (TIME, [1]), (ASK_OUTPUTS, {"model": number, "batch": 1}), (READ, file), (READ, {"format": "graphdef", "path": "m"}),
                       (OPEN_TIMED, {"model": {"format": "onnx", "path": "/nowhere"}}), (HELLO, {})):
        kind, refused, _ = client.ask(kind, text)
        harness.check(kind == ERROR and refused["sentence"], f"refused: {refused}")
    kind, _, _ = client.ask(CLOSE_TIMED, {"model": number})
    harness.check(kind == CLOSED_TIMED, "the model is closed")
    kind, refused, _ = client.ask(TIME, {"turns": [{"model": number, "batch": 0}]})
    harness.check(kind == ERROR and refused["code"] == "usage", f"and is gone then: {refused['sentence']}")
    client.send(CLOSE)
    harness.check(client.process.wait(20) == 0, "close ends it with 0")


def other_versions():
    for version in (VERSION - 1, VERSION + 1):
        client = Client()
        client.receive()
        client.send(STATUS, {}, version=version)
        code, words = client.process.wait(20), client.process.stderr.read().decode()
        harness.check(code == 1 and f"version {version} of the protocol" in words and words.count("\n") == 1,
                      f"version {version} is refused: {words!r}")


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
    whole_runtime(session, given, wanted)
    other_versions()


main()
