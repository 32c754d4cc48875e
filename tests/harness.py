# SPDX-License-Identifier: Apache-2.0
"""What the script tests share: the program, real data where there are some, and a way to skip."""

import functools
import gzip
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("QUANTLENS_SOURCE_DIR", pathlib.Path(__file__).parent.parent))
TESTDATA = pathlib.Path(os.environ.get("QUANTLENS_TESTDATA", SOURCE.parent / "shared" / "testdata"))
DEMO = SOURCE / "examples" / "demo"


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def program():
    path = os.environ.get("QUANTLENS_PROGRAM")
    if not path:
        skip("QUANTLENS_PROGRAM does not name the program")
    return path


def need_testdata():
    if not TESTDATA.is_dir():
        skip(f"the test data are absent ({TESTDATA})")
    return TESTDATA


def need(*modules):
    for module in modules:
        try:
            __import__(module)
        except ImportError:
            skip(f"this Python has no {module}; tools/setup --tests installs one that has")


def tensorflow():
    """The module. Where this Python has none, the script goes on in that which QUANTLENS_TENSORFLOW_PYTHON names."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    try:
        import tensorflow as tf
    except ImportError:
        other = os.environ.pop("QUANTLENS_TENSORFLOW_PYTHON", None)
        if not other:
            skip("this Python has no tensorflow, and QUANTLENS_TENSORFLOW_PYTHON names none that has")
        sys.stdout.flush()
        os.execv(other, [other, "-B", *sys.argv])
    os.environ.setdefault("QUANTLENS_TENSORFLOW", str(pathlib.Path(tf.__file__).parent.parent))
    return tf


def python_package():
    """The folder that the Python package was built into."""
    package = os.environ.get("QUANTLENS_PYTHON_PACKAGE", "")
    if not package or not pathlib.Path(package, "quantlens").is_dir():
        skip("the Python package was not built; configure with -DQUANTLENS_PYTHON=ON after tools/setup --tests")
    return package


@functools.cache
def has_vnni():
    """Whether sums of 8-bit products are exact here: without, int8 kernels saturate, and the default weights have 7 bits."""
    done = subprocess.run([program(), "doctor", "--output", "json"], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)["vnni"]


def only_with_vnni(claim):
    """Whether a check that CPUs without VNNI cannot make is to be made; where not, it is named as left out."""
    if not has_vnni():
        print("left out", claim, "(this CPU has no VNNI)")
    return has_vnni()


def eight_bits():
    """Options of quantize and tune by which weights have 8 bits here as well: where int8 ones would have 7, in uint8. Sums
    of products of uint8 by uint8 are exact on all CPUs, so figures are those of int8 weights on CPUs that have VNNI."""
    return [] if has_vnni() else ["--recipe", "{weight: {dtype: uint8}}"]


def exact(path, copy):
    """A file with int8 weights; where kernels would saturate their sums, a copy of it with the same numbers in uint8."""
    if has_vnni():
        return path
    import numpy as np
    import onnx
    from onnx import numpy_helper

    model = onnx.load(path)
    stored = {tensor.name: tensor for tensor in model.graph.initializer}
    places = {"DequantizeLinear": (0, 2), "QLinearConv": (3, 5), "QLinearMatMul": (3, 5)}  # the weight, its zero points

    def shifted(name):
        new = f"{name}/uint8"
        if new not in stored:
            codes = numpy_helper.to_array(stored[name]).astype(int) + 128
            model.graph.initializer.append(numpy_helper.from_array(codes.astype(np.uint8), new))
            stored[new] = model.graph.initializer[-1]
        return new

    for node in model.graph.node:
        at = places.get(node.op_type, ())
        if at and node.input[at[0]] in stored and stored[node.input[at[0]]].data_type == onnx.TensorProto.INT8:
            for place in at:
                node.input[place] = shifted(node.input[place])
    read = {name for node in model.graph.node for name in node.input}
    kept = [tensor for tensor in model.graph.initializer if tensor.name in read]
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    onnx.save(model, copy)
    return copy


def file_of(record):
    """Where a record stands: its file may be packed (docs/format.md, "Packed records")."""
    packed = record.with_name(record.name + ".gz")
    return packed if packed.exists() and not record.exists() else record


def stored(record):
    """The bytes of a record."""
    file = file_of(record)
    return file.read_bytes() if file == record else gzip.decompress(file.read_bytes())


def indexed_parts(file):
    """The parts of a file, each with where it begins, and its index (docs/format.md, "Rows")."""
    packed = file.read_bytes()
    end = int(packed[-21:])
    index = json.loads(packed[end:].splitlines()[0])
    assert index["coding"] == "gzip", file
    begins = sorted(itertools.chain.from_iterable(index["columns"].values()) if "columns" in index else index["lists"].values())
    return index, {begin: json.loads(gzip.decompress(packed[begin:after])) for begin, after in itertools.pairwise([*begins, end])}


def with_channels(value, folder):
    """A record with its lists of channels, which stand in a file of their own (docs/format.md, "Lists of channels")."""
    def fill(value):
        if isinstance(value, list):
            return [fill(one) for one in value]
        if not isinstance(value, dict):
            return value
        if set(value) == {"list"}:
            index, lists = indexed_parts(folder / "channels.bin")
            return lists[index["lists"][value["list"]]]
        return {key: fill(field) for key, field in value.items()}

    return fill(value)


def with_rows(value, prefix):
    """A record with its long lists, which stand in files of their own (docs/format.md, "Rows")."""
    if not isinstance(value, dict):
        return value
    if set(value) != {"rows", "stamp"}:
        return {key: with_rows(field, f"{prefix}.{key}") for key, field in value.items()}
    index, cells = indexed_parts(pathlib.Path(prefix + ".rows"))
    assert index["stamp"] == value["stamp"] and index["rows"] == value["rows"], prefix
    columns = {name: [cell for begin in blocks for cell in cells[begin]] for name, blocks in index["columns"].items()}
    rows = [{} for _ in range(index["rows"])]
    for name, cells in columns.items():
        *path, last = name.split(".")  # "op.id": a member of an object
        for row, cell in zip(rows, cells):
            for part in path:
                row = row.setdefault(part, {})
            row[last] = cell
    return rows


class Sandbox:
    """A folder with a workspace of its own, in which commands run."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="quantlens-test-")
        self.path = pathlib.Path(self._folder.name)
        self.environment = dict(os.environ, QUANTLENS_WORKSPACE=str(self.path / "workspace"))

    def run(self, *arguments, code=0, timeout=500, **options):
        """Runs the program; any other exit code fails the test. Returns what it printed, but for the line on standard
        error that tells the workload's id first; that is `told_id`."""
        done = subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True, cwd=self.path,
                              env=self.environment, timeout=timeout, check=False, **options)
        if code is not None and done.returncode != code:
            raise AssertionError(f"exit code {done.returncode}, not {code}, of {arguments}:\n{done.stderr}")
        first, rest, *_ = [*(done.stderr or "").split("\n", 1), ""]
        done.told_id = first.split()[1] if first.startswith("workload: ") else None
        if done.told_id:
            done.stderr = rest
        return done

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--output", "json").stdout)

    def write(self, name, text):
        path = self.path / name
        path.write_text(text)
        return path

    def workload(self, identity):
        return self.path / "workspace" / "workloads" / identity

    def record(self, identity, name):
        path = self.workload(identity) / name
        return with_rows(with_channels(json.loads(stored(path)), path.parent), str(path.with_suffix("")))


def identity_of(done):
    """The workload that a verb names in the last line of what it tells people."""
    return next(line for line in reversed(done.stdout.splitlines()) if line.startswith("workload:")).split()[1]


def imagenet(sandbox, folder=None, labels=None, name="imagenet.yaml", crop=224):
    """The document that feeds the MobileNets."""
    folder = folder or TESTDATA / "imagenet" / "images"
    labels = labels or TESTDATA / "imagenet" / "val.txt"
    return sandbox.write(name, f"""images: {{folder: {folder}, labels: {labels}, crop: {crop}, color: rgb,
         mean: [127.5, 127.5, 127.5], std: [127.5, 127.5, 127.5], layout: nchw}}
""")


def squeezenet_data(sandbox, folder=None, labels=None, name="squeezenet.yaml"):
    folder = folder or TESTDATA / "imagenet" / "images"
    labels = labels or TESTDATA / "imagenet" / "val.txt"
    return sandbox.write(name, f"images: {{folder: {folder}, labels: {labels}, crop: 227, color: bgr, layout: nchw}}\n")


def mobilenet_images(count):
    """The first images as MobileNet wants them, [3,224,224] float32, with their classes."""
    return imagenet_pixels(count, crop=224, is_bgr=False, mean=127.5, std=127.5)


def imagenet_pixels(count, crop, is_bgr, mean, std):
    """The first images as [3,crop,crop] float32, (pixel - mean) / std, with their classes: decoded by Pillow."""
    import numpy as np
    from PIL import Image

    for line in (TESTDATA / "imagenet" / "val.txt").read_text().splitlines()[:count]:
        name, label = line.split()
        image = Image.open(TESTDATA / "imagenet" / "images" / name).convert("RGB")
        left, top = (image.width - crop) // 2, (image.height - crop) // 2
        pixels = np.asarray(image.crop((left, top, left + crop, top + crop)), np.float32)
        yield (((pixels[..., ::-1] if is_bgr else pixels) - mean) / std).transpose(2, 0, 1), int(label)


PER_TENSOR = "{accuracy_level: fast, weight: {granularity: per_tensor}}"
MOBILENET_METRIC = "top1:label_offset=1"


def check(condition, claim):
    """One claim of a test, said whether it holds or not."""
    print("ok  " if condition else "FAIL", claim)
    if not condition:
        sys.exit(1)
