# SPDX-License-Identifier: Apache-2.0
"""TensorFlow models run in a worker: their accuracies are the published ones, their outputs bit for bit those of TensorFlow's own
Python (QUANTLENS_TENSORFLOW_PYTHON names one; the rest is checked without), and what cannot be is said in one sentence."""
import base64
import collections
import gzip
import json
import os
import pathlib
import re
import struct
import subprocess
from fractions import Fraction

import graphdefs
import harness
from worker_client import CLOSE, IN_MEMORY, NEW_MEMORY, OPEN, OPENED, STEP, STEPPED, Client, shared, tensor

import numpy as np

MODELS = harness.TESTDATA / "models"
# Accuracies that TensorFlow 2.21 gives over the same pixels and features.
SCORES = {"mobilenet_v1_0.25_224.pb": 0.562, "mobilenet_v1_0.75_224.pb": 0.782, "ds_cnn_s.pb": 0.915}
OF_TENSORFLOW = """
import os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf
model, threads, given, wanted, name, *values = sys.argv[1:]
definition = tf.compat.v1.GraphDef.FromString(open(model, "rb").read())
graph = tf.Graph()
with graph.as_default():
    tf.compat.v1.import_graph_def(definition, name="")
config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=int(threads), inter_op_parallelism_threads=1)
with tf.compat.v1.Session(graph=graph, config=config) as session:
    runs = [session.run([value + ":0" for value in values], {name + ":0": one}) for one in np.load(given)]
np.savez(wanted, **{value: np.stack([run[i] for run in runs]) for i, value in enumerate(values)})
"""


# Of each int8 op of a graph: its kernel on the codes that NumPy makes of what the float graph computes, against the float graph.
LOCAL_OF_TENSORFLOW = """
import json, os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

def load(path):
    definition = tf.compat.v1.GraphDef.FromString(open(path, "rb").read())
    graph = tf.Graph()
    with graph.as_default():
        tf.compat.v1.import_graph_def(definition, name="")
    return {node.name: node for node in definition.node}, tf.compat.v1.Session(graph=graph)

def range_of(nodes, codes):
    node = nodes[codes]
    name = node.input[2 if node.op == "QuantizeV2" else 8]
    return np.float32(tf.make_ndarray(nodes[name].attr["value"].tensor))

model, int8, given, wanted, name = sys.argv[1:]
floats, session = load(model)
nodes, quantized = load(int8)
kernels = [node for node in nodes.values() if node.op.startswith("_FusedQuantized")]
value = lambda codes: codes.rsplit("/", 1)[0]
errors = {node.name: [] for node in kernels}
for batch in np.load(given):
    asked = sorted({value(one) + ":0" for node in kernels for one in (node.name, node.input[0])})
    real = dict(zip(asked, session.run(asked, {name + ":0": batch})))
    for node in kernels:
        read = node.input[0]
        is_signed = node.attr["Tdevice_inputs"].list.type[0] == tf.qint8.as_datatype_enum
        most, greatest = range_of(nodes, node.input[4].split(":")[0]), np.float32(127 if is_signed else 255)
        codes = np.rint(real[value(read) + ":0"] * (greatest / most)).clip(-128 if is_signed else 0, greatest)
        plain = codes.astype(np.int8 if is_signed else np.uint8)
        fed = {read + ":0": plain.view((tf.qint8 if is_signed else tf.quint8).as_numpy_dtype),
               node.input[3]: -most if is_signed else np.float32(0), node.input[4]: most}
        made = quantized.run(node.name + ":0", fed)
        gives_signed = node.attr["Tdevice_outputs"].list.type[0] == tf.qint8.as_datatype_enum
        scale = range_of(nodes, node.name) / np.float32(127 if gives_signed else 255)
        meant = made.view(np.int8 if gives_signed else np.uint8).astype(np.float64) * scale
        errors[node.name].append(np.mean((real[value(node.name) + ":0"] - meant) ** 2))
json.dump({value(node): float(np.mean(all)) for node, all in errors.items()}, open(wanted, "w"))
"""


def of_tensorflow(sandbox, model, threads, batches, name, *values):
    """What TensorFlow's Python computes, by value; None where there is none."""
    python = os.environ.get("QUANTLENS_TENSORFLOW_PYTHON")
    if not python:
        print(f"left out: {model.name} against TensorFlow's own Python; QUANTLENS_TENSORFLOW_PYTHON names none")
        return None
    script = sandbox.write("of_tensorflow.py", OF_TENSORFLOW)
    np.save(sandbox.path / "given.npy", batches)
    subprocess.run([python, script, model, str(threads), sandbox.path / "given.npy", sandbox.path / "wanted.npz", name, *values],
                   check=True, capture_output=True)
    return dict(np.load(sandbox.path / "wanted.npz"))


def local_of_tensorflow(sandbox, model, int8, batches, name):
    """The local error of each int8 op, by value; None where there is no Python of TensorFlow's."""
    python = os.environ.get("QUANTLENS_TENSORFLOW_PYTHON")
    if not python:
        print(f"left out: local errors of {model.name} by TensorFlow's own Python; QUANTLENS_TENSORFLOW_PYTHON names none")
        return None
    script = sandbox.write("local_of_tensorflow.py", LOCAL_OF_TENSORFLOW)
    np.save(sandbox.path / "given.npy", batches)
    wanted = sandbox.path / "local.json"
    subprocess.run([python, script, model, int8, sandbox.path / "given.npy", wanted, name], check=True, capture_output=True)
    return json.loads(wanted.read_text())


def runtime():
    done = subprocess.run([harness.program(), "doctor", "--output", "json"], capture_output=True, text=True, check=False)
    return next(one for one in json.loads(done.stdout)["runtimes"] if one["name"] == "tensorflow")


def refused(sandbox, words, *arguments, code=1, environment=None):
    line = [harness.program(), *map(str, arguments), "--workspace", sandbox.path / "ws"]
    done = subprocess.run(line, capture_output=True, text=True, check=False, env={**os.environ, **(environment or {})})
    told = [line for line in done.stderr.splitlines() if line.startswith("quantlens: ")]
    harness.check(done.returncode == code and len(told) == 1 and all(word in told[0] for word in words),
                  f"exit code {code} and one sentence with {words}: {done.returncode} {done.stderr}")


def without_it(sandbox):
    """Where it is missing, or something else."""
    net = sandbox.path / "net.pb"
    net.write_bytes(graphdefs.graph(graphdefs.network()))
    data = sandbox.write("any.yaml", "random: {count: 4, shapes: {image: [8, 8, 1]}}\n")
    for path in ("/no/such/folder", harness.program()):
        refused(sandbox, ["no usable TensorFlow", "--with-tensorflow", path], "benchmark", net, "--data", data, "--rounds", 1,
                environment={"QUANTLENS_TENSORFLOW": path})
    np.savez(sandbox.path / "labelled.npz", image=np.zeros((4, 8, 8, 1), np.float32), label=np.arange(4) % 3)
    labelled = sandbox.path / "labelled.npz"
    for verb, more in {"quantize": ["-o", "int8.pb"], "tune": ["--metric", "top1", "-o", "int8.pb"]}.items():
        refused(sandbox, ["no usable TensorFlow", "--with-tensorflow"], verb, net, "--data", labelled, *more,
                environment={"QUANTLENS_TENSORFLOW": "/no/such/folder"})


def scores(sandbox):
    pixels = harness.imagenet(sandbox, name="nhwc.yaml")
    pixels.write_text(pixels.read_text().replace("nchw", "nhwc"))
    speech = harness.TESTDATA / "speech" / "ds_cnn_400.npz"
    features = sandbox.write("features.yaml", f"npz: {{file: {speech}, inputs: {{Mfcc: Mfcc}}, label: label}}\n")
    scored = ["--metric", "top1", "--data", features, "--inputs", "Mfcc"]
    for name, wanted in SCORES.items():
        more = ["--metric", harness.MOBILENET_METRIC, "--data", pixels] if name.startswith("mobilenet") else scored
        told = json.loads(sandbox.run("evaluate", MODELS / name, *more, "--output", "json").stdout)
        harness.check(told["value"] == wanted, f"{name}: {told['value']} is {wanted}")
        kept = json.loads(next(sandbox.path.rglob(f"{told['workload']}/workload.json")).read_text())
        harness.check(kept["environment"]["tensorflow"] == runtime()["version"], "the run says which TensorFlow it was")
    same = MODELS / "ds_cnn_s.pb"
    again = json.loads(sandbox.run("evaluate", same, "--against", same, *scored, "--output", "json").stdout)
    harness.check(again["difference"] == 0, "a model against itself differs by nothing")


def answers(model, name, output, threads, batches, taps=()):
    """Of the worker, asked frame by frame."""
    client = Client("tensorflow")
    client.receive()
    file = {"format": "graphdef", "path": str(model), "attached": True, "inputs": [name], "outputs": [output]}
    wanted = {"models": [file], "taps": {"taps": [{"value": value} for value in taps]}, "options": {"threads": threads}}
    with open(model, "rb") as content:
        kind, opened, _ = client.ask(OPEN, wanted, files=[content.fileno()])
    harness.check(kind == OPENED and opened["not_tapped"] == [], f"{model} is opened with {len(taps)} taps: {opened}")
    made = []
    for number, batch in enumerate(batches):
        inputs = [{"name": name, "dtype": "float32", "shape": batch.shape, "offset": 0, "bytes": batch.nbytes}]
        is_large = batch.nbytes > 65536
        kind, told, body = client.ask(STEP, {"samples": [number], "inputs": inputs}, batch.tobytes(),
                                      flags=IN_MEMORY | NEW_MEMORY if is_large else 0,
                                      files=[shared(batch.tobytes())] if is_large else [])
        assert kind == STEPPED, told
        made.append(tensor(told["reference"][0], body).copy())
    client.send(CLOSE)
    harness.check(client.process.wait(60) == 0, "close ends it with 0")
    return np.stack(made)


def inputs_of(name):
    """Input, output and a few batches of one of the models."""
    if name.startswith("mobilenet"):
        batches = np.random.default_rng(1).uniform(-1, 1, (12, 1, 224, 224, 3)).astype(np.float32)
        return "input", "MobilenetV1/Predictions/Reshape_1", batches
    return "Mfcc", "labels_softmax", np.load(harness.TESTDATA / "speech" / "ds_cnn_400.npz")["Mfcc"][:50].reshape(50, 1, 49, 10)


def bit_for_bit(sandbox):
    for name in SCORES:
        first, last, batches = inputs_of(name)
        for threads in (1, 2):
            wanted = of_tensorflow(sandbox, MODELS / name, threads, batches, first, last)
            got = answers(MODELS / name, first, last, threads, batches)
            harness.check(wanted is None or (got.dtype == wanted[last].dtype and got.tobytes() == wanted[last].tobytes()),
                          f"{name}, {threads} threads: {got.size} numbers are TensorFlow's, bit for bit")


class Statistics:
    """statistics.bin, as docs/format.md gives it: of each value its extremes, count and sums."""

    def __init__(self, data):
        self.data, self.at = data, 12
        self.bytes(self.number(4))
        for _ in range(self.varint()):
            self.varint(), self.varint()
        self.values = {}
        for _ in range(self.number(8)):
            name = self.bytes(self.number(4)).decode()
            self.values[name] = self.moments()
            self.skip_histogram()
            if self.number(4) != 2**32 - 1:
                self.skip_channels()

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, count):
        return int.from_bytes(self.bytes(count), "little")

    def varint(self):
        shift = value = 0
        while True:
            byte = self.number(1)
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def exact_sum(self):
        head = self.number(1)
        if head & 127 == 0:
            return 0.0
        power = struct.unpack("<b", self.bytes(1))[0]
        size = Fraction(self.number(4 * (head & 127))) * Fraction(2) ** (32 * power)
        return float(-size if head & 128 else size)

    def moments(self):
        low, high = struct.unpack("<ff", self.bytes(8))
        if self.varint():
            self.exact_sum(), self.exact_sum()
        count = total = squares = 0
        for _ in range(self.number(4).bit_count()):
            count += self.varint()
            assert (self.varint(), self.varint()) == (0, 0), "all are finite"
            total, squares = total + self.exact_sum(), squares + self.exact_sum()
        return low, high, count, total, squares

    def skip_channels(self):
        for _ in range(self.varint()):
            self.bytes(8), self.varint(), self.varint(), self.exact_sum(), self.exact_sum()
        for _ in range(self.varint()):
            self.number(4), self.skip_histogram()

    def skip_histogram(self):
        octaves = self.varint()
        if octaves == 0:
            return
        greatest = self.number(1)
        for _ in range(octaves):
            exponent = self.bytes(2)[1]
            for _ in range(1 if exponent == 0 else 8 if greatest - exponent > 8 else 256):
                self.varint()


def calibrations(sandbox):
    """Statistics are those of the values that TensorFlow's Python returns, and looking at them changes no answer."""
    for name in SCORES:
        first, last, batches = inputs_of(name)
        np.savez(sandbox.path / "samples.npz", x=batches.reshape(-1, *batches.shape[2:]))
        data = sandbox.write("samples.yaml", f"npz: {{file: samples.npz, inputs: {{{first}: x}}}}\n")
        more = [] if name.startswith("mobilenet") else ["--inputs", first]
        statistics = sandbox.path / "statistics.bin"
        files = []
        for threads in (1, 2):
            sandbox.run("calibrate", MODELS / name, "--data", data, "-o", statistics, "--threads", threads, *more)
            files.append(statistics.read_bytes())
        harness.check(files[0] == files[1], f"{name}: statistics are equal bytes whatever the threads")
        values = Statistics(files[0]).values
        bare, seen = (answers(MODELS / name, first, last, 1, batches, taps) for taps in ([], values))
        harness.check(bare.tobytes() == seen.tobytes(), f"{name}: {len(values)} observers change no bit of what it answers")
        wanted = of_tensorflow(sandbox, MODELS / name, 1, batches, first, *values)
        worst = 0
        for value, figures in values.items() if wanted else ():
            x = wanted[value].astype(np.float64)
            theirs = (x.min(), x.max(), x.size, x.sum(), (x * x).sum())
            scale = (abs(x).max(), abs(x).max(), x.size, abs(x).sum(), (x * x).sum())
            worst = max(worst, *(abs(a - b) / c for a, b, c in zip(figures, theirs, scale)))
        harness.check(worst < 1e-12, f"{name}: extremes and sums of {len(values)} values are NumPy's to {worst:.1e} relative")


LEAST_KEPT = {"mobilenet_v1_0.25_224.pb": 0.524, "mobilenet_v1_0.75_224.pb": 0.754}  # of the prototype, with its plain recipe


def quantized(sandbox):
    """int8 models keep what they should, are told by the file that was written, and are paired with their originals."""
    pixels = sandbox.path / "nhwc.yaml"
    for name, least in LEAST_KEPT.items():
        int8 = sandbox.path / f"int8_{name}"
        told = json.loads(sandbox.run("quantize", MODELS / name, "--data", pixels, "-o", int8, "--recipe", "{accuracy_level: fast}",
                                      "--metric", harness.MOBILENET_METRIC, "--output", "json").stdout)
        kept = told["quantized"]["value"]
        harness.check(kept >= least, f"{name}: {kept} of {told['reference']['value']} is kept, at least {least}")
        again = json.loads(sandbox.run("evaluate", int8, "--data", pixels, "--metric", harness.MOBILENET_METRIC, "--output", "json").stdout)
        harness.check(again["value"] == kept, f"{name}: the file that was written scores what was told")
        counted = json.loads(sandbox.run("inspect", int8, "--output", "json").stdout)["op_counts"]
        harness.check((counted["_FusedQuantizedConv2D"], counted["_FusedQuantizedDepthwiseConv2D"]) == (15, 13),
                      f"{name}: all 28 convolutions are int8 kernels: {counted}")
        told = json.loads(sandbox.run("diagnose", MODELS / name, int8, "--data", pixels, "--limit", "40", "--output", "json").stdout)
        rows = told["activations"]
        harness.check(len(rows) >= 28 and all(row["sqnr_db"] > 5 for row in rows), f"{name}: {len(rows)} values are compared")
        first, last, batches = inputs_of(name)
        wanted = of_tensorflow(sandbox, int8, 1, batches, first, last)
        got = answers(int8, first, last, 1, batches)
        harness.check(wanted is None or got.tobytes() == wanted[last].tobytes(), f"int8 {name}: TensorFlow's Python computes the same")


def local_errors(sandbox):
    """Errors of single ops are those of their kernels on codes of what the float graph computes."""
    for name in LEAST_KEPT:
        first, _, batches = inputs_of(name)
        np.savez(sandbox.path / "samples.npz", x=batches.reshape(-1, *batches.shape[2:]))
        data = sandbox.write("samples.yaml", f"npz: {{file: samples.npz, inputs: {{{first}: x}}}}\n")
        int8 = sandbox.path / f"int8_{name}"
        told = json.loads(sandbox.run("diagnose", MODELS / name, int8, "--data", data, "--output", "json").stdout)
        errors = {row["value"]: row["local_mse"] for row in told["activations"] if row["local_mse"] is not None}
        wanted = local_of_tensorflow(sandbox, MODELS / name, int8, batches, first)
        if wanted is None:
            harness.check(len(errors) >= 28, f"{name}: {len(errors)} values have a local error")
            continue
        worst = max(abs(errors[value] / error - 1) for value, error in wanted.items())
        harness.check(worst < 1e-5, f"{name}: local errors of {len(wanted)} int8 ops are NumPy's to {worst:.1e} relative")


BAD = "MobilenetV1/MobilenetV1/Conv2d_0/convolution"


def one_bad_op(sandbox):
    """The first document's story: one convolution is made bad, the diagnosis names it, op_name_dict falls it back, and the
    accuracy returns; nothing but the command line is needed."""
    pixels = sandbox.path / "nhwc.yaml"
    model, int8 = MODELS / "mobilenet_v1_0.25_224.pb", sandbox.path / "bad.pb"
    bad = sandbox.write("bad.yaml", f"op_name_dict: {{{BAD}: {{weight: {{granularity: per_tensor}}}}}}\n")
    asked = ["quantize", model, "--data", pixels, "-o", int8, "--metric", harness.MOBILENET_METRIC, "--recipe", bad]
    told = json.loads(sandbox.run(*asked, "--diagnose", "--output", "json").stdout)
    whole, lost = told["reference"]["value"], told["quantized"]["value"]
    diagnosis = told["diagnosis"]
    first = diagnosis["findings"][0]
    harness.check(lost < whole - 0.05 and first["op"]["name"] == BAD and first["severity"] == "problem",
                  f"{lost} of {whole} are left; the first finding is {first['rule']} of {first['op']['name']}")
    harness.check(first["share_is_measured"] and first["output_share"] > 0.6,
                  f"{first['output_share']:.3f} of the error begins there, as is measured")
    harness.check(BAD in diagnosis["verdict"], f"the verdict names it: {diagnosis['verdict']}")
    rows = [row for row in diagnosis["activations"] if row["local_sqnr_db"] is not None]
    worst = min(rows, key=lambda row: row["local_sqnr_db"])
    harness.check(worst["op"]["name"] == BAD, f"no other op adds as much error by itself: {worst['local_sqnr_db']:.1f} dB")
    fallen_back = sandbox.write("fp32.yaml", f"op_name_dict: {{{BAD}: {{activation: {{dtype: [fp32]}}}}}}\n")
    mended = sandbox.run(*asked, "--recipe", fallen_back).stdout
    counts = {line.split("|")[1].strip(): line.split("|")[2:-1] for line in mended.splitlines() if line.startswith("|")}
    harness.check([int(cell) for cell in counts["Conv2D"]] == [15, 14, 1],
                  f"Mixed Precision Statistics shows it: {counts['Conv2D']}")
    again = json.loads(sandbox.run("evaluate", int8, "--data", pixels, "--metric", harness.MOBILENET_METRIC,
                                   "--output", "json").stdout)["value"]
    harness.check(again >= LEAST_KEPT[model.name] > lost, f"the accuracy returns: {lost} without, {again} with it in float")
    gated = ["diagnose", model, int8, "--data", pixels, "--limit", "40", "--local", "0", "--fail-below"]
    sandbox.run(*gated, "2")
    refused(sandbox, ["below 60 dB", "the worst"], *gated, "60", code=3)


def wrong_graphs(sandbox):
    """What TensorFlow refuses."""
    net = sandbox.path / "odd.pb"
    nodes = graphdefs.network()
    net.write_bytes(graphdefs.graph(nodes).replace(b"Relu6", b"Relux"))
    data = sandbox.write("any.yaml", "random: {count: 4, shapes: {image: [8, 8, 1]}}\n")
    refused(sandbox, ["odd.pb", "TensorFlow refuses the graph", "Relux"], "benchmark", net, "--data", data, "--rounds", 1)


def sum_of(rows, field):
    return sum(row[field] or 0 for row in rows)


def is_close(x, y):
    return abs(x - y) <= 1e-6 * max(abs(x), abs(y), 1)


def profile_of_one(sandbox):
    """Nodes are those that TensorFlow runs, with its kernels' names; what it shows and leaves is what it does for ONNX."""
    net = sandbox.path / "net.pb"
    data = sandbox.write("any.yaml", "random: {count: 4, shapes: {image: [8, 8, 1]}}\nbatch_size: 2\n")
    told = sandbox.json("profile", net, "--data", data, "--threads", "2", "--iterations", "60")
    nodes = told["nodes"]
    computed = {node["type"]: [op["name"] for op in node["ops"]] for node in nodes}
    harness.check(["conv", "norm/scaled"] in computed.values(), f"what TensorFlow makes one node of is one: {computed}")
    harness.check(all(node["runs"] == 60 and node["ops"] and node["outputs"][0] for node in nodes),
                  "each ran and computes ops of the file")
    harness.check(is_close(sum_of(nodes, "mean_us"), told["nodes_us"]), f"{len(nodes)} nodes add up")
    harness.check(sorted(node["position"] for node in nodes) == list(range(len(nodes))), "in the order in which they ran")
    harness.check(all(node["operations"] for node in nodes if "Conv" in node["type"]), "convolutions have their multiplications")
    harness.check(told["machine"]["int8_gop_per_second"] > 0, f"TensorFlow's own products are measured: {told['machine']}")
    folder = sandbox.workload(told["workload"])
    harness.check((folder / "profiling_table.csv").exists() and (folder / "trace.json").exists(), "tables and a trace are left")
    report = sandbox.path / "profile.html"
    sandbox.run("report", told["workload"], "-o", report)
    (packed,) = re.findall(r'id="report-data"[^>]*>\s*([A-Za-z0-9+/=]+)\s*</script>', report.read_text())
    harness.check(nodes[0]["type"].encode() in gzip.decompress(base64.b64decode(packed)), "the report has its nodes")
    again = sandbox.json("profile", folder / "trace.json")
    harness.check(len(again["nodes"]) == len(nodes), "the trace is read again")


def prices(sandbox):
    """What tune asks of the times of nodes."""
    told = sandbox.json("tune", sandbox.path / "net.pb", "--data", sandbox.path / "labelled.npz", "--metric", "top1",
                        "--max-loss", "0.9", "--objective", "speed", "--threads", "1", "-o", sandbox.path / "fast.pb")
    priced = sandbox.record(told["workload"], "prices.json")["groups"]
    harness.check({"conv", "each", "fc"} <= {op for group in priced for op in group["ops"]}, f"{len(priced)} groups are priced")
    harness.check(all(group["float_us"] > 0 for group in priced) and told["best_us"] > 0,
                  "by times, and the best is timed in the end")


def profile_of_two(sandbox):
    name = "mobilenet_v1_0.75_224.pb"
    common = ["--data", sandbox.path / "nhwc.yaml", "--threads", "1", "--iterations", "40"]
    for attempt in range(1, 5):
        told = sandbox.json("profile", MODELS / name, sandbox.path / f"int8_{name}", *common)
        sides = {side: told[side] for side in ("reference", "quantized")}
        if all(0.7 < side["explained"] < 1.3 for side in sides.values()):
            break  # else something else ran on all cores
    floats, codes = (side["nodes"] for side in sides.values())
    kernels = [node["type"] for node in codes if "Quantized" in node["type"]]
    harness.check(len(kernels) == 28, f"all 28 convolutions are int8 kernels: {collections.Counter(kernels)}")
    work = [[node["operations"] for node in nodes if "Conv" in node["type"]] for nodes in (floats, codes)]
    harness.check(len(work[0]) == 28 and all(work[0]) and sorted(work[0]) == sorted(work[1]),
                  f"{sum(work[0]) / 1e6:.1f} million operations in the convolutions of both")
    harness.check({node["role"] for node in codes} >= {"op", "quantize"}, "what makes codes is told apart")
    ops = told["ops"]
    harness.check(is_close(sum_of(ops, "reference_us"), sides["reference"]["nodes_us"]), "float adds up")
    parts = sum(sum_of(ops, part) for part in ("quantized_us", "conversion_us", "layout_us"))
    harness.check(is_close(parts, sides["quantized"]["nodes_us"]), "int8 adds up")
    ids = [op["id"] for row in ops for op in row["ops"]]
    harness.check(len(ids) == len(set(ids)) and sum(row["quantized"] for row in ops) >= 28,
                  f"{len(ids)} ops of the float model, each in one row")
    low, high = told["ratio_interval"]
    harness.check(low <= told["ratio"] <= high, f"int8 takes {told['ratio']:.3f} of the time")
    for finding in told["findings"]:
        harness.check((finding["trial"] is None) == (finding["not_tried"] != []),
                      f"{finding['rule']}: was tried, or says why not: {finding['because']}")
    for side, profile in sides.items():
        share, whole = profile["explained"], profile["wall"]["median_us"]
        harness.check(0.7 < share < 1.3, f"{side}: {100 * share:.1f} % of {whole:.0f} us explained at attempt {attempt}")


def left_processes(sandbox):
    """Command lines of processes that were started for this sandbox and run on."""
    mark = f"QUANTLENS_WORKSPACE={sandbox.environment['QUANTLENS_WORKSPACE']}".encode()
    left = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0"):
                left.append((process / "cmdline").read_bytes())
        except OSError:
            continue
    return left


def crashes(sandbox):
    """A graph whose int8 op lacks two of its ranges: TensorFlow's kernel ends its process by a failed check."""
    def types(*numbers):
        return graphdefs.field(1, b"".join(graphdefs.field(6, number) for number in numbers))

    quint8, qint8 = 12, 11
    floats = {"lo": ([], [0]), "hi": ([], [6]), "weight/lo": ([], [-1]), "weight/hi": ([], [1]), "bias": ([3], [0, 0, 0])}
    nodes = [graphdefs.node("x", "Placeholder", dtype=graphdefs.T["T"], shape=graphdefs.shape([-1, 4]))]
    nodes += [graphdefs.constant(name, graphdefs.FLOAT, graphdefs.floats(*value)) for name, value in floats.items()]
    weight = graphdefs.tensor(qint8, [4, 3], graphdefs.field(4, bytes([1] * 12)))
    scaled = {"mode": graphdefs.field(2, "SCALED"), "T": graphdefs.field(6, quint8)}
    ops = graphdefs.field(1, graphdefs.field(2, "BiasAdd") + graphdefs.field(2, "Requantize"))
    nodes += [graphdefs.constant("weight", qint8, weight), graphdefs.node("codes", "QuantizeV2", ["x", "lo", "hi"], **scaled),
              graphdefs.node("product", "_QuantizedMatMul", ["codes", "weight", "bias", "lo", "hi", "weight/lo", "weight/hi"],
                             T1=scaled["T"], T2=graphdefs.field(6, qint8), Tbias=graphdefs.T["T"], U=graphdefs.T["T"],
                             Tout=scaled["T"], Tdevice_inputs=types(quint8, qint8, 1), Thost_inputs=types(1, 1, 1, 1),
                             Tdevice_outputs=types(quint8), Thost_outputs=types(1, 1), fused_ops=ops,
                             input_quant_mode=scaled["mode"], output_quant_mode=scaled["mode"]),
              graphdefs.node("y", "Dequantize", ["product", "product:1", "product:2"], **scaled)]
    crashing, whole = sandbox.path / "crashing.pb", sandbox.path / "whole.pb"
    crashing.write_bytes(graphdefs.graph(nodes))
    whole.write_bytes(graphdefs.graph([
        nodes[0], graphdefs.constant("w", graphdefs.FLOAT, graphdefs.floats([4, 3], [1] * 12)),
        graphdefs.node("y", "MatMul", ["x", "w"], **graphdefs.T)]))
    np.savez(sandbox.path / "four.npz", x=np.ones((4, 4), np.float32), label=np.zeros(4, np.int64))
    data = ["--data", sandbox.path / "four.npz"]
    words = ["the worker for tensorflow", "signal 6", "Check failed: index"]
    for verb, models, more in (("evaluate", [crashing], ["--metric", "top1"]), ("diagnose", [whole, crashing], []),
                               ("profile", [crashing], []), ("profile", [whole, crashing], [])):
        done = sandbox.run(verb, *models, *data, *more, code=1)
        told = [line for line in done.stderr.splitlines() if line.startswith("quantlens: ")]
        is_told = len(told) == 1 and all(word in told[0] for word in words) and "0x" not in told[0]
        harness.check(is_told, f"{verb}: one sentence says what ended, and why: {told}")
        kept = json.loads((sandbox.workload(done.told_id) / "workload.json").read_text())
        harness.check(kept["state"] == "failure" and all(word in kept["message"] for word in words),
                      f"{verb}: the workload says so: {kept['state']}")
        harness.check(left_processes(sandbox) == [], f"{verb}: no process is left")


def main():
    sandbox = harness.Sandbox()
    without_it(sandbox)
    if not runtime()["available"]:
        harness.skip(runtime()["problem"])
    wrong_graphs(sandbox)
    crashes(sandbox)
    profile_of_one(sandbox)
    prices(sandbox)
    harness.need_testdata()
    scores(sandbox)
    bit_for_bit(sandbox)
    calibrations(sandbox)
    quantized(sandbox)
    profile_of_two(sandbox)
    local_errors(sandbox)
    one_bad_op(sandbox)


if __name__ == "__main__":
    main()
