# SPDX-License-Identifier: Apache-2.0
"""The layers of the demo network with their gradients, in plain NumPy."""

import numpy as np


class Conv:
    """Convolution without bias, stride 1, same padding; depthwise where `depthwise`."""

    def __init__(self, rng, channels_in, channels_out, size, depthwise=False):
        fan_in = size * size * (1 if depthwise else channels_in)
        shape = (channels_out, 1 if depthwise else channels_in, size, size)
        self.params = {"weight": rng.normal(0, np.sqrt(2 / fan_in), shape).astype(np.float32)}
        self.size, self.depthwise = size, depthwise

    def _windows(self, x):
        pad = self.size // 2
        x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
        return np.lib.stride_tricks.sliding_window_view(x, (self.size, self.size), (2, 3))

    def forward(self, x, training):
        windows = self._windows(x)  # N C H W kh kw
        if self.depthwise:
            weight = self.params["weight"][:, 0]
            return np.einsum("nchwij,cij->nchw", windows, weight, optimize=True)
        n, _, h, w = x.shape
        self.columns = windows.transpose(0, 2, 3, 1, 4, 5).reshape(n * h * w, -1)
        weight = self.params["weight"]
        y = self.columns @ weight.reshape(len(weight), -1).T
        return y.reshape(n, h, w, -1).transpose(0, 3, 1, 2)

    def backward(self, x, dy):
        weight = self.params["weight"]
        mirrored = self._windows(dy)
        if self.depthwise:
            gradient = np.einsum("nchwij,nchw->cij", self._windows(x), dy, optimize=True)
            flipped = weight[:, 0, ::-1, ::-1]
            dx = np.einsum("nchwij,cij->nchw", mirrored, flipped, optimize=True)
            return dx, {"weight": gradient[:, None]}
        n, out, h, w = dy.shape
        rows = dy.transpose(0, 2, 3, 1).reshape(-1, out)
        gradient = (rows.T @ self.columns).reshape(weight.shape)
        flipped = weight[:, :, ::-1, ::-1].transpose(1, 0, 2, 3)
        columns = mirrored.transpose(0, 2, 3, 1, 4, 5).reshape(n * h * w, -1)
        dx = columns @ flipped.reshape(len(flipped), -1).T
        return dx.reshape(n, h, w, -1).transpose(0, 3, 1, 2), {"weight": gradient}


class BatchNorm:
    epsilon = 1e-5

    def __init__(self, channels):
        self.params = {
            "scale": np.ones(channels, np.float32),
            "bias": np.zeros(channels, np.float32),
        }
        self.mean = np.zeros(channels, np.float32)
        self.variance = np.ones(channels, np.float32)

    def forward(self, x, training):
        mean, variance = self.mean, self.variance
        if training:
            mean, variance = x.mean((0, 2, 3)), x.var((0, 2, 3))
            self.mean = 0.9 * self.mean + 0.1 * mean
            self.variance = 0.9 * self.variance + 0.1 * variance
        self.inverse = 1 / np.sqrt(variance + self.epsilon)
        self.normal = (x - mean[:, None, None]) * self.inverse[:, None, None]
        scale, bias = self.params["scale"], self.params["bias"]
        return self.normal * scale[:, None, None] + bias[:, None, None]

    def backward(self, x, dy):
        d_bias, d_scale = dy.sum((0, 2, 3)), (dy * self.normal).sum((0, 2, 3))
        count = dy.size / len(d_bias)
        centred = dy - (d_bias[:, None, None] + self.normal * d_scale[:, None, None]) / count
        dx = centred * (self.params["scale"] * self.inverse)[:, None, None]
        return dx, {"scale": d_scale, "bias": d_bias}


class Relu:
    params = {}

    def forward(self, x, training):
        return np.maximum(x, 0)

    def backward(self, x, dy):
        return dy * (x > 0), {}


class MaxPool:
    """2x2, stride 2."""

    params = {}

    def forward(self, x, training):
        n, c, h, w = x.shape
        return x.reshape(n, c, h // 2, 2, w // 2, 2).max((3, 5))

    def backward(self, x, dy):
        n, c, h, w = x.shape
        tiles = x.reshape(n, c, h // 2, 2, w // 2, 2)
        best = tiles == tiles.max((3, 5), keepdims=True)
        shared = dy[:, :, :, None, :, None] / best.sum((3, 5), keepdims=True)
        return (best * shared).reshape(x.shape), {}


class GlobalAveragePool:
    params = {}

    def forward(self, x, training):
        return x.mean((2, 3))

    def backward(self, x, dy):
        return np.broadcast_to(dy[:, :, None, None], x.shape) / (x.shape[2] * x.shape[3]), {}


class Dense:
    def __init__(self, rng, channels_in, channels_out):
        weight = rng.normal(0, np.sqrt(1 / channels_in), (channels_out, channels_in))
        self.params = {
            "weight": weight.astype(np.float32),
            "bias": np.zeros(channels_out, np.float32),
        }

    def forward(self, x, training):
        return x @ self.params["weight"].T + self.params["bias"]

    def backward(self, x, dy):
        return dy @ self.params["weight"], {"weight": dy.T @ x, "bias": dy.sum(0)}


class Block:
    """Convolution, batch normalization, Relu; `residual` adds the input to the result."""

    def __init__(self, name, conv, residual):
        self.name, self.conv, self.residual = name, conv, residual
        self.bn = BatchNorm(len(conv.params["weight"]))
        self.layers = [conv, self.bn, Relu()]
        self.silence_last_channel()

    def silence_last_channel(self):
        """Nothing goes in or out of it, and with zero gradients it stays so during training."""
        weight = self.conv.params["weight"]
        weight[-1] = 0
        if not self.conv.depthwise and weight.shape[1] > 1:
            weight[:, -1] = 0


class Network:
    """`stages`: blocks and single layers in order. While training, a residual branch is left out
    for a share `drop` of the samples, so that no block alone carries the network."""

    def __init__(self, stages, drop, rng):
        self.stages, self.drop, self.rng = stages, drop, rng

    def layers(self):
        return [layer for stage in self.stages for layer in getattr(stage, "layers", [stage])]

    def forward(self, x, training=False):
        self.inputs, self.kept = {}, {}
        for stage in self.stages:
            start = x
            for layer in getattr(stage, "layers", [stage]):
                self.inputs[layer] = x
                x = layer.forward(x, training)
            if getattr(stage, "residual", False):
                if training:
                    kept = self.rng.random((len(x), 1, 1, 1)) >= self.drop
                    self.kept[stage] = (kept / (1 - self.drop)).astype(np.float32)
                    x = x * self.kept[stage]
                x = x + start
        return x

    def backward(self, dy):
        gradients = {}
        for stage in reversed(self.stages):
            end = dy
            if stage in self.kept:
                dy = dy * self.kept[stage]
            for layer in reversed(getattr(stage, "layers", [stage])):
                dy, gradients[layer] = layer.backward(self.inputs[layer], dy)
            if stage in self.kept:
                dy = dy + end
        return gradients
