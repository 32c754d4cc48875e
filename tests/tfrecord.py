# SPDX-License-Identifier: Apache-2.0
"""Images in TFRecord files, as examples/tfrecord writes them and TensorFlow reads them, are the samples of their folder."""
import json
import os
import subprocess
import sys

import harness

WRITER = harness.SOURCE / "examples" / "tfrecord" / "write_tfrecord.py"
COUNT = 40
DOCUMENT = {"crop": 224, "mean": 127.5, "std": 127.5, "layout": "nchw"}
STEPS = ", ".join(f"{key}: {value}" for key, value in DOCUMENT.items())


def write(*words):
    done = subprocess.run([sys.executable, str(WRITER), *map(str, words)], capture_output=True, text=True, check=False)
    harness.check(done.returncode == 0, f"written: {' '.join((done.stdout + done.stderr).split())[-120:]}")


def accuracy(sandbox, model, data, metric=harness.MOBILENET_METRIC):
    told = sandbox.json("evaluate", model, "--data", data, "--metric", metric)
    return told["value"], told["samples"]


def check_with_tensorflow(files, labels):
    """TensorFlow's own reader gives the same bytes and classes; where it is not installed, that is said."""
    try:
        import tensorflow as tf
    except ImportError:
        print("left out what TensorFlow reads (this Python has no tensorflow)")
        return
    features = {"image/encoded": tf.io.FixedLenFeature([], tf.string), "image/class/label": tf.io.FixedLenFeature([], tf.int64)}
    read = [tf.io.parse_single_example(one, features) for one in tf.data.TFRecordDataset([str(file) for file in files])]
    images = [one["image/encoded"].numpy() for one in read]
    folder = harness.TESTDATA / "imagenet" / "images"
    harness.check(images == [(folder / line.split()[0]).read_bytes() for line in labels], "TensorFlow reads the same images")
    harness.check([int(one["image/class/label"]) for one in read] == [int(line.split()[1]) + 1 for line in labels],
                  "TensorFlow reads the same classes")


def check_package(sandbox, model, expected):
    """A dict with a relative pattern means the files beside the caller."""
    package = os.environ.get("QUANTLENS_PYTHON_PACKAGE")
    if not package:
        print("left out the Python package (QUANTLENS_PYTHON_PACKAGE does not name it)")
        return
    code = ("import json, quantlens\n"
            f"data = json.loads({json.dumps(json.dumps(dict(tfrecord=dict(files='val-*', **DOCUMENT))))})\n"
            f"told = quantlens.evaluate({str(model)!r}, data, metric='top1', progress=False)\n"
            "print(told.accuracy.quantized.value)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=sandbox.path,
                          env=dict(sandbox.environment, PYTHONPATH=package))
    harness.check(done.stdout.strip() == str(expected), f"the package reads the same: {(done.stdout + done.stderr).strip()[-80:]}")


def main():
    sandbox = harness.Sandbox()
    testdata = harness.need_testdata()
    model = testdata / "models" / "mobilenet_v1_0.25_224.onnx"
    images = testdata / "imagenet" / "images"
    lines = (testdata / "imagenet" / "val.txt").read_text().splitlines()[:COUNT]
    labels = sandbox.write("labels.txt", "\n".join(lines) + "\n")

    write(images, labels, sandbox.path / "one.tfrecord")
    write(images, labels, sandbox.path / "val", "--shards", 3, "--first-class", 1)
    shards = sorted(sandbox.path.glob("val-0000?-of-00003"))
    harness.check(len(shards) == 3, "three shards are three files")

    folder = sandbox.write("folder.yaml", f"images: {{folder: {images}, labels: {labels}, {STEPS}}}\n")
    one = sandbox.write("one.yaml", f"tfrecord: {{files: one.tfrecord, {STEPS}}}\n")
    whole = accuracy(sandbox, model, folder)
    harness.check(accuracy(sandbox, model, one) == whole, f"a record file has the accuracy of its folder: {whole}")

    many = sandbox.write("many.yaml", f"tfrecord: {{files: val-*, {STEPS}}}\n")
    harness.check(accuracy(sandbox, model, many, "top1") == whole, "shards whose classes begin with 1 need no offset")
    check_with_tensorflow(shards, lines)
    check_package(sandbox, model, whole[0])

    for name, data in (("folder", folder), ("records", many)):
        sandbox.run("calibrate", model, "--data", data, "-o", sandbox.path / f"{name}.bin")
    harness.check((sandbox.path / "folder.bin").read_bytes() == (sandbox.path / "records.bin").read_bytes(),
                  "statistics over both have equal bytes")

    cut = sandbox.path / "cut.tfrecord"
    cut.write_bytes((sandbox.path / "one.tfrecord").read_bytes()[:-10])
    done = sandbox.run("evaluate", model, "--data", cut, "--metric", "top1", code=1)
    harness.check(f"ends inside record {COUNT - 1}" in done.stderr, f"a file that was cut off is refused: {done.stderr.strip()}")
    done = sandbox.run("evaluate", model, "--data", sandbox.path / "one.tfrecord", "--metric", harness.MOBILENET_METRIC)
    harness.check("0 to 255" in done.stdout + done.stderr, "a bare record file says what is assumed of it")


main()
