# SPDX-License-Identifier: Apache-2.0
"""Gives one convolution of the demo network a channel whose weights dwarf all others.

The channel reads an input that is always 0, so that the float model computes the same as before.
One scale for the whole weight tensor then has no resolution left for the other channels.
"""

import argparse

import numpy as np
import onnx
from onnx import numpy_helper

LAYERS = ("block2", "block3", "block4")
FACTOR = 200.0


def folded_scales(model, layer):
    """What folding the batch normalization of `layer` multiplies each output channel by."""
    arrays = {i.name: numpy_helper.to_array(i) for i in model.graph.initializer}
    bn = next(n for n in model.graph.node if n.name == f"/{layer}/bn/BatchNormalization")
    epsilon = next(a.f for a in bn.attribute if a.name == "epsilon")
    return arrays[bn.input[1]] / np.sqrt(arrays[bn.input[4]] + epsilon)


def plant(model, layer, factor=FACTOR):
    """A copy of `model` in which the silent channel of `layer` has a folded weight spread of
    `factor` times the median channel's."""
    planted = onnx.ModelProto()
    planted.CopyFrom(model)
    conv = next(n for n in planted.graph.node if n.name == f"/{layer}/conv/Conv")
    tensor = next(i for i in planted.graph.initializer if i.name == conv.input[1])
    weight = numpy_helper.to_array(tensor).copy()
    scales = folded_scales(model, layer)

    target = np.flatnonzero(~weight.any((1, 2, 3)))  # the output channel that is always 0
    source = np.flatnonzero(~weight.any((0, 2, 3))) if weight.shape[1] > 1 else np.array([0])
    if len(target) != 1 or len(source) != 1:
        raise ValueError(f"{layer} has no single silent channel; is this the clean model?")
    spread = np.ptp(weight * scales[:, None, None, None], axis=(1, 2, 3))
    pattern = np.resize([1.0, -1.0], weight.shape[2:]) / 2
    if weight.shape[2:] == (1, 1):
        pattern = np.ones((1, 1))
    size = factor * np.median(np.delete(spread, target)) / scales[target[0]]
    weight[target[0], source[0]] = size * pattern
    tensor.CopyFrom(numpy_helper.from_array(weight, tensor.name))
    return planted


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("clean", help="digits_clean.onnx")
    parser.add_argument("layer", choices=LAYERS)
    parser.add_argument("out", help="model to write")
    parser.add_argument("--factor", type=float, default=FACTOR, help="its spread over the median")
    args = parser.parse_args()
    onnx.save(plant(onnx.load(args.clean), args.layer, args.factor), args.out)


if __name__ == "__main__":
    main()
