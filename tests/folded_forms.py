# SPDX-License-Identifier: Apache-2.0
"""Each form in which exporters leave constants around an op with a weight, by itself. Nodes called `gone` must have
disappeared from the model that is written with all ops in float, those called `stay` must not (folding them would be
another function, or numbers that are none), and its outputs equal the original's in ONNX Runtime, whose optimisations
are off. Written by the default recipe, the file keeps what 8 bits keep: a constant that is folded in float and not in the
codes would change a sign or a size.

    folded_forms.py [NAME]      only forms whose name contains NAME
"""

import json
import sys

import harness

harness.need("onnx", "onnxruntime", "numpy")

import numpy as np
import onnx
import onnxruntime

import forms_of_convolutions
import forms_of_ends
import forms_of_products

LEAST_DB = 15  # one factor of 1.2, or a sign, leaves less
NO_CODES = {"what_divides_a_constant_is_no_factor"}  # a divisor that crosses 0 has codes of 0
FORMS = forms_of_convolutions.FORMS | forms_of_products.FORMS | forms_of_ends.FORMS


def session(path):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def check(net, sandbox, has_codes):
    model = net.model()
    path, written = sandbox.path / "net.onnx", sandbox.path / "folded.onnx"
    onnx.save(model, str(path))
    extents = [3 if isinstance(one, str) else one for one in net.input]
    samples = net.batch if isinstance(net.batch, int) else 3
    x = np.random.default_rng(1).standard_normal([samples, *extents[1:]]).astype(np.float32)
    np.savez(sandbox.path / "data.npz", x=x)
    recipe = sandbox.write("recipe.json", json.dumps({"op_type_dict": {node.op_type: "fp32" for node in net.nodes}}))
    sandbox.run("quantize", path, "--data", sandbox.path / "data.npz", "--recipe", recipe, "-o", written)
    left = {node.name for node in onnx.load(str(written)).graph.node}
    missed = [node.name + " " + node.op_type for node in net.nodes if node.name.startswith("gone") and node.name in left]
    assert not missed, f"still there: {missed}"
    lost = [node.name for node in net.nodes if node.name.startswith("stay") and node.name not in left]
    assert not lost, f"folded: {lost}"
    before, after = session(path).run(None, {"x": x})[0], session(written).run(None, {"x": x})[0]
    assert before.shape == after.shape, f"{before.shape} became {after.shape}"
    np.testing.assert_allclose(after, before, rtol=1e-4, atol=1e-4 * np.abs(before[np.isfinite(before)]).max(initial=0))
    if has_codes and np.isfinite(before).all():
        check_codes(path, before, x, sandbox)


def check_codes(path, before, x, sandbox):
    written = sandbox.path / "codes.onnx"
    sandbox.run("quantize", path, "--data", sandbox.path / "data.npz", "-o", written)
    after = onnxruntime.InferenceSession(str(written), providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
    error = np.square(after.astype(np.float64) - before).sum()
    kept = 10 * np.log10(np.square(before.astype(np.float64)).sum() / error) if error else np.inf
    assert kept >= LEAST_DB, f"codes keep {kept:.1f} dB"


def main():
    onnxruntime.set_default_logger_severity(4)
    sandbox = harness.Sandbox()
    failed = 0
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    names = [name for name in FORMS if wanted in name]
    for name in names:
        try:
            check(FORMS[name](), sandbox, name not in NO_CODES)
        except Exception as error:
            failed += 1
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}", flush=True)
    print(f"{len(names)} forms, {failed} failed")
    harness.check(not failed, "each form is folded, or left where that would be another function")


if __name__ == "__main__":
    main()
