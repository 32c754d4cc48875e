# SPDX-License-Identifier: Apache-2.0
"""Whatever a user gets wrong costs one sentence and an exit code, and leaves nothing half-written."""

import re
import resource
import signal
import subprocess

import harness

harness.need("numpy", "onnx")
import numpy as np  # noqa: E402
import onnx  # noqa: E402

MODEL = harness.DEMO / "digits.onnx"
DATA = harness.DEMO / "digits.npz"


def complaint(sandbox, code, words, *arguments):
    """Runs quantlens, which must end with `code` and one sentence that has all the words."""
    done = sandbox.run(*arguments, code=None)
    lines = [line for line in done.stderr.splitlines() if not line.startswith(("note: ", "workload: "))]
    claim = f"{' '.join(map(str, arguments))[-90:]!r}: {lines}"
    harness.check(done.returncode == code, f"exit code {done.returncode}: {claim}")
    harness.check(len(lines) == 1 and lines[0].startswith("quantlens: "), f"one sentence: {claim}")
    harness.check(all(str(word) in lines[0] for word in words), f"which has {words}: {claim}")
    harness.check(done.stdout == "", f"nothing on standard output: {claim}")
    part = [path for path in sandbox.path.rglob("*.part*")]
    harness.check(not part, f"nothing half-written: {part}")
    return lines[0]


def quantize(sandbox, code, words, model=MODEL, data=DATA, *more):
    """The same for `quantize`, which must not leave an output either."""
    output = sandbox.path / "out.onnx"
    sentence = complaint(sandbox, code, words, "quantize", model, "--data", data, "-o", output, *more)
    harness.check(not output.exists(), "no output is left")
    return sentence


def bad_models(sandbox):
    quantize(sandbox, 1, ["none.onnx"], sandbox.path / "none.onnx")
    quantize(sandbox, 1, ["text.onnx"], sandbox.write("text.onnx", "this is no model\n"))
    quantize(sandbox, 1, ["empty.onnx"], sandbox.write("empty.onnx", ""))
    quantize(sandbox, 1, [sandbox.path], sandbox.path)
    whole = MODEL.read_bytes()
    for share in (0.1, 0.5, 0.9, 0.999):
        cut = sandbox.path / "cut.onnx"
        cut.write_bytes(whole[:int(len(whole) * share)])
        quantize(sandbox, 1, ["cut.onnx"], cut)
    model = onnx.load(MODEL)
    model.graph.node[0].op_type = "NoSuchOp"
    onnx.save(model, sandbox.path / "odd.onnx")
    quantize(sandbox, 1, ["odd.onnx", "NoSuchOp"], sandbox.path / "odd.onnx")
    whole_numbers = onnx.helper.make_tensor("w", onnx.TensorProto.INT32, [1, 1, 1, 1], [1])
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Conv", ["image", "w"], ["y"])], "g",
        [onnx.helper.make_tensor_value_info("image", onnx.TensorProto.FLOAT, ["N", 1, 8, 8])],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)], [whole_numbers])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8),
              sandbox.path / "types.onnx")
    quantize(sandbox, 1, ["types.onnx", "int32"], sandbox.path / "types.onnx")
    outside = onnx.load(MODEL)
    weight = outside.graph.initializer[0]
    onnx.external_data_helper.set_external_data(weight, "../../etc/hostname")
    weight.ClearField("raw_data")
    weight.data_location = onnx.TensorProto.EXTERNAL
    (sandbox.path / "outside.onnx").write_bytes(outside.SerializeToString())
    quantize(sandbox, 1, ["outside.onnx"], sandbox.path / "outside.onnx")


def with_nan(images):
    some = images.copy()
    some[3, 0, 0, 0] = np.nan
    return {"all_nan": np.full_like(images, np.nan), "some_nan": some}


def no_numbers(sandbox, data):
    """NaN in all that is read ends every verb; in one sample it is told and counts as what it is."""
    output = sandbox.path / "nan.onnx"
    verbs = {"quantize": ["-o", output], "calibrate": ["-o", sandbox.path / "nan.bin"],
             "evaluate": ["--metric", "top1"], "tune": ["--metric", "top1", "-o", output, "--max-trials", "1"]}
    quantized = sandbox.path / "sound.onnx"
    sandbox.run("quantize", MODEL, "--data", DATA, "--limit", 5, "-o", quantized)
    for verb, more in {**verbs, "diagnose": []}.items():
        models = [MODEL, quantized] if verb == "diagnose" else [MODEL]
        complaint(sandbox, 1, ["NaN", "'image'", "40 samples"], verb, *models, "--data", data["all_nan"],
                  *more, *(["--limit", 40] if verb == "calibrate" else []))
        done = sandbox.run(verb, *models, "--data", data["some_nan"], *more)
        harness.check(done.stderr.count("holds NaN in sample 3 (row 3)") == 1, f"{verb}: NaN is told once: {done.stderr}")


def bad_data(sandbox):
    arrays = dict(np.load(DATA))
    image = next(name for name, array in arrays.items() if array.ndim == 4)
    label = next(name for name, array in arrays.items() if array.ndim == 1)

    def npz(name, **changes):
        changed = {key: changes.get(key, array) for key, array in arrays.items()}
        np.savez(sandbox.path / name, **{key: array for key, array in changed.items() if array is not None})
        return sandbox.path / name

    quantize(sandbox, 1, ["none.npz"], MODEL, sandbox.path / "none.npz")
    quantize(sandbox, 1, ["text.npz"], MODEL, sandbox.write("text.npz", "no archive"))
    quantize(sandbox, 1, ["shape.npz"], MODEL, npz("shape.npz", **{image: arrays[image][:, :, :5]}))
    quantize(sandbox, 1, ["dtype.npz"], MODEL, npz("dtype.npz", **{image: arrays[image].astype(np.complex64)}))
    quantize(sandbox, 1, ["empty.npz"], MODEL, npz("empty.npz", **{image: arrays[image][:0], label: arrays[label][:0]}))
    unlabelled = npz("unlabelled.npz", **{label: None})
    quantize(sandbox, 1, ["unlabelled.npz", "label"], MODEL, unlabelled, "--metric", "top1")
    cut = sandbox.path / "cut.npz"
    cut.write_bytes(DATA.read_bytes()[:DATA.stat().st_size // 2])
    quantize(sandbox, 1, ["cut.npz"], MODEL, cut)
    no_numbers(sandbox, {name: npz(f"{name}.npz", **{image: array, label: arrays[label][:40]})
                         for name, array in with_nan(arrays[image][:40]).items()})
    (sandbox.path / "nothing").mkdir()
    quantize(sandbox, 1, ["nothing"], MODEL, sandbox.path / "nothing")
    quantize(sandbox, 2, ["unknown"], MODEL, sandbox.write("unknown.yaml", "pictures: {folder: x}\n"))
    document = sandbox.write("absent.yaml", f"images: {{folder: {sandbox.path / 'absent'}}}\n")
    quantize(sandbox, 1, ["absent"], MODEL, document)


def bad_wishes(sandbox):
    recipe = '{op_name_dict: {"/blok3/.*": fp32}}'
    done = sandbox.run("quantize", MODEL, "--data", DATA, "--limit", 3, "--recipe", recipe, "-o", sandbox.path / "a.onnx")
    harness.check("/blok3/.*" in done.stderr, "a pattern that matches nothing is named")
    quantize(sandbox, 2, ["granularity"], MODEL, DATA, "--recipe", "{weight: {granularty: per_tensor}}")
    quantize(sandbox, 2, ["per_chanel"], MODEL, DATA, "--recipe", "{weight: {granularity: per_chanel}}")
    quantize(sandbox, 2, ["top7"], MODEL, DATA, "--metric", "top7")
    quantize(sandbox, 2, ["no_such_output"], MODEL, DATA, "--metric", "top1:output=no_such_output")
    quantize(sandbox, 2, ["--no-such-option"], MODEL, DATA, "--no-such-option")
    quantize(sandbox, 2, ["--tensorboard-tags", "--tensorboard"], MODEL, DATA, "--tensorboard-tags", "together")
    complaint(sandbox, 2, ["--absolute", "--max-loss"], "report", "last", "--absolute")
    quantize(sandbox, 2, ["cut.yaml", "line 2"], MODEL, DATA, "--recipe", sandbox.write("cut.yaml", "weight:\n  [a"))
    quantize(sandbox, 2, ["cut_data.yaml", "line 1"], MODEL, sandbox.write("cut_data.yaml", "images: {folder: ["))
    quantize(sandbox, 2, ["one --two three"], MODEL, DATA, "one", "--two", "three")
    goal = ["tune", MODEL, "--data", DATA, "--metric", "top1", "-o", sandbox.path / "tuned.onnx", "--max-loss"]
    complaint(sandbox, 2, ["--max-loss 5", "0.05 or 5%"], *goal, 5)
    complaint(sandbox, 2, ["--max-loss 2", "0.02 or 2%"], *goal, "200%")
    complaint(sandbox, 2, ["--max-loss", "'inf' is no finite number"], *goal, "inf")
    complaint(sandbox, 2, ["5%%"], *goal, "5%%")
    arrays = np.load(DATA)
    np.savez(sandbox.path / "none_right.npz", image=arrays["image"][:20], label=(arrays["label"][:20] + 1) % 10)
    complaint(sandbox, 1, ["float model's top1 is 0", "label_offset"], "tune", MODEL, "--data",
              sandbox.path / "none_right.npz", *goal[4:-1])
    complaint(sandbox, 1, [".npz archive", "--data"], "inspect", DATA)
    complaint(sandbox, 2, ["--data"], "quantize", MODEL)
    complaint(sandbox, 2, ["no-such-verb"], "no-such-verb")
    complaint(sandbox, 2, ["no command", "quantlens demo"])
    complaint(sandbox, 2, ["quantize"], "quantise", MODEL)
    complaint(sandbox, 1, ["wanted"], "workloads", "show", "wanted")


def bad_outputs(sandbox):
    model = sandbox.path / "model.onnx"
    model.write_bytes(MODEL.read_bytes())
    common = ["quantize", model, "--data", DATA, "--limit", 5]
    complaint(sandbox, 2, ["model.onnx"], *common, "-o", model)
    harness.check(model.read_bytes() == MODEL.read_bytes(), "the model itself is never overwritten")
    complaint(sandbox, 1, ["no/folder"], *common, "-o", sandbox.path / "no/folder/out.onnx")
    complaint(sandbox, 1, ["folder"], *common, "-o", sandbox.path)
    complaint(sandbox, 1, ["/dev/full"], *common, "-o", "/dev/full")
    complaint(sandbox, 1, ["/proc"], *common, "-o", sandbox.path / "out.onnx", "--workspace", "/proc/none")
    existing = sandbox.write("existing.onnx", "precious")
    done = sandbox.run("quantize", sandbox.path / "odd.onnx", "--data", DATA, "-o", existing, code=1)
    harness.check(existing.read_text() == "precious", f"a failed run leaves the old output: {done.stderr}")


def limited(sandbox, size, *arguments):
    """Runs with files limited to `size` bytes, as a full disk would."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return sandbox.run(*arguments, code=1, preexec_fn=limit)


def full_disk(sandbox):
    output = sandbox.path / "limited.onnx"
    done = limited(sandbox, 20_000, "quantize", MODEL, "--data", DATA, "-o", output)
    harness.check("File too large" in done.stderr and "unexpected" not in done.stderr, f"a full disk: {done.stderr}")
    harness.check(not output.exists(), "leaves no output")
    harness.check(not list(sandbox.path.rglob("*.part*")), "and nothing half-written")
    sandbox.run("workloads", "list")
    # Large enough for the model, too small for what is told of it.
    done = limited(sandbox, 45_000, "quantize", MODEL, "--data", DATA, "--limit", 50, "--diagnose", "-o", output)
    harness.check("File too large" in done.stderr and "is written, whole: " + str(output) in done.stderr,
                  f"a model that is there is named: {done.stderr}")
    onnx.checker.check_model(onnx.load(output))
    harness.check(not list(sandbox.path.rglob("*.part*")), "nothing half-written")


def full_output(sandbox):
    """Standard output that cannot be written is an error of every command."""
    quantized, statistics = sandbox.path / "full.onnx", sandbox.path / "full.bin"
    data = ["--data", DATA, "--limit", 5]
    sandbox.run("quantize", MODEL, *data, "-o", quantized)
    parts = [sandbox.path / f"{samples[0]}.bin" for samples in ("0:3", "3:5")]
    for part, samples in zip(parts, ("0:3", "3:5")):
        sandbox.run("calibrate", MODEL, *data, "--samples", samples, "-o", part)
    verbs = {"quantize": [MODEL, *data, "-o", quantized], "calibrate": [MODEL, *data, "-o", statistics],
             "merge": [sandbox.path / "two.bin", *parts], "inspect": [MODEL], "doctor": [], "demo": [],
             "diagnose": [MODEL, quantized, *data], "judge": ["last"], "evaluate": [MODEL, *data, "--metric", "top1"],
             "profile": [MODEL, "--iterations", 2], "benchmark": [MODEL, "--iterations", 2, "--warmup", 0],
             "tune": [MODEL, *data, "--metric", "top1", "-o", sandbox.path / "tuned.onnx"], "workloads": ["list"], "serve": [],
             "report": ["last"], "tensorboard": ["last"], "compare": ["last", "last"], "export": ["last", "--as", "csv"],
             "completion": ["bash"], "manual": []}
    named = re.findall(r"^  ([a-z]+) ", sandbox.run("--help").stdout.split("ubcommands:")[1], re.MULTILINE)
    harness.check(set(named) == set(verbs), f"all verbs: {named}")
    calls = [["--help"], ["--version"], *([verb, "--help"] for verb in verbs), *([verb, *more] for verb, more in verbs.items()),
             *([verb, *more, "--output", "json"] for verb, more in verbs.items() if verb in ("inspect", "evaluate", "doctor"))]
    for call in calls:
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([harness.program(), *map(str, call)], stdout=full, stderr=subprocess.PIPE, text=True,
                                  cwd=sandbox.path, env=sandbox.environment, timeout=200, check=False)
        harness.check(done.returncode == 1 and "standard output: cannot write" in done.stderr,
                      f"{call[0]} {call[-1]}: exit code {done.returncode}: {done.stderr.splitlines()[-1:]}")


def main():
    sandbox = harness.Sandbox()
    bad_models(sandbox)
    bad_data(sandbox)
    bad_wishes(sandbox)
    bad_outputs(sandbox)
    full_disk(sandbox)
    full_output(sandbox)


main()
