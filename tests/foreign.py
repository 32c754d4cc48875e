# SPDX-License-Identifier: Apache-2.0
"""Files that other tools quantized, and copies of them in which nothing has the name or the place that it had."""

import json
import random

import harness

harness.need("numpy", "onnx", "onnxruntime")
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime as ort  # noqa: E402
from onnx import numpy_helper  # noqa: E402

LEAST_PAIRED = 0.99
SAMPLES = 60  # that are diagnosed; accuracies are of all
COPY_SAMPLES = 3
CARRY_CODES = ("MaxPool", "Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Concat")

# file, reference, data, metric, accuracy in % (reference/peer-figures.md), least correlation of a pair on a sample;
# nothing where the quantizer itself ruined the values, so that only their names can tell
CASES = [("squeezenet1.1_ort_qdq", "squeezenet1.1", "squeezenet", "top1", 60.8, 0.9),
         ("squeezenet1.1_inc_qoperator", "squeezenet1.1", "squeezenet", "top1", 60.8, 0.9),
         ("mobilenet_v1_0.25_ort_qdq_per_tensor", "mobilenet_v1_0.25_224", "imagenet", harness.MOBILENET_METRIC, 0.2,
          None),
         ("mobilenet_v1_0.75_quark_qdq", "mobilenet_v1_0.75_224", "imagenet", harness.MOBILENET_METRIC, 75.6, 0.9),
         ("kwt1_ort_qdq", "kwt1", "speech", "top1", 21.3, None),
         ("kwt1_nncf_qdq", "kwt1", "speech", "top1", 50.0, None)]


def shuffled(nodes, ready, random_source):
    """The nodes in another order in which each comes after what it reads."""
    ready, waiting, order = set(ready) | {""}, list(nodes), []
    while waiting:
        random_source.shuffle(waiting)
        able = [node for node in waiting if all(name in ready for name in node.input)]
        order += able
        ready.update(name for node in able for name in node.output)
        waiting = [node for node in waiting if not any(node is other for other in able)]
    return order


def renamed(model, seed=0):
    """A copy with a new name for every node and tensor, and its nodes in another order; with the map of tensors."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    del copy.metadata_props[:]
    graph, source = copy.graph, random.Random(seed)
    tensors = [value.name for value in graph.input] + [value.name for value in graph.initializer]
    tensors += [name for node in graph.node for name in node.output if name]
    tensors = sorted(set(tensors))
    source.shuffle(tensors)
    names = {name: f"v{number}" for number, name in enumerate(tensors)}
    for number, node in enumerate(graph.node):
        node.name = f"op{number * 7919 % 100003}"
        for field in (node.input, node.output):
            field[:] = [names.get(name, name) for name in field]
    kept = [value for value in graph.value_info if value.name in names]
    for value in [*graph.input, *graph.output, *graph.initializer, *kept]:
        value.name = names[value.name]
    del graph.value_info[:]
    graph.value_info.extend(kept)
    nodes = shuffled(graph.node, [value.name for value in [*graph.input, *graph.initializer]], source)
    initializers = list(graph.initializer)
    source.shuffle(initializers)
    del graph.node[:], graph.initializer[:]
    graph.node.extend(nodes)
    graph.initializer.extend(initializers)
    graph.name, graph.doc_string = "renamed", ""
    return copy, names


def code_tensors(model):
    """Scale and zero point of every tensor of codes that is no constant, by name; nothing where it has none."""
    stored = {i.name: numpy_helper.to_array(i) for i in model.graph.initializer}
    codes = {}
    for node in model.graph.node:
        at = None
        if node.op_type == "QuantizeLinear" and node.input[0] not in stored:
            at = (1, 2)
        elif node.op_type in ("QLinearConv", "QLinearMatMul", "QLinearAdd", "QLinearMul"):
            at = (6, 7)
        elif node.op_type == "QLinearConcat":
            at = (0, 1)
        elif node.op_type in ("QLinearGlobalAveragePool", "QLinearAveragePool", "QLinearSigmoid", "QLinearSoftmax"):
            at = (3, 4)
        if at:
            codes[node.output[0]] = tuple(stored[node.input[i]] for i in at)
        elif node.op_type in CARRY_CODES and node.input[0] in codes:
            codes[node.output[0]] = codes[node.input[0]]
    return codes


def run_all(model, names, feed):
    model = onnx.ModelProto.FromString(model.SerializeToString())
    known = {output.name for output in model.graph.output}
    model.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in sorted(set(names) - known))
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model.SerializeToString(), options)
    wanted = sorted(set(names))
    return dict(zip(wanted, session.run(wanted, {session.get_inputs()[0].name: feed})))


def correlation(x, y):
    x, y = x.astype(np.float64).ravel(), y.astype(np.float64).ravel()
    return 1.0 if x.std() == 0 and y.std() == 0 else float(np.corrcoef(x, y)[0, 1])


def least_correlation(reference, quantized, pairs, feed):
    """The lowest of all pairs on one sample, by the runtime's own tensors."""
    codes = code_tensors(quantized)
    xs = run_all(reference, {pair["reference"] for pair in pairs}, feed)
    ys = run_all(quantized, {pair["quantized"] for pair in pairs}, feed)
    least = (2.0, "")
    for pair in pairs:
        y = ys[pair["quantized"]]
        if pair["quantized"] in codes:
            scale, zero_point = codes[pair["quantized"]]
            y = (y.astype(np.float32) - zero_point) * scale
        harness.check(xs[pair["reference"]].shape == y.shape, f"{pair['reference']}: shapes agree") \
            if xs[pair["reference"]].shape != y.shape else None
        least = min(least, (correlation(xs[pair["reference"]], y), pair["reference"]))
    return least


def check_names(quantized, reference, pairs):
    """QuantizeLinear of a value that kept its name: that value it must be."""
    floats = {name for node in reference.graph.node for name in node.output} | {i.name for i in reference.graph.input}
    source = {node.output[0]: node.input[0] for node in quantized.graph.node if node.op_type == "QuantizeLinear"}
    told = [(pair, source[pair["quantized"]]) for pair in pairs if source.get(pair["quantized"]) in floats]
    wrong = [(name, pair["reference"]) for pair, name in told if pair["reference"] != name]
    harness.check(not wrong, f"{len(told)} values stand under their own name {wrong[:3]}")


def pairing_of(sandbox, reference, quantized, data, *options):
    result = sandbox.json("diagnose", reference, quantized, "--data", data, *options)
    return result, sandbox.record(result["workload"], "pairing.json")


def check_counts(title, model, pairing):
    """Nothing hidden, and nearly all paired."""
    wanted = set(code_tensors(model))
    paired = {pair["quantized"] for pair in pairing["pairs"] if pair["side"] != "float"}
    left = set(pairing["only_quantized"])
    harness.check(paired | left == wanted and not paired & left,
                  f"{title}: all {len(wanted)} int8 activations are listed")
    share = len(paired) / (len(paired) + len(left))
    harness.check(share >= LEAST_PAIRED, f"{title}: {len(paired)} of {len(wanted)} int8 activations paired, "
                                         f"{len(pairing['weights'])} weights, {len(pairing['pairs'])} rows, "
                                         f"{len(pairing['only_reference'])} values only in the reference")


def essence(pairing, names=None):
    """What stands for what, in the names of the copy."""
    def new(name):
        return names[name] if names else name
    return ({(pair["reference"], new(pair["quantized"]), pair["side"]) for pair in pairing["pairs"]},
            {(pair["op"]["id"], pair["reference"], new(pair["quantized"])) for pair in pairing["weights"]},
            set(pairing["only_reference"]), {new(name) for name in pairing["only_quantized"]})


def check_copy(sandbox, name, reference, quantized, data, pairing):
    copy, names = renamed(quantized)
    path = sandbox.path / f"{name}.renamed.onnx"
    onnx.save(copy, path)
    result, of_copy = pairing_of(sandbox, reference, path, data, "--limit", COPY_SAMPLES)
    check_counts(f"{name}, renamed", copy, of_copy)
    inputs = {node.name for node in quantized.graph.input}
    found_by = {pair["found_by"] for pair in of_copy["pairs"]}
    harness.check(found_by == {"structure"} and inputs, f"{name}, renamed: found by {sorted(found_by)}")
    for what, a, b in zip(("pairs", "weights", "only_reference", "only_quantized"), essence(pairing, names),
                          essence(of_copy)):
        harness.check(a == b, f"{name}, renamed: the same {what}: {len(b)} {sorted(a ^ b)[:4]}")
    harness.check(not result["suspects"], f"{name}, renamed: no suspect {result['suspects'][:2]}")


def main():
    sandbox = harness.Sandbox()
    root = harness.need_testdata()
    data = {"imagenet": harness.imagenet(sandbox), "squeezenet": harness.squeezenet_data(sandbox),
            "speech": root / "speech" / "kwt1_400.npz"}
    first = {"imagenet": next(harness.mobilenet_images(1))[0][None],
             "speech": np.load(data["speech"])["audio"][:1]}
    first["squeezenet"] = (next(harness.mobilenet_images(1))[0][None, ::-1] * 127.5 + 127.5).copy()
    for name, of, source, metric, accuracy, least in CASES:
        reference = root / "models" / f"{of}.onnx"
        path = root / "foreign" / f"{name}.onnx"
        quantized, before = onnx.load(path), onnx.load(reference)
        result, pairing = pairing_of(sandbox, reference, path, data[source], "--limit", SAMPLES)
        check_counts(name, quantized, pairing)
        check_names(quantized, before, pairing["pairs"])
        exact = harness.exact(path, sandbox.path / f"{name}.exact.onnx")  # the figures are those of exact sums
        score = 100 * sandbox.json("evaluate", exact, "--data", data[source], "--metric", metric)["value"]
        harness.check(abs(score - accuracy) < 0.051, f"{name}: {score:.2f} %, known {accuracy} %")
        if least is not None:
            feed = first[source]
            if source == "squeezenet":
                feed = np.pad(feed, ((0, 0), (0, 0), (0, 3), (0, 3)), mode="edge")
            lowest = least_correlation(before, onnx.load(exact), pairing["pairs"], feed)
            harness.check(lowest[0] >= least, f"{name}: every pair correlates on a sample, the least {lowest}")
        harness.check(not result["suspects"], f"{name}: no suspect {json.dumps(result['suspects'][:2])}")
        check_copy(sandbox, name, reference, quantized, data[source], pairing)


main()
