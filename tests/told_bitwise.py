# SPDX-License-Identifier: Apache-2.0
"""What is told of a written file is what a user's session of it computes: for the models of the test data, those that
the onnx package brings, and random graphs, the file that `quantize` writes is run by the stock Python package with its
default options. The accuracy that the record holds is that of its outputs, hit by hit; and its outputs are those of
ours bit for bit. No command writes outputs, so Python's are given to `evaluate` as labels: mae, the mean distance of
all elements, is 0 where each is equal, and nowhere else.

    told_bitwise.py [COUNT [FIRST_SEED]]     COUNT random graphs, 60 by default
"""

import json
import re
import sys

import harness

harness.need("numpy", "onnx", "onnxruntime")
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402

import as_planned  # noqa: E402
import onnx_models  # noqa: E402
import random_graphs  # noqa: E402

IMAGES = 40  # few: each image is decoded here, too
ROWS = 80
LENGTH = 64  # of the random inputs' open extents


def is_same_runtime(sandbox):
    """Whether the program runs the very version of the runtime that this Python has."""
    told = re.search(r"onnxruntime (\d[\w.]*)", sandbox.run("doctor", code=None).stdout)
    return bool(told) and told.group(1) == onnxruntime.__version__


class Stock:
    """A session as users make it: every option the default."""

    def __init__(self, path):
        self.session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        self.outputs = [one.name for one in self.session.get_outputs()]

    def run(self, feeds):
        return dict(zip(self.outputs, self.session.run(None, feeds)))


def one_by_one(path, inputs):
    """Outputs of each sample by itself, as the program runs them where nothing asks for more at once."""
    stock = Stock(path)
    count = len(next(iter(inputs.values())))
    rows = [stock.run({name: array[i:i + 1] for name, array in inputs.items()}) for i in range(count)]
    return {name: [row[name] for row in rows] for name in stock.outputs}


class Comparison:
    """Counts what was held against Python; a departure is told, and fails the test at its end."""

    def __init__(self, sandbox):
        self.sandbox, self.is_same = sandbox, is_same_runtime(sandbox)
        self.outputs = self.accuracies = 0
        self.departed = []

    def tell(self, what):
        print("departs:", what, flush=True)
        self.departed.append(what)

    def accuracy(self, name, told, computed):
        self.accuracies += 1
        if told != computed:
            self.tell(f"{name}: {told!r} is told, and Python computes {computed!r}")

    def bits(self, name, path, inputs, answers):
        """`answers`: of each output, what each sample alone gives."""
        if not self.is_same:
            return
        for output, rows in answers.items():
            values = [np.asarray(row) for row in rows]
            shapes = {value.shape for value in values}
            if len(shapes) != 1 or values[0].dtype.kind not in "fiub" or not values[0].size:
                continue
            if not all(np.isfinite(value.astype(np.float64)).all() for value in values):
                continue  # a label has to be a number
            labels = np.stack([value[0] if value.ndim and len(value) == 1 else value for value in values])
            np.savez(self.sandbox.path / "bits.npz", told_label=labels, **inputs)
            names = ", ".join(f"{each}: {each}" for each in inputs)
            data = self.sandbox.write("bits.yaml",
                                      f"npz: {{file: bits.npz, inputs: {{{names}}}, label: told_label}}\n")
            done = self.sandbox.run("evaluate", path, "--data", data, "--metric", f"mae:output={output}", "--output",
                                    "json", code=None)
            if done.returncode != 0:
                self.tell(f"{name}: {output}: {done.stderr.strip().splitlines()[-1][:200]}")
                continue
            self.outputs += 1
            distance = json.loads(done.stdout)["value"]
            if distance != 0:
                self.tell(f"{name}: outputs '{output}' are {distance:.3g} from Python's on average")

    def quantized(self, name, model, data, inputs, metric=None, options=()):
        """Quantizes, and gives what the command told and what Python computes of the file."""
        output = self.sandbox.path / "out.onnx"
        wanted = ["--metric", metric] if metric else []
        told = self.sandbox.json("quantize", model, "--data", data, "-o", output, *wanted, *options)
        answers = one_by_one(output, inputs)
        self.bits(name, output, inputs, answers)
        record = self.sandbox.record(told["workload"], "accuracy.json") if metric else None
        return record, answers, output


def top1(rows, labels, offset=0):
    """In whole hits over samples: the very division that a record holds."""
    hits = sum(int(np.argmax(np.asarray(row).reshape(-1))) - offset == label for row, label in zip(rows, labels))
    return hits / len(labels)


def subset(path, count, sandbox, name):
    with np.load(path) as arrays:
        kept = {key: arrays[key][:count] for key in arrays.files}
    np.savez(sandbox.path / f"{name}.npz", **kept)
    inputs = {key: array for key, array in kept.items() if key != "label"}
    names = ", ".join(f"{key}: {key}" for key in inputs)
    data = sandbox.write(f"{name}.yaml", f"npz: {{file: {name}.npz, inputs: {{{names}}}, label: label}}\n")
    return data, inputs, kept["label"]


def check_image_models(sandbox, comparison):
    for_mobilenet = {"crop": 224, "is_bgr": False, "mean": 127.5, "std": 127.5}
    for_squeezenet = {"crop": 227, "is_bgr": True, "mean": 0, "std": 1}
    for model, name, form, offset in [("mobilenet_v1_0.25_224", "input", for_mobilenet, 1),
                                      ("mobilenet_v1_0.75_224", "input", for_mobilenet, 1),
                                      ("squeezenet1.1", "data", for_squeezenet, 0)]:
        pixels, labels = map(np.stack, zip(*harness.imagenet_pixels(IMAGES, **form)))
        np.savez(sandbox.path / "pixels.npz", **{name: pixels}, label=labels)
        data = sandbox.write("pixels.yaml", f"npz: {{file: pixels.npz, inputs: {{{name}: {name}}}, label: label}}\n")
        path = harness.TESTDATA / "models" / f"{model}.onnx"
        metric = f"top1:label_offset={offset}"
        for options in ([], ["--recipe", sandbox.write("tensor.yaml", harness.PER_TENSOR)]):
            record, answers, _ = comparison.quantized(model, path, data, {name: pixels}, metric, options)
            rows = next(iter(answers.values()))
            comparison.accuracy(model, record["quantized"]["value"], top1(rows, labels, offset))
            exact = next(iter(one_by_one(path, {name: pixels}).values()))
            comparison.accuracy(f"{model} in float", record["reference"]["value"], top1(exact, labels, offset))


def check_array_models(sandbox, comparison):
    for model, file in [("kwt1", "speech/kwt1_400.npz"), ("magika_v3_3", "magika/magika_435.npz")]:
        data, inputs, labels = subset(harness.TESTDATA / file, ROWS, sandbox, model)
        path = harness.TESTDATA / "models" / f"{model}.onnx"
        record, answers, _ = comparison.quantized(model, path, data, inputs, "top1")
        comparison.accuracy(model, record["quantized"]["value"], top1(next(iter(answers.values())), labels))
        exact = next(iter(one_by_one(path, inputs).values()))
        comparison.accuracy(f"{model} in float", record["reference"]["value"], top1(exact, labels))


def spearman_cosine(rows, labels):
    """Of rows 2i and 2i+1, ranks shared at ties."""
    rows = np.stack([np.asarray(row).reshape(-1) for row in rows]).astype(np.float64)
    a, b = rows[0::2], rows[1::2]
    cosines = (a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1))
    ranks = [(np.less.outer(v, v).sum(0) + (v[:, None] == v).sum(0) / 2).astype(np.float64)
             for v in (cosines, np.asarray(labels, np.float64)[0::2])]
    x, y = (r - r.mean() for r in ranks)
    return float((x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum()))


def check_minilm(sandbox, comparison):
    data, inputs, labels = subset(harness.TESTDATA / "text" / "minilm_stsb_test_400.npz", ROWS, sandbox, "minilm")
    path = harness.TESTDATA / "models" / "minilm_l6_v2.onnx"
    metric = "spearman_cosine:output=sentence_embedding"
    record, answers, _ = comparison.quantized("minilm_l6_v2", path, data, inputs, metric)
    told, computed = record["quantized"]["value"], spearman_cosine(answers["sentence_embedding"], labels)
    # ranks of equal embeddings are equal; only the last sum of a correlation may round in another order
    comparison.accuracy("minilm_l6_v2", round(told, 12), round(computed, 12))


def check_models_without_labels(sandbox, comparison):
    numbers = np.random.default_rng(14)
    x = numbers.standard_normal((8, 3, 48, 192)).astype(np.float32)
    np.savez(sandbox.path / "x.npz", x=x)
    comparison.quantized("ppocr_cls", harness.TESTDATA / "models" / "ppocr_cls.onnx", sandbox.path / "x.npz", {"x": x})
    for foreign in sorted((harness.TESTDATA / "foreign").glob("*.onnx")):
        check_foreign(comparison, foreign, numbers)


def check_foreign(comparison, path, numbers):
    """Nothing is written; what `evaluate` computes of the file is what Python does."""
    stock = Stock(path).session
    inputs = {}
    for one in stock.get_inputs():
        shape = [extent if isinstance(extent, int) else 1 for extent in one.shape]
        inputs[one.name] = np.tanh(numbers.standard_normal([4, *shape[1:]])).astype(np.float32)
    comparison.bits(path.stem, path, inputs, one_by_one(path, inputs))


def check_onnx_models(sandbox, comparison):
    """Those with an integer op and data of a batch; the others have no file of ours that computes otherwise."""
    for name, short, path in onnx_models.models():
        model = onnx.load(str(path))
        arrays = onnx_models.tensors(path, "input")
        weights = {weight.name for weight in model.graph.initializer}
        names = [value.name for value in model.graph.input if value.name not in weights]
        if not arrays or len(arrays) != len(names) or not onnx_models.has_batches(model):
            continue
        if any(array.dtype.kind not in "fiub" or array.ndim < 2 or not array.size or len(array) != len(arrays[0])
               for array in arrays):
            continue
        check_onnx_model(sandbox, comparison, f"{name}/{short}", path, dict(zip(names, arrays)))


def check_onnx_model(sandbox, comparison, name, path, inputs):
    output = sandbox.path / "out.onnx"
    output.unlink(missing_ok=True)
    np.savez(sandbox.path / "given.npz", **inputs)
    done = sandbox.run("quantize", path, "--data", sandbox.path / "given.npz", "-o", output, code=None)
    if done.returncode != 0:
        return  # docs/onnx-models.md says which and why
    stock = Stock(output)
    if len(next(iter(inputs.values()))) != 1 and not isinstance(stock.session.get_inputs()[0].shape[0], str):
        return check_whole_batch(sandbox, comparison, name, output, inputs, stock)
    comparison.bits(name, output, inputs, one_by_one(output, inputs))


def check_whole_batch(sandbox, comparison, name, output, inputs, stock):
    """A model that takes no less than the whole batch at once: rows of its answer are the samples'."""
    count = len(next(iter(inputs.values())))
    answers = {key: value for key, value in stock.run(inputs).items()
               if isinstance(value, np.ndarray) and value.ndim and len(value) == count}
    comparison.bits(name, output, inputs, {key: list(value) for key, value in answers.items()})


def check_random(sandbox, comparison, seed):
    """An even seed is a graph of any ops, an odd one a chain of what runtimes fuse, in mixed precision."""
    options = []
    if seed % 2:
        graph = as_planned.Chain(seed)
        graph.batch = "N"
        options = ["--recipe", sandbox.write("recipe.json", json.dumps(graph.recipe()))]
        shape = graph.input
    else:
        graph = random_graphs.Graph(seed)
        shape = graph.inputs[0][1]
    path = sandbox.path / "random.onnx"
    onnx.save(graph.model(), str(path))
    x = np.random.default_rng(seed).standard_normal([6, *shape[1:]]).astype(np.float32)
    np.savez(sandbox.path / "random.npz", x=x)
    comparison.quantized(f"seed {seed}", path, sandbox.path / "random.npz", {"x": x}, options=options)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    harness.need_testdata()
    harness.need("PIL")
    onnxruntime.set_default_logger_severity(4)
    sandbox = harness.Sandbox()
    comparison = Comparison(sandbox)
    if not comparison.is_same:
        print(f"bits are not compared: this Python has onnxruntime {onnxruntime.__version__}, the program another one")
    for seed in range(first, first + count):
        check_random(sandbox, comparison, seed)
    print(f"{count} random graphs: {comparison.outputs} outputs", flush=True)
    for part in (check_onnx_models, check_image_models, check_array_models, check_minilm, check_models_without_labels):
        before = comparison.outputs
        part(sandbox, comparison)
        print(f"{part.__name__}: {comparison.outputs - before} outputs", flush=True)
    harness.check(comparison.accuracies >= 17, f"{comparison.accuracies} accuracies are held against Python's")
    if comparison.is_same:
        harness.check(comparison.outputs >= count + 60, f"{comparison.outputs} outputs are compared bit for bit")
    harness.check(not comparison.departed, f"{len(comparison.departed)} of them depart")


if __name__ == "__main__":
    main()
