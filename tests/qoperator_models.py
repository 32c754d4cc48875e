# SPDX-License-Identifier: Apache-2.0
"""Every small model that the onnx package brings, written as integer operators: the file is valid, loads, and answers as
the pairs of the same plan do."""

import json

import harness

harness.need("onnx", "onnxruntime", "numpy")

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnx_models  # noqa: E402
import onnxruntime  # noqa: E402

LEAST_SQNR = 35  # dB between the forms: roundings that fall the other way, where the runtime computes a pair in float


def answers(path, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return session.run(None, dict(zip([value.name for value in session.get_inputs()], inputs))) if inputs else []


def check_alike(pairs, integers):
    for one, other in zip(pairs, integers):
        if one.dtype.kind != "f" or one.size == 0:
            np.testing.assert_array_equal(one, other)
            continue
        error = np.sum((one.astype(np.float64) - other) ** 2)
        assert 10 * np.log10(np.sum(one.astype(np.float64) ** 2) / max(error, 1e-300)) >= LEAST_SQNR or error == 0


def main():
    sandbox = harness.Sandbox()
    compared, integer, notes = 0, 0, []
    for name, short, path in onnx_models.models():
        if name == "light":  # large nets of invented weights
            continue
        inputs = onnx_models.tensors(path, "input")
        data = onnx_models.data_for(sandbox, onnx.load(str(path)), inputs)
        written = []
        for form in ["qdq", "qoperator"]:
            output = sandbox.path / f"{form}.onnx"
            done = sandbox.run("quantize", path, "--data", data, "-o", output, "--format", form, "--output", "json", code=None)
            if done.returncode != 0:
                break
            written.append((output, json.loads(done.stdout)))
        if not written or written[0][1]["ops_quantized"] == 0:
            continue
        try:
            assert len(written) == 2, done.stderr
            onnx.checker.check_model(onnx.load(str(output)))
            check_alike(*[answers(file, inputs) for file, _ in written])
        except Exception as error:
            raise AssertionError(f"{name}/{short}: {error}") from error
        compared += 1
        kinds = {node.op_type for node in onnx.load(str(output)).graph.node}
        integer += any(kind.startswith(("QLinear", "QGemm", "MatMulInteger")) for kind in kinds)
        notes += [f"{name}/{short}: {note}" for note in written[1][1]["notes"] if note.startswith("qoperator:")]
    print("\n".join(notes))
    harness.check(compared > 20, f"{compared} models with int8 ops answer alike in both forms")
    harness.check(integer > 20, f"{integer} of them have integer operators")


main()
