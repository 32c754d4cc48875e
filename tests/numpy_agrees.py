# SPDX-License-Identifier: Apache-2.0
"""The tables of MobileNet 0.75 with per-tensor weights against NumPy and tensors that the runtime itself returns."""

import csv

import harness

harness.need("numpy", "onnx", "onnxruntime", "PIL")
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime as ort  # noqa: E402
from jackknife import half_width  # noqa: E402
from onnx import numpy_helper  # noqa: E402

SAMPLES = 100
LOCAL_SAMPLES = 32


def session_with_outputs(model, names):
    known = {output.name for output in model.graph.output}
    for name in names:
        if name not in known:
            model.graph.output.append(onnx.helper.make_empty_tensor_value_info(name))
    options = ort.SessionOptions()
    options.intra_op_num_threads = 2
    return ort.InferenceSession(model.SerializeToString(), options)


def relative(mine, theirs):
    return abs(mine - theirs) / max(abs(theirs), 1e-30)


def check_weights(table, reference, quantized):
    before = {i.name: numpy_helper.to_array(i) for i in reference.graph.initializer}
    after = {i.name: numpy_helper.to_array(i) for i in quantized.graph.initializer}
    scale_of = {n.input[0]: n.input[1] for n in quantized.graph.node if n.op_type == "DequantizeLinear"}
    worst = 0.0
    for row in table:
        x = before[row["Weight"]].astype(np.float64)
        codes = after[row["Quantized weight"]].astype(np.float32)
        y = (codes * after[scale_of[row["Quantized weight"]]]).astype(np.float64)
        figures = {"MSE": ((x - y) ** 2).mean()}
        for side, tensor in (("Input", x), ("Optimized", y)):
            figures[f"{side} model min"], figures[f"{side} model max"] = tensor.min(), tensor.max()
            figures[f"{side} model mean"] = tensor.mean()
            figures[f"{side} model standard deviation"], figures[f"{side} model variance"] = tensor.std(), tensor.var()
        worst = max(worst, *(relative(float(row[key]), value) for key, value in figures.items()))
    harness.check(worst <= 1e-6, f"{len(table)} weights agree with NumPy to {worst:.1e} relative")


class Sums:
    """Everything that the table says of one activation, gathered sample by sample in float64."""

    def __init__(self):
        self.channels = None
        self.n, self.ee, self.xx, self.low, self.high, self.values, self.largest = 0, 0.0, 0.0, np.inf, -np.inf, [], 0.0
        self.xy = self.yy = 0.0
        self.energies = []  # of each sample: sums of squares of x and of the error

    def add(self, x, y):
        self.add_channels(x.astype(np.float64), x.astype(np.float32) - y.astype(np.float32))
        x, y = x.astype(np.float64).ravel(), y.astype(np.float64).ravel()
        self.n += x.size
        self.ee += ((x - y) ** 2).sum()
        self.energies.append([(x * x).sum(), ((x - y) ** 2).sum()])
        self.xx, self.yy, self.xy = self.xx + (x * x).sum(), self.yy + (y * y).sum(), self.xy + (x * y).sum()
        self.low, self.high = min(self.low, x.min()), max(self.high, x.max())
        self.largest = max(self.largest, np.abs(x - y).max())
        self.values.append(x.astype(np.float32))

    def add_channels(self, x, error):
        """Of axis 1, or the last of a matrix: squares, squared errors, extremes."""
        axes = tuple(axis for axis in range(x.ndim) if axis != 1)
        new = [(x * x).sum(axes), (error.astype(np.float64) ** 2).sum(axes), x.min(axes), x.max(axes)]
        old = self.channels or new
        self.channels = new if self.channels is None else [old[0] + new[0], old[1] + new[1],
                                                           np.minimum(old[2], new[2]), np.maximum(old[3], new[3])]

    def channel_figures(self):
        worst = int(self.channels[1].argmax())
        reaches = np.sort(np.maximum(abs(self.channels[2]), abs(self.channels[3])))
        reaches = reaches[reaches > 0]
        return {"worst_channel_sqnr_db": 10 * np.log10(self.channels[0][worst] / self.channels[1][worst]),
                "worst_channel_share": self.channels[1][worst] / self.channels[1].sum(),
                "channel_spread": reaches[-1] / reaches[len(reaches) // 2]}


def sqnr_without_each_block(energies):
    """SQNR in dB without each 32nd of the samples."""
    energies = np.array(energies)
    block = np.arange(len(energies)) % 32
    left = [energies[block != b].sum(axis=0) for b in range(32)]
    return np.array([10 * np.log10(xx / ee) for xx, ee in left])


def check_intervals(rows, sums):
    off = 0.0
    for row in rows:
        half = half_width(sqnr_without_each_block(sums[row["value"]].energies))
        low, high = row["sqnr_db_interval"]
        off = max(off, relative(high - row["sqnr_db"], half), relative(row["sqnr_db"] - low, half))
    harness.check(off <= 1e-3, f"intervals of the SQNR agree to {off:.1e} relative")


def check_activations(rows, reference, quantized):
    chosen = rows[:: max(1, len(rows) // 10)][:10]
    float_session = session_with_outputs(reference, [row["value"] for row in chosen if row["type"] != "Input"])
    int_session = session_with_outputs(quantized, [row["quantized"] for row in chosen])
    sums = {row["value"]: Sums() for row in chosen}
    for pixels, _ in harness.mobilenet_images(SAMPLES):
        image = pixels[None]
        feed = {float_session.get_inputs()[0].name: image}
        xs = dict(zip([o.name for o in float_session.get_outputs()], float_session.run(None, feed), strict=True))
        ys = dict(zip([o.name for o in int_session.get_outputs()], int_session.run(None, feed), strict=True))
        for row in chosen:
            x = image if row["type"] == "Input" else xs[row["value"]]
            y = ys[row["quantized"]]
            if row["side"] == "q_output":
                y = (y.astype(np.float32) - np.float32(row["zero_point"])) * np.float32(row["scale"])
            sums[row["value"]].add(x, y)
    worst, median_off, with_channels = 0.0, 0.0, 0
    for row in chosen:
        s = sums[row["value"]]
        figures = {"mse": s.ee / s.n, "sqnr_db": 10 * np.log10(s.xx / s.ee), "min": s.low, "max": s.high,
                   "cosine": s.xy / np.sqrt(s.xx * s.yy), "max_abs_error": s.largest}
        if row["channels"]:
            harness.check(row["channels"] == len(s.channels[0]), f"{row['op']['name']}: {row['channels']} channels")
            figures |= s.channel_figures()
            with_channels += 1
        worst = max(worst, *(relative(row[key], value) for key, value in figures.items()))
        median = float(np.median(np.concatenate(s.values)))
        width = max(abs(median) / 128, 1e-6)  # a bin is 1/256 of its octave; folded ones are at most 1/8
        if abs(median) < s.high / 256:
            width = abs(median) / 8 + 1e-6
        median_off = max(median_off, abs(row["median"] - median) / width)
        harness.check(row["elements"] == s.n, f"{row['op']['name']}: all {s.n} elements")
    harness.check(worst <= 1e-4, f"{len(chosen)} activations agree with the runtime to {worst:.1e} relative")
    check_intervals(chosen, sums)
    harness.check(with_channels >= 8, f"{with_channels} of them, channel by channel")
    harness.check(median_off <= 1, f"medians lie within a bin of NumPy's (worst {median_off:.2f} of one)")


def with_rounded_weight(reference, quantized, op):
    """The float model, one of whose Convs has the weight that the codes mean."""
    model = onnx.ModelProto()
    model.CopyFrom(reference)
    weight = next(n for n in model.graph.node if op in n.output).input[1]
    after = {i.name: numpy_helper.to_array(i) for i in quantized.graph.initializer}
    maker = {n.output[0]: n for n in quantized.graph.node}
    codes, scale = maker[next(n for n in quantized.graph.node if op in n.output).input[1]].input[:2]
    for stored in model.graph.initializer:
        if stored.name == weight:
            stored.CopyFrom(numpy_helper.from_array(after[codes].astype(np.float32) * after[scale], weight))
    return model


def check_weight_errors(rows, reference, quantized):
    """Of the ops whose local error is the weight's: the part is what the float model loses by it alone."""
    ratio = {row["value"]: row["weight_mse"] / row["local_mse"] for row in rows if row["local_mse"] and row["type"] == "Conv"}
    convs = {n.output[0] for n in quantized.graph.node if n.op_type == "Conv"}
    chosen = [row for row in rows if ratio.get(row["value"], 0) > 0.9 and row["op"]["id"] in convs][:4]
    exact = 0
    for row in chosen:
        plain = session_with_outputs(reference, [row["value"]])
        rounded = session_with_outputs(with_rounded_weight(reference, quantized, row["op"]["id"]), [row["value"]])
        total, count = 0.0, 0
        for pixels, _ in harness.mobilenet_images(LOCAL_SAMPLES):
            x, y = (s.run([row["value"]], {s.get_inputs()[0].name: pixels[None]})[0].astype(np.float64) for s in (plain, rounded))
            total, count = total + ((x - y) ** 2).sum(), count + x.size
        alone = total / count
        # Parts sum to the whole, whose weight and inputs correlate: by that the part may differ (Cauchy and Schwarz).
        bound = 2 * (row["input_mse"] / alone) ** 0.5 + 1e-6
        harness.check(relative(row["weight_mse"], alone) <= bound, f"{row['op']['name']}: {alone:.5g} by its weight alone")
        exact += relative(row["weight_mse"], alone) <= 0.01
    harness.check(len(chosen) == 4 and exact == 4, f"{exact} of {len(chosen)} weights' parts of local errors are that to 1 %")


def main():
    sandbox = harness.Sandbox()
    model = harness.need_testdata() / "models" / "mobilenet_v1_0.75_224.onnx"
    output = sandbox.path / "int8.onnx"
    result = sandbox.json("quantize", model, "-o", output, "--data", harness.imagenet(sandbox), "--limit", SAMPLES,
                          "--recipe", harness.PER_TENSOR, "--diagnose")
    with (sandbox.workload(result["workload"]) / "weights_table.csv").open(newline="") as file:
        weights = list(csv.DictReader(file))
    check_weights(weights, onnx.load(model), onnx.load(output))
    check_activations(result["diagnosis"]["activations"], onnx.load(model), onnx.load(output))
    check_weight_errors(result["diagnosis"]["activations"], onnx.load(model), onnx.load(output))


main()
