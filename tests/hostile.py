# SPDX-License-Identifier: Apache-2.0
"""Bad luck or malice: odd values of options, closed streams, files cut off while they are read."""

import os
import pathlib
import resource
import shlex
import subprocess
import time

import harness

harness.need("onnx")
import onnx  # noqa: E402

MODEL = harness.DEMO / "digits.onnx"
DATA = harness.DEMO / "digits.npz"


def sentence(done, code, *words):
    """The run ended with `code` and one sentence that has all the words."""
    lines = [line for line in done.stderr.splitlines() if not line.startswith(("note: ", "workload: "))]
    claim = f"{' '.join(done.args[1:])[-90:]!r}: {done.returncode} {lines}"[:2000]
    harness.check(done.returncode == code, f"exit code {code}: {claim}")
    harness.check(len(lines) == 1 and lines[0].startswith("quantlens: "), f"one sentence: {claim}")
    harness.check(len(lines[0]) < 1000, f"a short one: {claim}")
    harness.check(all(str(word) in lines[0] for word in words), f"which has {words}: {claim}")


def odd_options(sandbox):
    common = ["quantize", MODEL, "--data", DATA, "-o", sandbox.path / "odd.onnx"]
    long = "x" * 50_000
    for option in ("--limit", "--batch-size", "--threads", "--seed"):
        for value in ("", "-1", "1.5", "many", "99999999999999999999999", "0x10", long):
            sentence(sandbox.run(*common, option, value, code=None), 2, option, "whole number")
    for option in ("--sort", "--output", "--progress", "--format", "--metric"):
        for value in ("", "odd", "0", long):
            done = sandbox.run(*common, option, value, code=None)
            sentence(done, 2, option)
            harness.check("{" not in done.stderr, f"words, no code: {done.stderr}")
    for option in ("--data", "--calibration-data", "--recipe", "-o"):
        arguments = [*common[:2], option, ""] if option == "--data" else [*common[:4], option, ""]
        sentence(sandbox.run(*arguments, code=None), 2, option, "is empty")
    sentence(sandbox.run(*common, "--limit", 3, "--limit", 4, code=None), 2, "--limit", "more than once")
    sentence(sandbox.run("workloads", "show", code=None), 2, "quantlens workloads show --help")
    for value in ("nan", "", "low"):
        done = sandbox.run("diagnose", MODEL, MODEL, "--data", DATA, "--fail-below", value, code=None)
        sentence(done, 2, "--fail-below")


def control_characters(sandbox):
    output = sandbox.path / "name.onnx"
    sandbox.run("quantize", MODEL, "--data", DATA, "--limit", 3, "-o", output, "--name", "a\x1b[31mb")
    for verb in ("list", "show"):
        done = sandbox.run("workloads", verb, *(["last"] if verb == "show" else []))
        harness.check("\x1b" not in done.stdout, f"{verb}: a name cannot write to the terminal")


def in_shell(sandbox, redirection, *arguments):
    line = shlex.join([harness.program(), *map(str, arguments)]) + " " + redirection
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=sandbox.path, check=False,
                          env=sandbox.environment, timeout=100)


def closed_streams(sandbox):
    output = sandbox.path / "closed.onnx"
    arguments = ["quantize", MODEL, "--data", DATA, "-o", output, "--metric", "top1"]
    sandbox.run(*arguments)
    good = output.read_bytes()
    for redirection, code in ((">&-", 1), ("2>&-", 0), ("<&- >&- 2>&-", 1), (">/dev/full 2>/dev/full", 1),
                              ("2>/dev/full", 0)):
        output.unlink()
        done = in_shell(sandbox, redirection, *arguments)
        harness.check(done.returncode == code, f"{redirection}: exit code {done.returncode}: {done.stderr}")
        harness.check(output.read_bytes() == good, f"{redirection}: nothing else is in the model")
    done = in_shell(sandbox, "2>&-", "quantize", MODEL, "--data", DATA, "-o", output, "--no-such-option")
    harness.check(done.returncode == 2, f"a complaint that nobody hears: {done.returncode}")


def file_size_limit(sandbox):
    output = sandbox.path / "small.onnx"
    done = sandbox.run("quantize", MODEL, "--data", DATA, "-o", output, code=None,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000)))
    sentence(done, 1, "File too large")
    harness.check(not output.exists(), "no output is left")


def no_threads(sandbox):
    """A system that gives no more threads: no hang, no riddle."""
    if b"__sanitizer" in pathlib.Path(harness.program()).read_bytes():
        return  # which needs all the address space
    for room in (1 << 30, 6 << 30):  # not enough for those that read, or for those of the runtime
        done = sandbox.run("quantize", MODEL, "--data", DATA, "-o", sandbox.path / "t.onnx", "--threads", 1000,
                           code=None, timeout=100,
                           preexec_fn=lambda room=room: resource.setrlimit(resource.RLIMIT_AS, (room, room)))
        sentence(done, 1, "threads")


def unknown_to_the_runtime(sandbox):
    model = onnx.load(MODEL)
    model.opset_import[0].version = 1000
    onnx.save(model, sandbox.path / "future.onnx")
    done = sandbox.run("quantize", sandbox.path / "future.onnx", "--data", DATA, code=None)
    sentence(done, 1, "future.onnx", "1000")
    harness.check("::" not in done.stderr, f"what the runtime says comes without its code: {done.stderr}")


def cut_off_while_read(sandbox):
    model = sandbox.path / "cut.onnx"
    model.write_bytes(MODEL.read_bytes())
    random = sandbox.write("many.yaml", "random: {count: 10000000}\n")
    log = sandbox.path / "cut.log"
    with log.open("w") as stderr:
        process = subprocess.Popen([harness.program(), "quantize", model, "--data", random, "--progress", "json", "-o",
                                    sandbox.path / "late.onnx", "--recipe", "{calibration_sampling_size: 20000}"],
                                   stderr=stderr, stdout=subprocess.DEVNULL, env=sandbox.environment, cwd=sandbox.path)
    while '"calibrate"' not in log.read_text() and process.poll() is None:
        time.sleep(0.02)
    os.truncate(model, 100)
    code = process.wait(100)
    lines = [line for line in log.read_text().splitlines() if line.startswith("quantlens: ")]
    harness.check(code == 1 and len(lines) == 1 and "shorter" in lines[0], f"{code}: {lines}")
    sandbox.run("workloads", "list")


def damaged_array(sandbox):
    """A packed array whose checksum is wrong ends every command alike, with one thread or more, also behind the limit."""
    import numpy as np
    samples = np.random.default_rng(0).integers(0, 255, [2000, *np.load(DATA)["image"].shape[1:]]).astype(np.float32)
    np.savez_compressed(sandbox.path / "damaged.npz", image=samples)
    content = bytearray((sandbox.path / "damaged.npz").read_bytes())
    checksum = content.rfind(b"PK\x01\x02") + 16
    content[checksum] ^= 1
    (sandbox.path / "damaged.npz").write_bytes(content)
    out = sandbox.path / "damaged.onnx"
    for verb in (["quantize", MODEL, "-o", out], ["calibrate", MODEL, "-o", sandbox.path / "damaged.bin"],
                 ["diagnose", MODEL, MODEL]):
        said = set()
        for threads in (1, 2, 3):
            for limit in ([], ["--limit", 20]):
                done = sandbox.run(*verb, "--data", sandbox.path / "damaged.npz", *limit, "--threads", threads, code=None)
                sentence(done, 1, "damaged.npz", "'image'", "damaged or cut short; write it again")
                said.add([line for line in done.stderr.splitlines() if line.startswith("quantlens: ")][-1])
        harness.check(len(said) == 1, f"one sentence: {said}")
    harness.check(not out.exists(), "no model is written of damaged samples")


def overwriting(sandbox):
    """Nothing that is read is overwritten, and what cannot be written is refused before the work."""
    for option, name, content in (("--data", "d.npz", DATA.read_bytes()), ("--recipe", "r.yaml", b"reduce_range: auto"),
                                  ("--calibration-data", "c.npz", DATA.read_bytes())):
        victim = sandbox.path / name
        victim.write_bytes(content)
        link = sandbox.path / f"link-to-{name}"
        os.link(victim, link)
        data = [] if option == "--data" else ["--data", DATA]
        for output in (victim, link):
            done = sandbox.run("quantize", MODEL, *data, option, victim, "-o", output, code=None)
            sentence(done, 2, output.name, "overwrite")
        harness.check(victim.read_bytes() == content, f"{name} is as it was")
    folder = sandbox.path / "external"
    folder.mkdir()
    onnx.save(onnx.load(MODEL), folder / "model.onnx", save_as_external_data=True, location="out.onnx.data",
              size_threshold=0)
    content = (folder / "out.onnx.data").read_bytes()
    for output in ("out.onnx", "out.onnx.data"):
        done = sandbox.run("quantize", folder / "model.onnx", "--data", DATA, "-o", folder / output, code=None)
        sentence(done, 2, "overwrite")
    harness.check((folder / "out.onnx.data").read_bytes() == content, "the weights beside the model are as they were")
    before = len(sandbox.json("workloads", "list"))
    sentence(sandbox.run("quantize", MODEL, "--data", DATA, "-o", "/dev/full", code=None), 1, "/dev/full", "-o")
    harness.check(len(sandbox.json("workloads", "list")) == before, "that is known before anything is run")


def clear_words(sandbox):
    """Where nothing is near, a sentence does not break off."""
    common = ["quantize", MODEL, "--data", DATA, "--limit", 3, "-o", sandbox.path / "words.onnx"]
    sentence(sandbox.run(*common, "--recipe", "{zzzzzzzz: 1}", code=None), 2, "known: ")
    done = sandbox.run(*common, "--recipe", "{op_name_dict: {zzzzzzzz: fp32}}")
    harness.check("'zzzzzzzz' matches no op of the model\n" in done.stderr, f"a whole sentence: {done.stderr}")
    shapes = sandbox.write("shapes.yaml", "random: {count: 1, shapes: {zzzzzzzz: [1]}}")
    sentence(sandbox.run("quantize", MODEL, "--data", shapes, code=None), 2, "inspect")


def old_operators(sandbox):
    """Models of every operator set are taken; those before 13 are converted."""
    from onnx import TensorProto, helper, numpy_helper
    import numpy as np
    weight = numpy_helper.from_array(np.linspace(-1, 1, 36, dtype=np.float32).reshape(4, 1, 3, 3), "w")
    graph = helper.make_graph(
        [helper.make_node("Conv", ["x", "w"], ["c"], name="c"), helper.make_node("Relu", ["c"], ["y"], name="r")], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 1, 8, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], [weight])
    for opset in range(7, 22):
        path = sandbox.path / f"opset{opset}.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), path)
        done = sandbox.json("quantize", path, "--data", "random", "--limit", 3, "--diagnose")
        harness.check(done["ops_quantized"] == 2, f"opset {opset}: {done['ops_quantized']}")
        sandbox.run("diagnose", path, done["output"], "--data", "random", "--limit", 2)


def outputs_of_integers(sandbox):
    """A classifier that also returns the class: that is no float, and not compared."""
    model = onnx.load(MODEL)
    scores = model.graph.output[0].name
    model.graph.node.append(onnx.helper.make_node("ArgMax", [scores], ["class"], axis=1))
    model.graph.output.append(onnx.helper.make_tensor_value_info("class", onnx.TensorProto.INT64, None))
    onnx.save(model, sandbox.path / "class.onnx")
    done = sandbox.json("quantize", sandbox.path / "class.onnx", "--data", DATA, "--limit", 5, "--diagnose")
    missed = {row["value"]: row["reason"] for row in done["diagnosis"]["not_compared"]}
    harness.check("int64" in missed.get("class", ""), f"the class is said not to be compared: {missed}")


def main():
    sandbox = harness.Sandbox()
    odd_options(sandbox)
    control_characters(sandbox)
    closed_streams(sandbox)
    file_size_limit(sandbox)
    no_threads(sandbox)
    unknown_to_the_runtime(sandbox)
    cut_off_while_read(sandbox)
    damaged_array(sandbox)
    overwriting(sandbox)
    clear_words(sandbox)
    old_operators(sandbox)
    outputs_of_integers(sandbox)


main()
