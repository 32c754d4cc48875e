# SPDX-License-Identifier: Apache-2.0
"""Trains the demo network on scikit-learn's digits and writes the models and the data."""

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from network import Block, Conv, Dense, GlobalAveragePool, MaxPool, Network
from plant_outlier import FACTOR, LAYERS, plant

HERE = Path(__file__).parent
SEED = 0
SMOOTHING = 0.1
DROP = 0.05


def load_data():
    digits = load_digits()
    images = (digits.images / 16).astype(np.float32)[:, None]
    labels = digits.target.astype(np.int64)
    return train_test_split(images, labels, test_size=500, random_state=SEED, stratify=labels)


def make_network(rng):
    stages = [
        Block("stem", Conv(rng, 1, 16, 3), residual=False),
        Block("block1", Conv(rng, 16, 32, 3), residual=False),
        MaxPool(),
        Block("block2", Conv(rng, 32, 32, 3, depthwise=True), residual=True),
        Block("block3", Conv(rng, 32, 32, 1), residual=True),
        Block("block4", Conv(rng, 32, 32, 3), residual=True),
        GlobalAveragePool(),
        Dense(rng, 32, 10),
    ]
    return Network(stages, DROP, np.random.default_rng(SEED + 1))


def softmax(logits):
    e = np.exp(logits - logits.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def shift(images, rng):
    """Each image moved by at most one pixel each way."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, images.shape[2:], (2, 3))
    dy, dx = rng.integers(0, 3, (2, len(images)))
    return windows[np.arange(len(images)), :, dy, dx]


class Adam:
    def __init__(self, network):
        self.slots = [
            (p, k, np.zeros_like(p.params[k]), np.zeros_like(p.params[k]))
            for p in network.layers()
            for k in p.params
        ]
        self.step_count = 0

    def step(self, gradients, rate):
        self.step_count += 1
        t = self.step_count
        for layer, key, m, v in self.slots:
            g = gradients[layer][key]
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            update = (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
            layer.params[key] -= (rate * update).astype(np.float32)


def train(network, images, labels, epochs, rng):
    target = np.eye(10)[labels] * (1 - SMOOTHING) + SMOOTHING / 10
    optimizer, batch = Adam(network), 64
    for epoch in range(epochs):
        rate = 0.004 * 0.5 * (1 + np.cos(np.pi * epoch / epochs))
        order = rng.permutation(len(images))
        for start in range(0, len(order) - batch + 1, batch):
            pick = order[start : start + batch]
            logits = network.forward(shift(images[pick], rng), training=True)
            error = (softmax(logits) - target[pick]) / batch
            optimizer.step(network.backward(error.astype(np.float32)), rate)


def settle_silent_channels(network):
    """A channel that is always 0 has seen no variance; it gets its neighbours' instead."""
    for block in (s for s in network.stages if isinstance(s, Block)):
        bn = block.bn
        bn.variance[-1] = np.median(bn.variance[:-1])
        bn.params["scale"][-1] = np.median(bn.params["scale"][:-1])
        bn.mean[-1] = bn.params["bias"][-1] = 0


class Graph:
    """Nodes in a chain, named `/stage/layer/OpType`; a value is named after its node."""

    def __init__(self, value):
        self.nodes, self.initializers, self.value = [], [], value

    def add(self, path, op_type, *inputs, output=None, **attributes):
        name = f"/{path}/{op_type}"
        output = output or f"{name}_output_0"
        self.nodes.append(
            helper.make_node(op_type, [self.value, *inputs], [output], name, **attributes)
        )
        self.value = output

    def constant(self, name, array):
        self.initializers.append(
            numpy_helper.from_array(np.ascontiguousarray(array, np.float32), name)
        )
        return name

    def add_block(self, block):
        start, name, conv, bn = self.value, block.name, block.conv, block.bn
        weight = self.constant(f"{name}.conv.weight", conv.params["weight"])
        self.add(
            f"{name}/conv",
            "Conv",
            weight,
            kernel_shape=[conv.size] * 2,
            strides=[1, 1],
            pads=[conv.size // 2] * 4,
            group=len(conv.params["weight"]) if conv.depthwise else 1,
        )
        arrays = bn.params | {"mean": bn.mean, "var": bn.variance}
        inputs = [
            self.constant(f"{name}.bn.{k}", arrays[k]) for k in ("scale", "bias", "mean", "var")
        ]
        self.add(f"{name}/bn", "BatchNormalization", *inputs, epsilon=bn.epsilon)
        self.add(f"{name}/relu", "Relu")
        if block.residual:
            self.add(f"{name}/add", "Add", start)


def to_onnx(network):
    graph = Graph("image")
    for stage in network.stages:
        if isinstance(stage, Block):
            graph.add_block(stage)
        elif isinstance(stage, MaxPool):
            graph.add("pool", "MaxPool", kernel_shape=[2, 2], strides=[2, 2])
        elif isinstance(stage, GlobalAveragePool):
            graph.add("head/pool", "GlobalAveragePool")
            graph.add("head/flatten", "Flatten")
        else:
            names = [graph.constant(f"head.fc.{k}", stage.params[k]) for k in ("weight", "bias")]
            graph.add("head/fc", "Gemm", *names, transB=1)
    graph.add("head/softmax", "Softmax", output="probabilities", axis=1)
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 1, 8, 8])
    probabilities = helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["N", 10])
    model = helper.make_model(
        helper.make_graph(graph.nodes, "digits", [image], [probabilities], graph.initializers),
        producer_name="quantlens demo",
        ir_version=8,
        opset_imports=[helper.make_opsetid("", 13)],
    )
    onnx.checker.check_model(model, full_check=True)
    return model


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--outlier", choices=LAYERS, default="block3", help="where the outlier goes"
    )
    parser.add_argument("--factor", type=float, default=FACTOR, help="see plant_outlier.py")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--out", type=Path, default=HERE, help="folder to write to")
    args = parser.parse_args()

    rng = np.random.default_rng(SEED)
    train_images, test_images, train_labels, test_labels = load_data()
    network = make_network(rng)
    train(network, train_images, train_labels, args.epochs, rng)
    settle_silent_channels(network)
    accuracy = (network.forward(test_images).argmax(1) == test_labels).mean()
    print(f"accuracy on {len(test_labels)} test images: {accuracy:.1%}")

    clean = to_onnx(network)
    onnx.save(clean, args.out / "digits_clean.onnx")
    onnx.save(plant(clean, args.outlier, args.factor), args.out / "digits.onnx")
    np.savez_compressed(args.out / "digits.npz", image=test_images, label=test_labels)
    np.savez_compressed(
        args.out / "calibration.npz", image=train_images[:100], label=train_labels[:100]
    )


if __name__ == "__main__":
    main()
