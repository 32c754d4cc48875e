# SPDX-License-Identifier: Apache-2.0
"""Quantizes the demo with ONNX Runtime, once for every layer that can get the outlier.

Fails where the outlier does not show as it should.
"""

import argparse
import logging
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from plant_outlier import FACTOR, LAYERS, plant

HERE = Path(__file__).parent


class Images(CalibrationDataReader):
    def __init__(self, images):
        self.batches = iter([{"image": image[None]} for image in images])

    def get_next(self):
        return next(self.batches, None)


def run(path, images, values):
    """Outputs of the model with the inner `values` among them, by name."""
    model = onnx.load(path)
    known = {o.name for o in model.graph.output}
    model.graph.output.extend(onnx.ValueInfoProto(name=v) for v in values if v not in known)
    options = ort.SessionOptions()
    options.intra_op_num_threads = 2
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model.SerializeToString(), options)
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(names, {"image": images}), strict=True))


def sqnr_db(reference, quantized):
    noise = np.sum((reference - quantized) ** 2, dtype=np.float64)
    return 10 * np.log10(np.sum(reference**2, dtype=np.float64) / noise) if noise else np.inf


def activation_sqnr(reference_path, quantized_path, images):
    """SQNR of each value of the reference that the quantized model still has, worst first."""
    made = {o for n in onnx.load(quantized_path).graph.node for o in n.output}
    sides = {}
    for node in onnx.load(reference_path).graph.node:
        for side in (f"{node.output[0]}_DequantizeLinear_Output", node.output[0]):
            if side in made:
                sides.setdefault(node.output[0], side)
    reference = run(reference_path, images, sides)
    quantized = run(quantized_path, images, sides.values())
    table = {value: sqnr_db(reference[value], quantized[side]) for value, side in sides.items()}
    return sorted(table.items(), key=lambda row: row[1])


def weight_errors(path):
    """MSE of each convolution's weights, quantized with one scale, worst first."""
    model = onnx.load(path)
    arrays = {i.name: numpy_helper.to_array(i).astype(np.float64) for i in model.graph.initializer}
    rows = []
    for node in model.graph.node:
        if node.op_type in ("Conv", "Gemm"):
            weight = arrays[node.input[1]]
            scale = np.abs(weight).max() / 127
            error = weight - np.round(weight / scale) * scale
            rows.append((node.name, np.mean(error**2)))
    return sorted(rows, key=lambda row: -row[1])


def accuracy(path, data):
    probabilities = run(path, data["image"], [])["probabilities"]
    return np.mean(probabilities.argmax(1) == data["label"])


def quantize_and_measure(model, folder, fold):
    """Accuracies by scheme, then the tables of the model with one scale a weight tensor."""
    data, calibration = np.load(HERE / "digits.npz"), np.load(HERE / "calibration.npz")
    original, folded = folder / "original.onnx", folder / "folded.onnx"
    onnx.save(model, original)
    if fold:
        quant_pre_process(original, folded, skip_symbolic_shape=True)
    else:
        folded = original
    accuracies, int8 = {"float": accuracy(original, data)}, folder / "int8.onnx"
    for scheme in ("per channel", "per tensor"):
        quantize_static(
            folded,
            int8,
            Images(calibration["image"]),
            per_channel=scheme == "per channel",
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
        )
        accuracies[scheme] = accuracy(int8, data)
    return accuracies, activation_sqnr(folded, int8, data["image"]), weight_errors(folded)


def shortfalls(layer, accuracies, activations, weights):
    loss = {k: accuracies["float"] - accuracies[k] for k in ("per tensor", "per channel")}
    claims = {
        "float accuracy below 97 %": accuracies["float"] >= 0.97,
        "per tensor loses less than 10 points": loss["per tensor"] >= 0.10,
        "per channel loses more than 1 point": abs(loss["per channel"]) <= 0.01,
        "another activation is worse": activations[0][0].startswith(f"/{layer}/"),
        "other weights are worse": weights[0][0].startswith(f"/{layer}/"),
    }
    return [text for text, holds in claims.items() if not holds]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--factor", type=float, default=FACTOR, help="see plant_outlier.py")
    parser.add_argument("--top", type=int, default=3, help="rows of each table")
    parser.add_argument("--no-fold", action="store_true", help="keep batch normalization apart")
    args = parser.parse_args()
    logging.disable(logging.WARNING)
    clean, failed = onnx.load(HERE / "digits_clean.onnx"), False
    for layer in (None, *LAYERS):
        model = plant(clean, layer, args.factor) if layer else clean
        with tempfile.TemporaryDirectory() as folder:
            measured = quantize_and_measure(model, Path(folder), not args.no_fold)
        accuracies, activations, weights = measured
        print(layer or "clean", ", ".join(f"{k} {v:.1%}" for k, v in accuracies.items()), sep=": ")
        for value, db in activations[: args.top]:
            print(f"  {db:6.2f} dB   {value.removesuffix('_output_0')}")
        for name, mse in weights[: args.top]:
            print(f"  {mse:.1e} MSE {name}")
        for text in shortfalls(layer, *measured) if layer else []:
            print(f"  FAILED: {text}")
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
