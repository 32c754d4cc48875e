# SPDX-License-Identifier: Apache-2.0
"""Every model that the onnx package brings for testing runtimes is quantized and runs, or stays float with the reason.

    onnx_models.py           fails where an outcome differs from the table in docs/onnx-models.md
    onnx_models.py --table   prints that page
"""

import collections
import json
import pathlib
import sys

import harness

harness.need("onnx", "onnxruntime", "numpy")

import numpy as np
import onnx
import onnx.numpy_helper
import onnxruntime

SETS = ("light", "simple", "pytorch-converted", "pytorch-operator")
DATA = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data"
PAGE = harness.SOURCE / "docs" / "onnx-models.md"
RANDOM_SAMPLES = 10  # enough to see what becomes of each op; the largest takes seconds for each
LEAST_SQNR = 20  # dB of an output whose op ran in int8, on the very data that calibrated it
HEAD = """# The models of the onnx package

What `quantlens quantize` makes of every model that the Python package `onnx` contains for testing runtimes (`light`,
`simple`, `pytorch-converted`, `pytorch-operator`). `tests/onnx_models.py` quantizes each of them, runs the result in
ONNX Runtime, and compares its outputs with the expected ones. It fails where a row of this page differs from what it
saw; with `--table` it prints the page.

"""


def models():
    for name in SETS:
        for path in sorted((DATA / name).glob("*.onnx" if name == "light" else "*/model.onnx")):
            yield name, path.stem.removeprefix("light_") if name == "light" else path.parent.name.removeprefix("test_"), path


def tensors(path, stem):
    """The tensors that lie beside the model; None where there are none, or other things than tensors."""
    found = []
    while (file := path.parent / "test_data_set_0" / f"{stem}_{len(found)}.pb").exists():
        try:
            found.append(onnx.numpy_helper.to_array(onnx.load_tensor(str(file))))
        except Exception:  # a sequence
            return None
    return found or None


def has_batches(model):
    """As docs/data.md says it."""
    extents = set()
    weights = {weight.name for weight in model.graph.initializer}
    for value in model.graph.input:
        if value.name in weights or not value.type.tensor_type.HasField("shape"):
            continue
        dims = value.type.tensor_type.shape.dim
        if not dims:
            return False
        if dims[0].HasField("dim_value"):
            extents.add(dims[0].dim_value)
    return len(extents) <= 1


def data_for(sandbox, model, inputs):
    names = [value.name for value in model.graph.input if value.name not in {w.name for w in model.graph.initializer}]
    if inputs is None or len(inputs) != len(names) or any(array.dtype == object or not array.size for array in inputs):
        return "random"
    batches = has_batches(model)
    path = sandbox.path / "data.npz"
    np.savez(path, **{name: array if batches else array[None] for name, array in zip(names, inputs)})
    return path


def check_outputs(quantized, inputs, expected, is_integer):
    session = onnxruntime.InferenceSession(str(quantized), providers=["CPUExecutionProvider"])
    if inputs is None or expected is None:
        return
    names = [value.name for value in session.get_inputs()]
    for mine, right in zip(session.run(None, dict(zip(names, inputs))), expected):
        if right.dtype.kind != "f" or mine.size == 0:
            np.testing.assert_array_equal(mine, right)
        elif is_integer:
            error = np.sum((mine.astype(np.float64) - right) ** 2)
            assert 10 * np.log10(np.sum(right.astype(np.float64) ** 2) / max(error, 1e-300)) >= LEAST_SQNR
        else:
            np.testing.assert_allclose(mine, right, rtol=1e-3, atol=1e-5)


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def reasons_of(plan):
    counts = collections.Counter(op["reason"] for op in plan["ops"] if not op["quantized"] and op["type"] != "Constant")
    return "; ".join(f"{reason} ({count})" if count > 1 else reason for reason, count in counts.most_common(4))


def outcome(sandbox, path):
    model = onnx.load(str(path))
    inputs, expected = tensors(path, "input"), tensors(path, "output")
    output = sandbox.path / "out.onnx"
    output.unlink(missing_ok=True)
    data = data_for(sandbox, model, inputs)
    few = ["--limit", RANDOM_SAMPLES] if data == "random" else []
    done = sandbox.run("quantize", path, "--data", data, *few, "-o", output, "--output", "json", code=None)
    opset = next(o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))
    if done.returncode != 0:
        assert done.returncode == 1, done.stderr
        sentence = done.stderr.strip().splitlines()[-1].split("model.onnx: ")[-1]
        return [str(opset), "refused", sentence]
    result = json.loads(done.stdout)
    plan = sandbox.record(result["workload"], "plan.json")
    check_outputs(output, inputs, expected, result["ops_quantized"] > 0)
    return [str(opset), f"{result['ops_quantized']} of {result['ops_quantized'] + result['ops_float']}", reasons_of(plan)]


def main():
    sandbox = harness.Sandbox()
    lines = []
    for name, short, path in models():
        try:
            row = outcome(sandbox, path)
        except Exception as error:
            raise AssertionError(f"{name}/{short}: {error}") from error
        if short.startswith("strnorm_"):  # depends on the machine
            assert row[1] == "0 of 1" or "locale" in row[2], row
            row[1:] = ["0 of 1", "StringNormalizer has no integer form here; refused without the locale en_US.UTF-8"]
        lines.append(f"| {name} | {short} | " + " | ".join(map(cell, row)) + " |\n")
    page = HEAD + "| set | model | opset | ops in int8 | the others |\n| --- | --- | --- | --- | --- |\n" + "".join(lines)
    if sys.argv[1:] == ["--table"]:
        print(page, end="")
        return
    assert len(lines) >= 140, f"the onnx package has only {len(lines)} models"
    written = PAGE.read_text().splitlines()
    differing = [line for line in page.splitlines() if line not in written]
    assert not differing, "docs/onnx-models.md differs; these rows are not in it:\n" + "\n".join(differing)


if __name__ == "__main__":
    main()
