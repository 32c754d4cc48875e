# SPDX-License-Identifier: Apache-2.0
"""How well a profile's figure of an op tells what the model is faster without it.

usage: removed_ops.py QUANTLENS [MODEL ...]     (mobilenet_v1_0.75, kwt1)

Of each model ten ops are taken out one by one: those that take longest, three of a type before more of it, of all whose
result has the type and shape of an input, which then takes its place. What the whole model gains is measured by `quantlens
benchmark`, both models in turn over many loadings; it is compared with the profile's mean time of the node that computes
the op. Prints each; the last line is the median relative error.
"""

import os
import pathlib
import statistics
import sys

import onnx

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))
import harness  # noqa: E402

MODELS = {"mobilenet_v1_0.75": ("mobilenet_v1_0.75_224.onnx", 12), "kwt1": ("kwt1.onnx", 60)}
OPS, OF_A_TYPE = 10, 3


def without(model, names):
    """The model without these nodes, and None where no input of theirs can stand for their result."""
    nodes = [node for node in model.graph.node if (node.name or node.output[0]) in names]
    made = {output for node in nodes for output in node.output}
    last = [o for node in nodes for o in node.output if not any(o in n.input for n in nodes)]
    weights = {w.name for w in model.graph.initializer}
    entries = [i for node in nodes for i in node.input if i and i not in made and i not in weights]
    return nodes, last, list(dict.fromkeys(entries))


def removed(path, row, out):
    if len(row["outputs"]) != 1 or row["outputs"][0] not in row["inputs"]:
        return False
    model = onnx.load(path)
    nodes, last, entries = without(model, {op["name"] for op in row["ops"]})
    if len(last) != 1 or not entries or last[0] in {o.name for o in model.graph.output}:
        return False
    for node in nodes:
        model.graph.node.remove(node)
    for node in model.graph.node:
        for i, name in enumerate(node.input):
            if name == last[0]:
                node.input[i] = entries[0]
    try:
        onnx.checker.check_model(model)
        onnx.shape_inference.infer_shapes(model, strict_mode=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError):
        return False
    onnx.save(model, out)
    return True


def chosen(profile):
    """Ops by their time, but OF_A_TYPE of each type before the rest."""
    first, rest, counts = [], [], {}
    for row in profile["nodes"]:
        if row["role"] != "op" or not row["ops"]:
            continue
        counts[row["type"]] = counts.get(row["type"], 0) + 1
        (first if counts[row["type"]] <= OF_A_TYPE else rest).append(row)
    return first + rest


def judge(sandbox, name):
    file, rounds = MODELS[name]
    path = harness.TESTDATA / "models" / file
    profile = sandbox.json("profile", path, "--threads", "1")
    errors = []
    for row in chosen(profile):
        out = sandbox.path / "without.onnx"
        if len(errors) == OPS:
            break
        if not removed(path, row, out):
            continue
        timed = sandbox.json("benchmark", path, out, "--threads", "1", "--rounds", rounds, "--iterations", 100)
        ratio = timed["ratios"][0]
        wall = timed["results"][0]["wall"]["median_us"]
        measured = wall * (1 - ratio["ratio"])
        reach = wall * (ratio["interval"][1] - ratio["interval"][0]) / 2
        errors.append(abs(row["mean_us"] - measured) / measured)
        print(f"{name} {row['type']:28} {row['ops'][0]['name']:28} profile {row['mean_us']:8.2f} us, "
              f"measured {measured:8.2f} +-{reach:.2f}, error {100 * errors[-1]:5.1f} %", flush=True)
    print(f"{name}: {len(errors)} ops, median error {100 * statistics.median(errors):.1f} %", flush=True)


def main():
    harness.need_testdata()
    os.environ["QUANTLENS_PROGRAM"] = sys.argv[1]
    for name in sys.argv[2:] or MODELS:
        judge(harness.Sandbox(), name)


if __name__ == "__main__":
    main()
