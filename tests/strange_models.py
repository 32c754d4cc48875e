# SPDX-License-Identifier: Apache-2.0
"""Models with what real exports have: bodies, states, LSTM, open shapes. They quantize, load and run."""

import harness

harness.need("onnx", "onnxruntime", "numpy")

import numpy as np
import onnxruntime


def check(sandbox, name, shapes, feeds, least_int8):
    model = harness.need_testdata() / "models" / f"{name}.onnx"
    data = sandbox.write(f"{name}.yaml", f"random: {{count: 8, shapes: {shapes}}}\n")
    output = sandbox.path / f"{name}.int8.onnx"
    result = sandbox.json("quantize", model, "--data", data, "-o", output, "--diagnose")
    assert result["ops_quantized"] >= least_int8, result["ops_quantized"]
    outputs = []
    for path in (model, output):
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        outputs.append(session.run(None, feeds))
    for reference, quantized in zip(*outputs):
        assert reference.shape == quantized.shape
        error = np.sum((reference - quantized) ** 2) / np.sum(reference ** 2)
        assert error < 0.05, f"{name}: relative error {error:.3g}"
    return sandbox.record(result["workload"], "plan.json")


def main():
    sandbox = harness.Sandbox()
    numbers = np.random.default_rng(1)
    silero = check(sandbox, "silero_vad_16k_op15", "{input: [1, 512], state: [2, 1, 128]}",
                   {"input": numbers.uniform(-1, 1, [1, 512]).astype(np.float32),
                    "state": numbers.uniform(-1, 1, [2, 1, 128]).astype(np.float32), "sr": np.array(1, np.int64)}, 10)
    assert any(op["reason"].startswith("it lies in a body of If") for op in silero["ops"])
    check(sandbox, "ppocr_cls", "{x: [3, 48, 192]}", {"x": numbers.uniform(-1, 1, [1, 3, 48, 192]).astype(np.float32)}, 100)


if __name__ == "__main__":
    main()
