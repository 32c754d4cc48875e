# SPDX-License-Identifier: Apache-2.0
"""The Python package: the same figures as the command line, from whatever Python code has in memory."""
import concurrent.futures
import contextlib
import doctest
import functools
import inspect
import json
import multiprocessing
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import harness

PACKAGE = harness.python_package()
harness.need("numpy", "onnx")
sys.path.insert(0, PACKAGE)
os.environ["PYTHONPATH"] = PACKAGE

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import quantlens  # noqa: E402
import quantlens.shards  # noqa: E402

MODEL = harness.DEMO / "digits.onnx"
BROKEN = {"accuracy_level": "fast", "weight": {"granularity": "per_tensor"}}


class Digits:
    """As a torch Dataset is."""

    def __init__(self, images, labels):
        self.images, self.labels = images, labels

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]


class Loader:
    """As a DataLoader is: batches, anew for each iteration."""

    batch_size = 64

    def __init__(self, images, labels):
        self.images, self.labels = images, labels

    def __iter__(self):
        for at in range(0, len(self.images), self.batch_size):
            yield self.images[at:at + self.batch_size], self.labels[at:at + self.batch_size]


class Reader:
    """As ONNX Runtime's CalibrationDataReader is."""

    def __init__(self, images):
        self.images, self.at = images, 0

    def get_next(self):
        self.at += 1
        return {"image": self.images[self.at - 1:self.at]} if self.at <= len(self.images) else None


class Top1:
    """As torchmetrics are."""

    def __init__(self):
        self.right = self.count = 0

    def reset(self):
        self.right = self.count = 0

    def update(self, outputs, labels):
        self.right += int((outputs.argmax(1) == labels).sum())
        self.count += len(labels)

    def compute(self):
        return self.right / self.count


def right(outputs, labels):
    return outputs.argmax(1) == labels


def load(name):
    arrays = np.load(harness.DEMO / name)
    return arrays["image"], arrays["label"]


def refused(kind, words, call):
    try:
        call()
    except quantlens.Error as error:
        told = str(error)
        harness.check(isinstance(error, kind) and all(word in told for word in words) and "\n" not in told,
                      f"{type(error).__name__}: {told}")
        return error
    raise AssertionError(f"nothing was refused: {words}")


def as_on_the_command_line(sandbox, images, labels, calibration):
    told = sandbox.json("quantize", MODEL, "-o", "cli.onnx", "--data", harness.DEMO / "digits.npz", "--calibration-data",
                        harness.DEMO / "calibration.npz", "--recipe", json.dumps(BROKEN), "--diagnose", "--metric", "top1", "--name",
                        "cli")
    run = quantlens.quantize(MODEL, (images, labels), calibration_data=calibration, output=sandbox.path / "python.onnx", recipe=BROKEN,
                             diagnose=True, metric="top1", name="python", progress=False)
    harness.check(pathlib.Path(run.output).read_bytes() == (sandbox.path / "cli.onnx").read_bytes(), "the model is equal byte for byte")
    mine, theirs = run.to_dict(), told
    for figures in (mine, theirs):
        for row in figures["diagnosis"]["activations"]:
            row.pop("worst_samples")  # people call them otherwise
    harness.check(set(mine) == set(theirs) and mine["diagnosis"]["activations"] == theirs["diagnosis"]["activations"], "so are all figures of activations")
    harness.check(run.accuracy.quantized.value == told["quantized"]["value"], "and the accuracy")
    first = run.findings[0]
    harness.check(first.rule == "spread_weight" and first.op.name == "/block3/conv/Conv", f"the culprit is {first.op.name}")
    stored = quantlens.open_run(run.id)
    harness.check(stored.diagnosis.to_dict() == run.diagnosis.to_dict(), "a run is read back as it was returned")
    harness.check("No difference" in quantlens.compare(run, told["workload"]).verdict, "compare tells no difference between the two")
    harness.check(run.verdict in str(run) or "Activations summary" in str(run), "print shows the tables")
    harness.check("<details>" in run._repr_html_() and "spread_weight" in run._repr_html_(), "a notebook shows the findings")
    harness.check(len(run.tables()["activations"]["OP name"]) == len(run.diagnosis.activations), "tables have all rows")
    harness.need("pandas")
    frame = run.to_pandas()
    harness.check(len(frame) == len(run.diagnosis.activations) and frame["MSE"].max() == max(one.mse for one in run.diagnosis.activations),
                  "and pandas has the same")
    return run


def any_data(model, images, labels):
    whole = quantlens.evaluate(model, (images, labels), "top1", progress=False).accuracy.quantized
    for name, data in {"a dataset": Digits(images, labels), "a list of samples": list(zip(images, labels)), "a loader": Loader(images, labels),
                       "a generator": iter(Loader(images, labels)), "a dict and labels": ({"image": images}, labels)}.items():
        told = quantlens.evaluate(model, data, "top1", progress=False).accuracy.quantized
        harness.check((told.value, told.samples) == (whole.value, whole.samples), f"{name} gives the same figure: {told.value}")
    for name, metric in {"a function": right, "an object": Top1()}.items():
        told = quantlens.evaluate(model, (images, labels), metric, progress=False).accuracy.quantized
        harness.check(abs(told.value - whole.value) < 1e-12, f"{name} as metric gives the same figure")
    one = quantlens.quantize(MODEL, Reader(images[:100]), output="reader.onnx", progress=False)
    other = quantlens.quantize(MODEL, images[:100], output="array.onnx", progress=False)
    harness.check(pathlib.Path(one.output).read_bytes() == pathlib.Path(other.output).read_bytes(), "a CalibrationDataReader is data")


class Tensor:
    """As one of PyTorch or TensorFlow is."""

    def __init__(self, array):
        self.array = array
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, array.ndim

    def __len__(self):
        return len(self.array)

    def __getitem__(self, index):
        return Tensor(self.array[index])

    def numpy(self):
        return self.array


def other_forms(images, labels):
    """Tensors, dicts with a label among the inputs, and two inputs without one."""
    whole = quantlens.evaluate(MODEL, (images, labels), "top1", progress=False).accuracy.quantized
    for name, data in {"tensors": (Tensor(images), Tensor(labels)),
                       "dicts with a label": [{"image": a, "label": b, "id": 1} for a, b in zip(images, labels)],
                       "tensors in dicts": [{"image": Tensor(images), "labels": Tensor(labels)}]}.items():
        told = quantlens.evaluate(MODEL, data, "top1", progress=False).accuracy.quantized
        harness.check((told.value, told.samples) == (whole.value, whole.samples), f"{name} give the same figure: {told.value}")
    nodes = [onnx.helper.make_node("MatMul", [name, f"w{name}"], [f"h{name}"], name=f"m{name}") for name in "ab"]
    nodes.append(onnx.helper.make_node("Add", ["ha", "hb"], ["y"], name="add"))
    draw = np.random.default_rng(0)
    weights = [onnx.numpy_helper.from_array(draw.normal(size=(side, 5)).astype(np.float32), f"w{name}")
               for name, side in (("a", 3), ("b", 4))]
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(nodes, "g", [value("a", 1, ["N", 3]), value("b", 1, ["N", 4])], [value("y", 1, ["N", 5])],
                                   weights)
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8), "two.onnx")
    left, right = (draw.normal(size=(20, side)).astype(np.float32) for side in (3, 4))
    made = [pathlib.Path(quantlens.quantize("two.onnx", data, output="two_int8.onnx", progress=False).output).read_bytes()
            for data in (list(zip(left, right)), iter([(left, right)]), {"a": left, "b": right})]
    harness.check(made[0] == made[1] == made[2], "two inputs in their order are no input with a label")


def scored_apart(images, labels):
    """An object as metric keeps nothing of one model for the other."""
    bad = quantlens.quantize(MODEL, images, recipe=BROKEN, output="bad.onnx", progress=False).output
    mine = Top1()
    told, wanted = (quantlens.evaluate(bad, (images, labels), metric, against=MODEL, progress=False).accuracy
                    for metric in (mine, "top1"))
    harness.check((told.quantized.value, told.reference.value) == (wanted.quantized.value, wanted.reference.value),
                  f"an object as metric scores both models: {told.quantized.value}, {told.reference.value}")
    harness.check(mine.count == 0, "and stays as it was")
    mine.lock = threading.Lock()
    refused(quantlens.Failed, ["cannot be copied"], lambda: quantlens.evaluate(MODEL, (images, labels), mine, progress=False))


def memory_is_flat():
    """However many samples an iterable gives."""
    def peak(count):
        script = f"""
import sys; sys.path.insert(0, {PACKAGE!r})
import resource, numpy as np, quantlens
batches = ((np.zeros((500, 1, 8, 8), np.float32), np.zeros(500, np.int64)) for _ in range({count}))
quantlens.evaluate({str(MODEL)!r}, batches, "top1", batch_size=500, progress=False)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""
        return int(subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, check=True).stdout)

    few, many = peak(4), peak(200)
    harness.check(many - few < 12, f"100,000 samples of an iterator (26 MB) take {many} MB, 2,000 take {few}")


def any_model(images):
    content = MODEL.read_bytes()
    made = [quantlens.quantize(model, images[:50], output=f"{at}.onnx", progress=False).output
            for at, model in enumerate((MODEL, content, onnx.load(MODEL)))]
    harness.check(pathlib.Path(made[0]).read_bytes() == pathlib.Path(made[1]).read_bytes(), "bytes are a model")
    sessions = [onnx.load(path) for path in made]
    harness.check(len(sessions[0].graph.node) == len(sessions[2].graph.node), "an onnx.ModelProto is one")
    harness.check(quantlens.inspect(content).inputs[0].name == "image", "inspect takes all of them")


def tuned_with_a_function(images, labels):
    run = quantlens.tune(MODEL, (images, labels), right, output="tuned.onnx", recipe=BROKEN, max_trials=5, progress=False)
    harness.check(run.study.reached and pathlib.Path("tuned.onnx").exists(), run.verdict)
    calls = []

    def fails_late(outputs, wanted):
        calls.append(1)
        if len(calls) > len(images) + 100:
            raise KeyError("late")
        return right(outputs, wanted) * 0.9

    error = refused(quantlens.Failed, ["metric", "KeyError"],
                    lambda: quantlens.tune(MODEL, (images, labels), fails_late, output="late.onnx", recipe=BROKEN, max_loss=-0.5, batch_size=1,
                                           progress=False))
    harness.check(isinstance(error.__cause__, KeyError), "what the metric raised is the cause")
    kept = quantlens.open_run("last")
    harness.check(kept.run.state == "failure" and "KeyError" in kept.run.message, "the run says so")


def bad_input(images, labels):
    used = iter(Loader(images, labels))
    list(used)
    evaluate = lambda data, metric="top1", **rest: quantlens.evaluate(MODEL, data, metric, progress=False, **rest)  # noqa: E731
    refused(quantlens.BadInput, ["no sample", "used before"], lambda: evaluate(used))
    refused(quantlens.BadInput, ["float32 [1,8,8]"], lambda: evaluate((images[:, :, :4], labels)))
    refused(quantlens.BadInput, ["first axes differ"], lambda: evaluate((images, labels[:-1])))
    refused(quantlens.BadInput, ["labels"], lambda: evaluate(iter([(images[:4], labels[:4]), (images[4:8], None)])))
    refused(quantlens.BadInput, ["no labels"], lambda: evaluate(images))
    refused(quantlens.UsageError, ["'top7'"], lambda: evaluate((images, labels), "top7"))
    refused(quantlens.UsageError, ["weigt", "weight"], lambda: quantlens.quantize(MODEL, images, recipe={"weigt": 1}, progress=False))
    refused(quantlens.UsageError, ["recipe", "int"], lambda: quantlens.quantize(MODEL, images, recipe=5, progress=False))
    refused(quantlens.NotFound, ["no.yaml"], lambda: quantlens.quantize(MODEL, images, recipe="no.yaml", progress=False))
    refused(quantlens.UsageError, ["limit"], lambda: evaluate((images, labels), limit=-1))
    refused(quantlens.NotFound, ["no.onnx"], lambda: quantlens.quantize("no.onnx", images, progress=False))
    refused(quantlens.UsageError, ["model=3", "path"], lambda: quantlens.inspect(3))
    refused(quantlens.UsageError, ["data=None", "is no data"], lambda: evaluate(None))
    refused(quantlens.UsageError, ["data", "empty"], lambda: evaluate({}))
    refused(quantlens.BadInput, ["image", "one number"], lambda: evaluate({"image": 3.0}))
    refused(quantlens.UsageError, ["metric", "to"], lambda: evaluate((images, labels), "to\np1"))
    refused(quantlens.NotFound, ["no"], lambda: quantlens.open_run("no\nrun"))
    refused(quantlens.NotFound, ["no", ".onnx"], lambda: quantlens.inspect("no\n.onnx"))
    for port in (-1, 0, 65536, "x"):
        refused(quantlens.UsageError, ["port"], lambda port=port: quantlens.serve(port=port))
    tempfile.tempdir = "/no/such/folder"
    try:
        error = refused(quantlens.IoError, ["TMPDIR"], lambda: evaluate(iter(Loader(images, labels))))
        harness.check("the data" not in str(error), "a temporary folder that cannot be written is no fault of the data")
    finally:
        tempfile.tempdir = None

    class Broken(Digits):
        def __getitem__(self, index):
            if index == 70:
                raise RuntimeError("disk")
            return super().__getitem__(index)

    error = refused(quantlens.Error, ["sample 70", "RuntimeError: disk"], lambda: evaluate(Broken(images, labels)))
    harness.check(isinstance(error.__cause__, RuntimeError), "what the data raised is the cause")


def other_threads_run(images, labels):
    """The GIL is free while a verb works."""
    ticks, over = [], threading.Event()

    def tick():
        while not over.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    begun = time.monotonic()
    quantlens.quantize(MODEL, (images, labels), output="ticks.onnx", diagnose=True, progress=False)
    ended = time.monotonic()
    over.set()
    thread.join()
    meanwhile = sum(begun < one < ended for one in ticks)
    harness.check(meanwhile >= 5, f"another thread ran meanwhile, {meanwhile} times in {ended - begun:.2f} s")


def interrupted(sandbox):
    """Ctrl-C ends a verb with KeyboardInterrupt, and what was measured stays."""
    script = sandbox.write("long.py", f"""
import sys; sys.path.insert(0, {PACKAGE!r})
import time, numpy as np, quantlens
class Slow:
    def __len__(self): return 100000
    def __getitem__(self, index):
        if index == 5: print("begun", flush=True)
        time.sleep(0.01)
        return np.zeros((1, 8, 8), np.float32), 0
try:
    quantlens.evaluate({str(MODEL)!r}, Slow(), "top1", progress=False)
except KeyboardInterrupt:
    print("stopped", quantlens.open_run("last").run.message, flush=True)
""")
    process = subprocess.Popen([sys.executable, "-B", str(script)], stdout=subprocess.PIPE, text=True, env=sandbox.environment,
                               cwd=sandbox.path)
    harness.check(process.stdout.readline().strip() == "begun", "a slow evaluation has begun")
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    rest = process.communicate(timeout=60)[0]
    harness.check("stopped interrupted" in rest and process.returncode == 0, f"Ctrl-C ends it: {rest.strip()}")
    harness.check(time.monotonic() - begun < 10, "at once")


def labels_beside_inputs(images, labels):
    """A dict, and what np.load gives of the file that the command line takes."""
    whole = quantlens.evaluate(MODEL, harness.DEMO / "digits.npz", "top1", progress=False).accuracy.quantized
    with np.load(harness.DEMO / "digits.npz") as file:
        for name, data in {"np.load": file, "a dict of it": dict(file), "labels": {"image": images, "labels": labels},
                           "big-endian arrays": (images.astype(">f4"), labels.astype(">i8")),
                           "lists": (images.tolist(), labels.tolist())}.items():
            told = quantlens.evaluate(MODEL, data, "top1", progress=False).accuracy.quantized
            harness.check((told.value, told.samples) == (whole.value, whole.samples), f"{name}: {told.value}")
    made = [pathlib.Path(quantlens.quantize(MODEL, data, output="beside.onnx", progress=False).output).read_bytes()
            for data in (images[:50], {"image": images[:50], "label": labels[:50]}, list(images[:50].astype(">f4")))]
    harness.check(made[0] == made[1] == made[2], "a label does not change what is calibrated, nor the order of bytes")


class Notes:
    def __init__(self):
        self.notes = []

    def update(self, step, done, total):
        pass

    def note(self, sentence):
        self.notes.append(sentence)


def nan_is_told(images, labels):
    notes = Notes()
    quantlens.evaluate(MODEL, (images, labels), lambda outputs, labels: float("nan"), progress=notes)
    harness.check(sum("gave NaN" in one for one in notes.notes) == 1, f"a metric that gives NaN: {notes.notes}")
    notes = Notes()
    quantlens.evaluate(MODEL, (images, labels), right, progress=notes)
    harness.check(not any("NaN" in one for one in notes.notes), "and nothing is said of others")


STUCK = {
    "a metric that sleeps": ("Samples()", "lambda outputs, labels: (began(), time.sleep(100))"),
    "a metric that computes": ("Samples()", "busy"),
    "a dataset that sleeps": ("Sleeping()", "'top1'"),
    "a metric that wakes up while Python ends": ("Samples()", "lambda outputs, labels: (began(), time.sleep(3))"),
}


def interrupted_inside(sandbox):
    """Ctrl-C ends a verb that waits for a single long call of the caller's, and the process ends as others do."""
    for name, (data, metric) in STUCK.items():
        script = sandbox.write("stuck.py", f"""
import sys; sys.path.insert(0, {PACKAGE!r})
import time, numpy as np, quantlens
def began(): print("begun", flush=True)
def busy(outputs, labels):
    began()
    while True: pass
class Slow:
    def __del__(self, sleep=time.sleep): sleep(1.5)
sys.slow = Slow()
class Samples:
    def __len__(self): return 1000
    def __getitem__(self, index): return np.zeros((1, 8, 8), np.float32), 0
class Sleeping(Samples):
    def __getitem__(self, index):
        if index == 5:
            began()
            time.sleep(100)
        return super().__getitem__(index)
try:
    quantlens.evaluate({str(MODEL)!r}, {data}, {metric}, progress=False)
except KeyboardInterrupt:
    print("stopped", flush=True)
    print(quantlens.inspect({str(MODEL)!r}).inputs[0].name, flush=True)
""")
        with subprocess.Popen([sys.executable, "-B", str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=sandbox.environment, cwd=sandbox.path) as process:
            try:
                harness.check(process.stdout.readline().strip() == "begun", f"{name} has begun")
                time.sleep(0.2)
                process.send_signal(signal.SIGINT)
                begun = time.monotonic()
                rest, told = process.communicate(timeout=20)
            finally:
                process.kill()
            harness.check(rest.split() == ["stopped", "image"] and process.returncode == 0,
                          f"Ctrl-C ends {name} in {time.monotonic() - begun:.1f} s: {rest.split()} {told[-300:]}")


def forked(images, labels):
    child = os.fork()
    if child == 0:
        try:
            told = quantlens.evaluate(MODEL, (images[:50], labels[:50]), "top1", progress=False)
            os._exit(0 if told.accuracy.quantized.samples == 50 else 1)
        except BaseException:  # noqa: BLE001: the parent tells
            os._exit(2)
    harness.check(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, "a fork after the import works")
    run = quantlens.quantize(MODEL.read_bytes(), images[:10], output="forked.onnx", progress=False)
    kept = pathlib.Path(run.run.models[0].path)
    ended = subprocess.run([sys.executable, "-B", "-c", f"""
import sys; sys.path.insert(0, {PACKAGE!r})
import os, pathlib, quantlens.models
kept = quantlens.models.kept_file(b"mine")
child = os.fork()
if child == 0:
    assert quantlens.models.kept_file(b"mine") != kept
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
print(os.path.exists(kept))
import shutil; shutil.rmtree(os.path.dirname(kept))
again = quantlens.models.kept_file(b"mine")
print(os.path.exists(again), len(list(pathlib.Path(again).parent.parent.glob("quantlens-files-*"))))
"""], capture_output=True, text=True, check=False, env=dict(os.environ, TMPDIR=os.getcwd()))
    harness.check(ended.stdout.split() == ["True", "True", "1"],
                  f"a child that ends leaves its parent's models: {ended.stdout.split()} {ended.stderr}")
    harness.check(kept.exists() and not list(pathlib.Path().glob("quantlens-files-*")), "and each removes its own")


def in_shards(sandbox, model):
    """By processes, one of which is killed: equal bytes to one run."""
    data = harness.DEMO / "digits.npz"
    whole = quantlens.calibrate(MODEL, data, output="whole.bin", progress=False)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        told = quantlens.calibrate(MODEL, data, output="merged.bin", executor=pool, shards=4, progress=False)
        harness.check(told.samples == whole.statistics.samples, f"four shards have all {told.samples} samples")
        harness.check(pathlib.Path("merged.bin").read_bytes() == pathlib.Path("whole.bin").read_bytes(), "and merge to equal bytes")
        one = quantlens.diagnose(MODEL, model, data, metric="top1", progress=False)
        parts = quantlens.diagnose(MODEL, model, data, metric="top1", executor=pool, shards=3, progress=False)
        harness.check(parts.accuracy.to_dict() == one.accuracy.to_dict(), "so does a diagnosis: its accuracy")
        same = [(a.value, a.sqnr_db, a.mse, a.sqnr_db_interval) for a in one.diagnosis.activations]
        harness.check(same == [(a.value, a.sqnr_db, a.mse, a.sqnr_db_interval) for a in parts.diagnosis.activations], "and its activations")
        for name in ("diagnosis.json", "histograms.bin", "passes.bin", "accuracy.json", "accuracy_state.bin", "activations_table.csv"):
            harness.check(harness.stored(pathlib.Path(parts.folder, name)) == harness.stored(pathlib.Path(one.folder, name)),
                          f"local errors and findings among them: {name} has equal bytes")
        arrays = np.load(data)
        torn = [(image if at not in (2, 5, 11) else np.zeros((1, 9, 9), np.float32), int(label))
                for at, (image, label) in enumerate(zip(arrays["image"][:80], arrays["label"]))]
        alone = quantlens.diagnose(MODEL, model, torn, metric="top1", progress=False)
        parts = quantlens.diagnose(MODEL, model, torn, metric="top1", progress=False, executor=pool, shards=3)
        for name in ("diagnosis.json", "passes.bin"):
            harness.check(harness.stored(pathlib.Path(parts.folder, name)) == harness.stored(pathlib.Path(alone.folder, name)),
                          f"also where first samples cannot be read: {name}")
        pool.submit(os.kill, pool.submit(os.getpid).result(), signal.SIGKILL)
        told = quantlens.evaluate(model, data, "top1", executor=pool, shards=3, progress=False)
        harness.check(told.accuracy.quantized.value == one.accuracy.quantized.value, "a worker that is killed is done without")
        harness.check(told.run.verb == "evaluate" and "-evaluate-" in told.id, f"and the run is one of evaluate: {told.id}")
        harness.check(not any("judge" in note for note in told.run.notes), f"that tells of no other verb: {told.run.notes}")
        told = quantlens.evaluate(model, data, "top1", executor=pool, shards=3, progress=False)
        harness.check(told.accuracy.quantized.value == one.accuracy.quantized.value, "so is a pool that takes nothing any more")
    with_odd_executors(data, whole)
    killed_at_work(data)
    refused(quantlens.UsageError, ["all samples", "shard"],
            lambda: quantlens.evaluate(model, data, "top1", shard=(1, 2), executor=concurrent.futures.ThreadPoolExecutor(1), progress=False))
    refused(quantlens.UsageError, ["metric of your own"],
            lambda: quantlens.evaluate(model, data, right, executor=concurrent.futures.ThreadPoolExecutor(1), progress=False))
    refused(quantlens.UsageError, ["cannot be sent"],
            lambda: quantlens.evaluate(model, (one for one in []), "top1", executor=concurrent.futures.ThreadPoolExecutor(1), progress=False))


def killed(function, *args):
    """On a worker: as far as what it keeps meanwhile, and no further."""
    quantlens.verbs.gather = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    return function(*args)


class Killed(concurrent.futures.ProcessPoolExecutor):
    def submit(self, function, /, *args):
        return super().submit(killed, function, *args)


def killed_at_work(data):
    """Its folder stays behind, and is removed by the run that did without it; another's is not."""
    folder = pathlib.Path("temporary").resolve()
    folder.mkdir()
    before = tempfile.tempdir, os.environ.get("TMPDIR")
    tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
    try:
        with Killed(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            dead = quantlens.shards.PREFIX + "other-"
            with contextlib.suppress(concurrent.futures.process.BrokenProcessPool):
                pool.submit(quantlens.shards.compute, "calibrate", {}, 1, 2, "other").result()
            left = [one.name for one in folder.iterdir()]
            harness.check(len(left) == 1 and left[0].startswith(dead), f"a worker that is killed leaves its folder: {left}")
        with Killed(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            quantlens.calibrate(MODEL, data, output="merged.bin", executor=pool, shards=2, progress=False)
        harness.check([one.name for one in folder.iterdir()] == left, "a run removes what its own workers left, and no more")
        harness.check(pathlib.Path("merged.bin").read_bytes() == pathlib.Path("whole.bin").read_bytes(), "and merges to equal bytes")
    finally:
        tempfile.tempdir = before[0]
        if before[1] is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = before[1]
        shutil.rmtree(folder)


class Odd(concurrent.futures.ThreadPoolExecutor):
    """Gives something else than what was computed."""

    def __init__(self, gives):
        super().__init__(1)
        self.gives, self.submitted = gives, 0

    def submit(self, function, /, *args):
        self.submitted += 1
        return super().submit(lambda: self.gives)


def with_odd_executors(data, whole):
    content = pathlib.Path("whole.bin").read_bytes()
    for gives in (None, b"x", "text", b"PK\x05\x06" + bytes(18)):
        quantlens.calibrate(MODEL, data, output="odd.bin", executor=Odd(gives), shards=2, progress=False)
        harness.check(pathlib.Path("odd.bin").read_bytes() == content,
                      f"an executor that gives {gives!r:.20} is done without, over a file that was there")
    none = Odd(None)
    refused(quantlens.UsageError, ["program"],
            lambda: quantlens.evaluate(MODEL, data, "command:true", executor=none, progress=False))
    refused(quantlens.IoError, ["no_folder"],
            lambda: quantlens.calibrate(MODEL, data, output="no_folder/odd.bin", executor=none, progress=False))
    refused(quantlens.UsageError, ["digits.npz"],
            lambda: quantlens.calibrate(MODEL, data, output=data, executor=none, progress=False))
    harness.check(none.submitted == 0, "and nothing was sent before")
    pathlib.Path("top1").write_text("a file", encoding="utf-8")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        told = quantlens.evaluate(MODEL, data, "top1", executor=pool, limit=96, batch_size=32, progress=False)
        harness.check(told.accuracy.quantized.samples == 96,
                      "where there are fewer batches than workers, as many shards as batches; whatever a file is called")
        refused(quantlens.UsageError, ["at most 3"],
                lambda: quantlens.evaluate(MODEL, data, "top1", executor=pool, shards=4, limit=96, batch_size=32, progress=False))
    pathlib.Path("top1").unlink()


def told_to_callbacks(images, labels):
    """When a verb has ended, and before it begins if they are none."""
    told = []
    run = quantlens.evaluate(MODEL, (images, labels), "top1", progress=False, callbacks=[told.append])
    harness.check(told == [run], "a callback gets the run")
    run = quantlens.diagnose(MODEL, MODEL, images[:50], progress=False,
                             callbacks=[functools.partial(quantlens.tensorboard, logdir="from_callback"), told.append])
    harness.check(any(pathlib.Path("from_callback").rglob("events*")) and told[-1] is run,
                  "one for TensorBoard has written event files, several go in turn")
    judged = quantlens.judge(run, progress=False, callbacks=[told.append])
    harness.check(told[-1] is judged, "judge has them, too")
    refused(quantlens.UsageError, ["callbacks", "functions"],
            lambda: quantlens.evaluate(MODEL, images, "no metric", callbacks=[3]))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        parts = quantlens.diagnose(MODEL, MODEL, images[:50], executor=pool, progress=False, callbacks=[told.append])
        harness.check(told[-1] is parts, "with an executor they get the run of all parts")
        refused(quantlens.UsageError, ["callbacks", "calibrate"],
                lambda: quantlens.calibrate(MODEL, images, output="none.bin", executor=pool, callbacks=[told.append]))


def compared_by_figures(run):
    """What MLflow logs, without MLflow."""
    from quantlens.figures import metrics_of, params_of
    metrics, params = metrics_of(run), params_of(run)
    harness.check(metrics["accuracy"] == run.accuracy.quantized.value
                  and metrics["worst_sqnr_db"] == min(one.sqnr_db for one in run.diagnosis.activations),
                  f"figures for a list of runs: {len(metrics)} numbers")
    harness.check(metrics["quantized_share"] == 22 / 23 and metrics["quantized_bytes"] == os.path.getsize(run.output),
                  "the share of int8 ops and the size")
    harness.check(params["recipe.accuracy_level"] == "fast" and params["reference_model"] == str(MODEL),
                  f"and {len(params)} words that were asked")


def examples_of_docstrings(sandbox, images, labels):
    """Of every function of the package: they run, and print what they say."""
    folder = sandbox.path / "examples"
    folder.mkdir()
    shutil.copy(MODEL, folder / "float.onnx")
    quantlens.quantize(MODEL, images, output=folder / "per_tensor.onnx", recipe=BROKEN, progress=False)
    names = {"quantlens": quantlens, "images": images, "labels": labels}
    runner, finder = doctest.DocTestRunner(verbose=False), doctest.DocTestFinder(recurse=False)
    without = []
    os.chdir(folder)
    for name in ("__doc__", *quantlens.__all__):
        known = quantlens if name == "__doc__" else getattr(quantlens, name)
        if name != "__doc__" and not inspect.isfunction(known):
            continue
        found = [one for one in finder.find(known, name, globs=names) if one.examples]
        without += [] if found else [name]
        for one in found:
            runner.run(one)
    os.chdir(sandbox.path)
    told = runner.summarize(verbose=False)
    harness.check(told.failed == 0 and told.attempted >= 39, f"{told.attempted} lines of examples in docstrings do what they say")
    harness.check(not without, f"functions without an example: {without}")


def types_are_known(sandbox):
    """mypy agrees with the package, and finds a mistake of a user's."""
    harness.need("mypy")
    script = sandbox.write("typed.py", """
import quantlens
run = quantlens.open_run("last")
if run.diagnosis:
    shares: list[float | None] = [one.output_share for one in run.findings]
    run.diagnosis.activations[0].sqnr_bd
""")
    wrong = sandbox.write("strict.py", "import quantlens\nquantlens.quantise\nprint(quantlens.records.Plan)\n")
    strict = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(sandbox.path / "mypy"), str(wrong)],
                            capture_output=True, text=True, env=dict(sandbox.environment, MYPYPATH=PACKAGE), cwd=sandbox.path,
                            check=False).stdout
    harness.check("quantise" in strict and "Plan" not in strict, f"a function that there is not: {strict.strip()}")
    checked = [subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(sandbox.path / "mypy"), what], capture_output=True, text=True,
                              env=dict(sandbox.environment, MYPYPATH=PACKAGE), cwd=sandbox.path, check=False).stdout
               for what in (str(pathlib.Path(PACKAGE, "quantlens")), str(script))]
    harness.check("no issues found" in checked[0], f"mypy of the package: {checked[0].strip()}")
    harness.check("Found 1 error" in checked[1] and 'maybe "sqnr_db"' in checked[1], f"and of a script: {checked[1].strip()}")


def has_all_verbs(sandbox):
    """Every command is a function of the package, but for those of people who sit before a terminal."""
    listed = sandbox.run("--help").stdout
    verbs = [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2:3].isalpha()]
    harness.check(len(verbs) > 15, f"the command line has {verbs}")
    missing = [verb for verb in verbs if verb not in quantlens.__all__ and verb not in ("worker", "completion", "manual")]
    harness.check(not missing, f"all of them but for those of a terminal are functions: {missing}")


def main():
    sandbox = harness.Sandbox()
    os.environ["QUANTLENS_WORKSPACE"] = sandbox.environment["QUANTLENS_WORKSPACE"]
    os.chdir(sandbox.path)
    images, labels = load("digits.npz")
    calibration, _ = load("calibration.npz")
    run = as_on_the_command_line(sandbox, images, labels, calibration)
    any_data(run.output, images, labels)
    other_forms(images, labels)
    scored_apart(images, labels)
    any_model(images)
    memory_is_flat()
    tuned_with_a_function(images, labels)
    bad_input(images, labels)
    other_threads_run(images, labels)
    labels_beside_inputs(images, labels)
    nan_is_told(images, labels)
    forked(images, labels)
    interrupted(sandbox)
    interrupted_inside(sandbox)
    in_shards(sandbox, run.output)
    told_to_callbacks(images, labels)
    compared_by_figures(run)
    examples_of_docstrings(sandbox, images, labels)
    types_are_known(sandbox)
    has_all_verbs(sandbox)
    harness.check(len(quantlens.tensorboard(run, logdir="runs")) == 2, "event files are written")
    harness.check(pathlib.Path(quantlens.export(run, "csv", "tables"), "activations.csv").exists(), "and tables")
    times = quantlens.profile(MODEL, run.output, images, iterations=30, verify=0, scaling=False, machine=False, progress=False)
    harness.check(times.profile.quantized is not None and times.profile.ops, times.verdict)
    told = quantlens.benchmark(MODEL, rounds=1, iterations=20, progress=False).benchmark.results[0]
    harness.check(told.latency_ms > 0, "a benchmark has a latency")
    quantlens.calibrate(MODEL, calibration, output="statistics.bin", progress=False)
    made = quantlens.quantize(MODEL, ranges="statistics.bin", output="by_ranges.onnx", progress=False)
    harness.check(made.plan is not None and made.diagnosis is None, "statistics are taken instead of data")
    harness.check(len(quantlens.workloads()) > 10, "the workspace lists the runs")


if __name__ == "__main__":  # processes of a pool import this file
    main()
