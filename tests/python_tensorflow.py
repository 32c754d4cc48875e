# SPDX-License-Identifier: Apache-2.0
"""tf.data, tensors of TensorFlow and metrics of Keras: as they are."""
import os
import sys

import harness

PACKAGE = harness.python_package()
harness.need("numpy")
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
try:
    import tensorflow as tf
except ImportError:
    harness.skip("this Python has no tensorflow; pip install tensorflow-cpu")
sys.path.insert(0, PACKAGE)

import numpy as np  # noqa: E402
import quantlens  # noqa: E402

MODEL = harness.DEMO / "digits.onnx"


def figure(run):
    return run.accuracy.quantized.value, run.accuracy.quantized.samples


def main():
    sandbox = harness.Sandbox()
    os.environ["QUANTLENS_WORKSPACE"] = sandbox.environment["QUANTLENS_WORKSPACE"]
    os.chdir(sandbox.path)
    arrays = np.load(harness.DEMO / "digits.npz")
    images, labels = arrays["image"], arrays["label"]
    whole = tf.data.Dataset.from_tensor_slices((images, labels))
    wanted = figure(quantlens.evaluate(MODEL, (images, labels), "top1", progress=False))
    for name, data in {"samples": whole, "batches": whole.batch(64).prefetch(2), "NumPy's": whole.batch(64).as_numpy_iterator(),
                       "inputs by name": tf.data.Dataset.from_tensor_slices(({"image": images}, labels)).batch(10),
                       "a label among them": tf.data.Dataset.from_tensor_slices({"image": images, "label": labels}).batch(10),
                       "tensors": (tf.constant(images), tf.constant(labels))}.items():
        harness.check(figure(quantlens.evaluate(MODEL, data, "top1", progress=False)) == wanted,
                      f"{name} give the same figure, {wanted[0]}")
    harness.check(figure(quantlens.evaluate(MODEL, whole.repeat().batch(64), "top1", limit=128, progress=False))[1] == 128,
                  "an endless one has a limit")
    bad = quantlens.quantize(MODEL, whole.batch(64), recipe={"accuracy_level": "fast", "weight": {"granularity": "per_tensor"}},
                             output="bad.onnx", progress=False).output
    own = quantlens.evaluate(bad, whole.batch(50), tf.keras.metrics.SparseCategoricalAccuracy(), against=MODEL,
                             progress=False).accuracy
    top1 = quantlens.evaluate(bad, whole.batch(50), "top1", against=MODEL, progress=False).accuracy
    harness.check(np.allclose((own.quantized.value, own.reference.value), (top1.quantized.value, top1.reference.value)),
                  f"a metric of Keras says of both models what top1 says: {top1.quantized.value}, {top1.reference.value}")


main()
