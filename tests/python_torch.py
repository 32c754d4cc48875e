# SPDX-License-Identifier: Apache-2.0
"""Modules, datasets, loaders and tensors of PyTorch, and torchmetrics: as they are."""
import os
import sys

import harness

PACKAGE = harness.python_package()
harness.need("numpy", "onnx")
sys.path.pop(0)  # torch reads Python's own module profile, not the test of that name
try:
    import torch
    import torchmetrics
except ImportError as absent:
    harness.skip(f"this Python has no {absent.name}; pip install torch torchmetrics")
sys.path.insert(0, PACKAGE)

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import quantlens  # noqa: E402
from torch.utils.data import DataLoader, IterableDataset, TensorDataset, random_split  # noqa: E402

MODEL = harness.DEMO / "digits.onnx"


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.head = torch.nn.Conv2d(1, 16, 3, padding=1), torch.nn.BatchNorm2d(16), torch.nn.Linear(256, 10)

    def forward(self, image):
        found = torch.max_pool2d(torch.relu(self.norm(self.conv(image))), 2)
        return torch.nn.functional.dropout(self.head(found.flatten(1)), 0.9, self.training)


class Sum(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(4, 8), torch.nn.Linear(6, 8)

    def forward(self, left, right):
        return self.a(left) + self.b(right)


class Stream(IterableDataset):
    def __init__(self, data):
        self.data = data

    def __iter__(self):
        return iter(self.data)


def trained(images, labels):
    torch.manual_seed(0)
    net = Net()
    steps = torch.optim.Adam(net.parameters(), 1e-2)
    for _ in range(60):
        steps.zero_grad()
        torch.nn.functional.cross_entropy(net(images), labels).backward()
        steps.step()
    return net


def figure(run):
    return run.accuracy.quantized.value, run.accuracy.quantized.samples


def modules(images, labels):
    net = trained(images, labels)
    net.train()
    run = quantlens.quantize(net, DataLoader(TensorDataset(images, labels), batch_size=50), example_inputs=images[:1],
                             output="net.onnx", metric="top1", progress=False)
    net.eval()
    with torch.no_grad():
        own = float((net(images).argmax(1) == labels).float().mean())
    harness.check(abs(run.accuracy.reference.value - own) < 1e-6,
                  f"a module in training is exported as it works: {own:.3f}, and in batches")
    harness.check(run.accuracy.quantized.value > own - 0.03, f"its int8 form has {run.accuracy.quantized.value:.3f}")
    inputs = onnx.load(run.output).graph.input
    harness.check([one.name for one in inputs] == ["image"], "inputs have the names of forward")
    net.train()
    quantlens.quantize(net, images, example_inputs=(images[:2],), output="net.onnx", progress=False)
    harness.check(net.training, "a module in training stays in it")
    net.norm.eval()
    quantlens.quantize(net, images, example_inputs=images[:2], output="net.onnx", progress=False)
    harness.check(net.training and not net.norm.training, "a part of it that is not stays so, too")
    scripted = quantlens.quantize(torch.jit.script(net.eval()), images, example_inputs=images[:1], output="net.onnx",
                                  progress=False)
    harness.check(scripted.plan is not None, "a scripted module is one")
    left, right, net = torch.randn(60, 4), torch.randn(60, 6), Sum()
    for name, data, example in (("batches", DataLoader(TensorDataset(left, right), batch_size=10), (left[:1], right[:1])),
                                ("samples", list(zip(left, right)), (left[:3], right[:3])),
                                ("dicts", [{"left": a, "right": b} for a, b in zip(left, right)],
                                 {"right": right[:1], "left": left[:1]})):
        run = quantlens.quantize(net, data, example_inputs=example, output="sum.onnx", progress=False)
        harness.check([one.name for one in onnx.load(run.output).graph.input] == ["left", "right"],
                      f"a module of two inputs takes {name}")


def data(images, labels):
    whole = TensorDataset(images, labels)
    wanted = figure(quantlens.evaluate(MODEL, (images.numpy(), labels.numpy()), "top1", progress=False))
    for name, given in {"a dataset": whole, "tensors": (images, labels),
                        "a loader with workers": DataLoader(whole, batch_size=33, num_workers=2),
                        "a loader of samples": DataLoader(whole, batch_size=None), "a stream": Stream(whole),
                        "a loader of a stream": DataLoader(Stream(whole), batch_size=10),
                        "dicts": DataLoader([{"image": image, "label": label} for image, label in whole], batch_size=10)}.items():
        harness.check(figure(quantlens.evaluate(MODEL, given, "top1", progress=False)) == wanted,
                      f"{name} gives the same figure, {wanted[0]}")
    part = random_split(whole, [400, 100])[1]
    harness.check(figure(quantlens.evaluate(MODEL, part, "top1", progress=False))[1] == 100, "a part of a dataset is one")
    half = quantlens.evaluate(MODEL, (images.bfloat16(), labels), "top1", progress=False)
    harness.check(abs(half.accuracy.quantized.value - wanted[0]) < 0.02, "bfloat16 is read as float")


def metrics(images, labels):
    loader = DataLoader(TensorDataset(images, labels), batch_size=50)
    bad = quantlens.quantize(MODEL, images, recipe={"accuracy_level": "fast", "weight": {"granularity": "per_tensor"}},
                             output="bad.onnx", progress=False).output
    own = quantlens.evaluate(bad, loader, torchmetrics.Accuracy(task="multiclass", num_classes=10, average="micro"),
                             against=MODEL, progress=False).accuracy
    top1 = quantlens.evaluate(bad, loader, "top1", against=MODEL, progress=False).accuracy
    harness.check(np.allclose((own.quantized.value, own.reference.value), (top1.quantized.value, top1.reference.value)),
                  f"torchmetrics say of both models what top1 says: {top1.quantized.value}, {top1.reference.value}")
    told = quantlens.evaluate(MODEL, [(images[at], np.zeros(10)) for at in range(50)], torchmetrics.MeanSquaredError(),
                              progress=False)
    harness.check(told.accuracy.quantized.higher_is_better is False, "they say which direction is better")
    several = torchmetrics.MetricCollection([torchmetrics.Accuracy(task="multiclass", num_classes=10)])
    try:
        quantlens.evaluate(MODEL, loader, several, progress=False)
    except quantlens.Failed as error:
        harness.check("no single figure" in str(error), f"a collection is refused: {error}")
    else:
        harness.check(False, "a collection is refused")


def main():
    sandbox = harness.Sandbox()
    os.environ["QUANTLENS_WORKSPACE"] = sandbox.environment["QUANTLENS_WORKSPACE"]
    os.chdir(sandbox.path)
    arrays = np.load(harness.DEMO / "digits.npz")
    images, labels = torch.from_numpy(arrays["image"]), torch.from_numpy(arrays["label"])
    modules(images, labels)
    data(images, labels)
    metrics(images, labels)


if __name__ == "__main__":  # workers of a loader may import this file
    main()
