# SPDX-License-Identifier: Apache-2.0
"""Ranges against NumPy on all elements that the runtime gives, MiniLM and its mask, and the correlation of embeddings."""

import harness

harness.need("numpy", "onnx", "onnxruntime")
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime as ort  # noqa: E402
from jackknife import half_width  # noqa: E402

SAMPLES = 20
ALGORITHMS = ("minmax", "moving_average", "percentile", "entropy", "mse", "auto")


def ranges_by(sandbox, model, statistics, algorithm, dtype="uint8"):
    scheme = "asym" if dtype == "uint8" else "sym"
    recipe = f"{{activation: {{algorithm: {algorithm}, dtype: {dtype}, scheme: {scheme}}}}}"
    result = sandbox.json("quantize", model, "--ranges", statistics, "-o", sandbox.path / "int8.onnx", "--recipe", recipe,
                          "-q")
    record = sandbox.record(result["workload"], "ranges.json")
    return {value["value"]: value for value in record["values"]}


def bin_width(value, largest):
    """Of a histogram's bin that holds the value."""
    exponent = np.floor(np.log2(max(abs(value), 1e-30)))
    return 2.0**exponent / (256 if exponent >= np.floor(np.log2(largest)) - 8 else 8)


def check_thresholds(sandbox, model, data):
    """KWT-1: extremes, their means and percentiles of some of its values."""
    statistics = sandbox.path / "kwt1.bin"
    sandbox.run("calibrate", model, "--data", data, "-o", statistics, "--samples", f"0:{SAMPLES}", "-q")
    asked = ranges_by(sandbox, model, statistics, "percentile")
    chosen = [value for value in asked if value != "audio"][::8]
    loaded = onnx.load(model)
    for value in chosen:
        if value not in {output.name for output in loaded.graph.output}:
            loaded.graph.output.append(onnx.helper.make_empty_tensor_value_info(value))
    options = ort.SessionOptions()
    options.intra_op_num_threads = 2
    session = ort.InferenceSession(loaded.SerializeToString(), options)
    elements = {value: [] for value in chosen}
    for audio in np.load(data)["audio"][:SAMPLES]:
        feed = {"audio": audio.reshape(1, -1)}
        for value, array in zip(chosen, session.run(chosen, feed), strict=True):
            elements[value].append(array.ravel())
    worst = 0.0
    for dtype in ("uint8", "int8"):
        asked = ranges_by(sandbox, model, statistics, "percentile", dtype)
        for value in chosen:
            x = np.concatenate(elements[value]).astype(np.float64)
            if dtype == "uint8":
                low, high = np.percentile(x, [0.0005, 99.9995])
            else:
                high = np.percentile(np.abs(x), 99.999)
                low = max(-high, x.min())
                high = min(high, x.max())
            largest = np.abs(x).max()
            for mine, theirs in ((asked[value]["min"], low), (asked[value]["max"], high)):
                worst = max(worst, abs(mine - theirs) / bin_width(theirs, largest))
    harness.check(worst <= 1, f"percentiles of {len(chosen)} values are NumPy's to {worst:.2f} of a bin")
    extremes = ranges_by(sandbox, model, statistics, "minmax")
    averages = ranges_by(sandbox, model, statistics, "moving_average")
    for value in chosen:
        lows, highs = [part.min() for part in elements[value]], [part.max() for part in elements[value]]
        for ranges, low, high in ((extremes, min(lows), max(highs)),
                                  (averages, np.mean(lows, dtype=np.float64), np.mean(highs, dtype=np.float64))):
            error = max(abs(ranges[value]["min"] - low), abs(ranges[value]["max"] - high))
            harness.check(error <= 1e-4 * max(abs(low), abs(high)), f"{value}: [{low:.4g}, {high:.4g}] to {error:.1e}")


def check_mask(sandbox, model, data):
    """The mask of -3.4e38 in MiniLM: no algorithm fails, none of them has a range that a mask takes part in."""
    statistics = sandbox.path / "minilm.bin"
    sandbox.run("calibrate", model, "--data", data, "--batch-size", 10, "-o", statistics, "-q")
    for algorithm in ALGORITHMS:
        ranges = ranges_by(sandbox, model, statistics, algorithm)
        widest = max(max(-value["min"], value["max"]) for value in ranges.values())
        harness.check(len(ranges) >= 40 and widest < 40, f"MiniLM by {algorithm}: {len(ranges)} ranges, none beyond {widest:.1f}")
    weights = {initializer.name for initializer in onnx.load(sandbox.path / "int8.onnx").graph.initializer
               if initializer.data_type == onnx.TensorProto.INT8 and len(initializer.dims) == 2}
    harness.check(len(weights) >= 36, f"{len(weights)} matrices of weights are int8")


def spearman(x, y):
    def ranks(v):
        order, result = np.sort(v), np.empty(len(v))
        for i, value in enumerate(v):  # the mean of the places that equal numbers share
            result[i] = (np.searchsorted(order, value) + np.searchsorted(order, value, "right") + 1) / 2
        return result
    return np.corrcoef(ranks(x), ranks(y))[0, 1]


def embeddings(path, data, rows):
    session = ort.InferenceSession(str(path))
    names = [i.name for i in session.get_inputs()]
    return np.concatenate([session.run(["sentence_embedding"], {n: data[n][i:i + 10] for n in names})[0]
                           for i in range(0, rows, 10)]).astype(np.float64)


def jackknife(figure, count):
    half = half_width([figure(np.delete(np.arange(count), i)) for i in range(count)])
    return [figure(np.arange(count)) - half, figure(np.arange(count)) + half]


def check_correlation(sandbox, model, path):
    rows = 200
    metric = "spearman_cosine:output=sentence_embedding"
    int8 = sandbox.path / "int8.onnx"
    result = sandbox.json("evaluate", int8, "--against", model, "--data", path, "--limit", rows, "--batch-size", 10,
                          "--metric", metric, "-q")
    data = dict(np.load(path))
    label = data["label"][:rows:2].astype(np.float64)
    cosines = []
    for one in (model, int8):
        e = embeddings(one, data, rows)
        cosines.append((e[0::2] * e[1::2]).sum(1) / np.linalg.norm(e[0::2], axis=1) / np.linalg.norm(e[1::2], axis=1))
    score = [lambda kept, c=c: spearman(c[kept], label[kept]) for c in cosines]
    everything = np.arange(rows // 2)
    reference, quantized = (one(everything) for one in score)
    harness.check(abs(result["against"]["value"] - reference) < 1e-3, f"the float model's correlation is {reference:.4f}")
    harness.check(abs(result["value"] - quantized) < 2e-3, f"that of the int8 one {quantized:.4f}")
    wanted = jackknife(score[0], rows // 2)
    harness.check(np.allclose(result["against"]["interval"], wanted, atol=2e-3), f"with the jackknife's interval {wanted}")
    wanted = jackknife(lambda kept: score[1](kept) - score[0](kept), rows // 2)
    harness.check(np.allclose(result["difference_interval"], wanted, atol=2e-3), f"and that of the difference {wanted}")
    harness.check(result["samples"] == rows and result["lost"] == result["gained"] == 0, "over all rows")


def main():
    sandbox = harness.Sandbox()
    models = harness.need_testdata() / "models"
    check_thresholds(sandbox, models / "kwt1.onnx", harness.TESTDATA / "speech" / "kwt1_400.npz")
    text = harness.TESTDATA / "text"
    check_mask(sandbox, models / "minilm_l6_v2.onnx", text / "minilm_stsb_dev_400.npz")
    check_correlation(sandbox, models / "minilm_l6_v2.onnx", text / "minilm_stsb_test_400.npz")


main()
