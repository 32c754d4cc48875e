# SPDX-License-Identifier: Apache-2.0
"""SavedModels and Keras files are frozen by the worker and quantized as other graphs: they answer as Keras does, the int8 file
is evaluated as it was told, and what cannot be frozen is refused in one sentence. Needs a Python that has TensorFlow, which
QUANTLENS_TENSORFLOW_PYTHON names, beside the library."""
import os
import pathlib
import shutil
import subprocess

import harness
from tensorflow_runs import runtime

import numpy as np

MAKE = """
import os, sys
os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import keras, numpy as np, tensorflow as tf
layers = keras.layers
os.chdir(sys.argv[1])
keras.utils.set_random_seed(1)
def block(x, layer, top):
    x = layers.BatchNormalization()(layer(x))
    return layers.ReLU(max_value=top)(x)
x = given = keras.Input((16, 16, 3), name="photo")
x = block(x, layers.Conv2D(8, 3, padding="same", use_bias=False), None)
x = block(x, layers.DepthwiseConv2D(3, padding="same"), 6.0)
x = block(x, layers.Conv2D(12, 1), 6.0)
x = layers.Dense(10, name="logits")(layers.GlobalAveragePooling2D()(x))
net = keras.Model(given, layers.Softmax()(x))
dice = np.random.default_rng(0)
for layer in net.layers:  # statistics of their own, so that folding has something to do
    if isinstance(layer, layers.BatchNormalization):
        layer.set_weights([dice.uniform(0.5, 1.5, one.shape) for one in layer.get_weights()])
images = dice.uniform(-1, 1, (64, 16, 16, 3)).astype(np.float32)
answers = net(images).numpy()
np.savez("data.npz", photo=images, label=answers.argmax(1))
np.savez("answers.npz", photo=images, label=answers)
net.export("net", verbose=False)
net.save("net.keras")
net.save("net.h5")
odd = keras.Sequential([keras.Input((4,)), layers.Lambda(lambda x: x * 2)])
odd.save("code.keras")
words = keras.Sequential([keras.Input((5,), dtype="int32"), layers.Embedding(20, 6), layers.Flatten(), layers.Dense(3)])
ids = dice.integers(0, 20, (32, 5)).astype(np.int32)
np.savez("words.npz", ids=ids, label=words(ids).numpy())
words.export("words", verbose=False)
recurrent = keras.Sequential([keras.Input((7, 4)), layers.LSTM(5), layers.Dense(2)])
recurrent.export("recurrent", verbose=False)
class Table(tf.Module):
    def __init__(self):
        keys = tf.lookup.KeyValueTensorInitializer(tf.constant([1, 2], tf.int64), tf.constant([1.0, 2.0]))
        self.table = tf.lookup.StaticHashTable(keys, 0.0)
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
    def __call__(self, x):
        return {"y": self.table.lookup(x)}
table = Table()
tf.saved_model.save(table, "table", signatures=table.__call__)
tf1 = tf.compat.v1
with tf.Graph().as_default(), tf1.Session() as session:
    x = tf1.placeholder(tf.float32, [None, 4], name="x")
    w = tf1.get_variable("w", initializer=tf.constant(dice.uniform(-1, 1, (4, 3)).astype(np.float32)), use_resource=False)
    y = tf.nn.relu(tf.matmul(x, w), name="y")
    session.run(tf1.global_variables_initializer())
    rows = dice.uniform(-1, 1, (32, 4)).astype(np.float32)
    np.savez("one.npz", rows=rows, label=session.run(y, {x: rows}))
    tf1.saved_model.simple_save(session, "one", {"rows": x}, {"scores": y})
"""


def makes(sandbox):
    python = os.environ.get("QUANTLENS_TENSORFLOW_PYTHON")
    if not python:
        harness.skip("QUANTLENS_TENSORFLOW_PYTHON names no Python with TensorFlow, which makes the models")
    script = sandbox.write("make.py", MAKE)
    done = subprocess.run([python, script, sandbox.path], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        harness.skip(f"the Python that QUANTLENS_TENSORFLOW_PYTHON names makes no models: {done.stderr[-400:]}")


def refused(sandbox, words, *arguments, environment=None):
    line = [harness.program(), *map(str, arguments)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=sandbox.path,
                          env={**sandbox.environment, **(environment or {})})
    told = [one for one in done.stderr.splitlines() if one.startswith("quantlens: ")]
    harness.check(done.returncode == 1 and len(told) == 1 and all(word in told[0] for word in words),
                  f"{arguments}: exit code 1 and one sentence with {words}: {done.returncode} {done.stderr}")


def answers(sandbox):
    """What they answer is what TensorFlow's Python answered, to rounding."""
    for model, data in {"net": "answers", "net/": "answers", "net/saved_model.pb": "answers", "net.keras": "answers",
                        "net.h5": "answers", "words": "words", "one": "one"}.items():
        told = sandbox.json("evaluate", model, "--data", f"{data}.npz", "--metric", "mae", "--threads", "1")
        harness.check(told["value"] < 1e-6, f"{model} answers as where it was made, to {told['value']:.1e}")


def quantized(sandbox):
    told = sandbox.json("quantize", "net", "--data", "data.npz", "--metric", "top1", "--diagnose")
    int8 = sandbox.path / "net.int8.pb"
    harness.check(pathlib.Path(told["output"]).name == int8.name, f"it is {told['output']}")
    harness.check(told["reference"]["value"] == 1, "the SavedModel scores what Keras answers")
    again = sandbox.json("evaluate", int8, "--data", "data.npz", "--metric", "top1")
    harness.check(again["value"] == told["quantized"]["value"], f"the file scores what was told: {again['value']}")
    inspected = sandbox.json("inspect", int8)
    counts = inspected["op_counts"]
    kernels = [counts.get(one) for one in ("_FusedQuantizedConv2D", "_FusedQuantizedDepthwiseConv2D", "_QuantizedMatMul")]
    harness.check(kernels == [2, 1, 1], f"its products are int8 kernels: {counts}")
    harness.check([one["name"] for one in inspected["inputs"]] == ["photo"], "its input is called as Keras calls it")
    names = {row["op"]["name"] for row in told["diagnosis"]["activations"]}
    harness.check(any("conv2d" in name for name in names) and not any("StatefulPartitionedCall" in name for name in names),
                  f"ops are called as Keras calls them: {sorted(names)}")
    first = sandbox.json("diagnose", "net", int8, "--data", "data.npz")
    harness.check(first["activations"] == told["diagnosis"]["activations"], "it is compared with the SavedModel as with the frozen graph")
    judged = sandbox.json("judge", first["workload"])
    harness.check(judged["activations"] == first["activations"], "and judged again")
    of_keras = sandbox.json("quantize", "net.keras", "--data", "data.npz", "--metric", "top1")
    same = of_keras["quantized"]["value"] == told["quantized"]["value"]
    harness.check(pathlib.Path(of_keras["output"]).name == int8.name and same, "a Keras file is quantized likewise")


def hostile(sandbox):
    path = sandbox.path

    def copy(name):
        shutil.copytree(path / "net", path / name)
        return path / name

    def tried(name, words):
        refused(sandbox, words, "evaluate", name, "--data", "data.npz", "--metric", "top1")

    shutil.rmtree(copy("bare") / "variables")
    tried("bare", ["bare", "variables.index"])
    whole = (path / "net" / "saved_model.pb").read_bytes()
    (copy("cut") / "saved_model.pb").write_bytes(whole[:len(whole) // 2])
    tried("cut", ["cut", "not a sound TensorFlow graph"])
    (copy("noise") / "saved_model.pb").write_bytes(np.random.default_rng(0).bytes(5000))
    tried("noise", ["noise", "not a sound TensorFlow graph"])
    (copy("empty") / "saved_model.pb").write_bytes(b"")
    tried("empty", ["empty", "not a sound TensorFlow graph"])
    data = next((copy("short") / "variables").glob("variables.data*"))
    data.write_bytes(data.read_bytes()[:100])
    tried("short", ["short", "TensorFlow cannot load the SavedModel"])
    link = copy("link") / "saved_model.pb"
    link.unlink()
    link.symlink_to("saved_model.pb")
    tried("link", ["link"])
    (path / "moved.pb").write_bytes(whole)
    tried("moved.pb", ["moved.pb", "under another name"])
    tried("table", ["table", "is of a table"])
    tried("recurrent", ["recurrent", "(While) takes the variable", "docs/tensorflow.md"])
    tried("code.keras", ["code.keras", "Keras does not load it"])
    (path / "noise.keras").write_bytes(b"PK\x03\x04 metadata.json config.json model.weights.h5")
    tried("noise.keras", ["noise.keras", "Keras does not load it"])
    refused(sandbox, ["net.keras", "QUANTLENS_TENSORFLOW_PYTHON"], "inspect", "net.keras",
            environment={"QUANTLENS_TENSORFLOW_PYTHON": "/no/such/python"})


def main():
    sandbox = harness.Sandbox()
    if not runtime()["available"]:
        harness.skip(runtime()["problem"])
    makes(sandbox)
    answers(sandbox)
    quantized(sandbox)
    hostile(sandbox)


main()
