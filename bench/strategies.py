# SPDX-License-Identifier: Apache-2.0
"""What each strategy of `tune` finds, and what it takes: trials, seconds, multiplications in int8.

usage: strategies.py QUANTLENS RESULTS [--limit N] [--max-loss X] [--timeout S] [--max-trials N] [--minutes M]
                     [--models A,B] [--recipes A,B] [--strategies A,B]
       strategies.py --table RESULTS

Each labelled model (a MobileNet whose batch norms cannot be folded among them) starts from six recipes: the default one,
`fast`, one scale a tensor, all ops forced into int8, what ONNX Runtime's quantize_static does by itself, and one op
whose range is clipped. RESULTS holds a line of JSON a run: what it has is not run again, so that the table may be made in
parts (--minutes ends a part). Where the recipe as given is enough, strategies that begin with it need one trial; only
`auto` and `conservative` are run there. The table is printed at the end, or by --table: where the goal was reached, the share of
multiplications in int8; the trials; the seconds. Below it stands how `auto` compares, also by the trials after which it has what
the best of the others ends with: it goes on looking for more.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))
import harness  # noqa: E402

STRATEGIES = ["auto", "conservative", "mse", "basic", "random", "bayesian", "mse_v2", "exhaustive"]
FROM_BELOW = {"auto", "conservative"}


def speech(_):
    return harness.TESTDATA / "speech/kwt1_400.npz"


MODELS = {
    "demo": (harness.DEMO / "digits.onnx", lambda _: harness.DEMO / "digits.npz", "top1"),
    "kwt1": (harness.TESTDATA / "models/kwt1.onnx", speech, "top1"),
    "mobilenet_0.25": (harness.TESTDATA / "models/mobilenet_v1_0.25_224.onnx", harness.imagenet, harness.MOBILENET_METRIC),
    "mobilenet_unfolded": (None, harness.imagenet, harness.MOBILENET_METRIC),
    "magika": (harness.TESTDATA / "models/magika_v3_3.onnx", lambda _: harness.TESTDATA / "magika/magika_435.npz", "top1"),
    "squeezenet": (harness.TESTDATA / "models/squeezenet1.1.onnx", harness.squeezenet_data, "top1"),
    "mobilenet_0.75": (harness.TESTDATA / "models/mobilenet_v1_0.75_224.onnx", harness.imagenet, harness.MOBILENET_METRIC),
    "minilm": (harness.TESTDATA / "models/minilm_l6_v2.onnx", lambda _: harness.TESTDATA / "text/minilm_stsb_test_400.npz",
               "spearman_cosine:output=sentence_embedding"),
}
RECIPES = {
    "default": lambda _: {},
    "fast": lambda _: {"accuracy_level": "fast"},
    "per_tensor": lambda _: {"accuracy_level": "fast", "weight": {"granularity": "per_tensor"}},
    "forced": lambda _: {"op_type_dict": {".*": "int8"}},
    "onnxruntime": lambda _: {"accuracy_level": "fast", "op_type_dict": {".*": "int8"},
                              "weight": {"granularity": "per_tensor"}, "activation": {"algorithm": "minmax"}},
    "clipped_op": lambda op: {"accuracy_level": "fast",
                              "op_name_dict": {re.escape(op): {"activation": {"algorithm": "percentile", "percentile": 60}}}},
}


def unfolded(folder):
    """MobileNet 0.25 with a factor a channel behind each depthwise convolution, whose value a second op reads, too."""
    import numpy as np
    import onnx
    from onnx import helper, numpy_helper

    model = onnx.load(MODELS["mobilenet_0.25"][0])
    graph, draw = model.graph, np.random.default_rng(3)
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    nodes = []

    def constant(name, array):
        graph.initializer.append(numpy_helper.from_array(np.asarray(array, np.float32), name))
        return name

    for node in graph.node:
        group = next((a.i for a in node.attribute if a.name == "group"), 1)
        if node.op_type != "Conv" or group == 1:
            nodes.append(node)
            continue
        weight, out = stored[node.input[1]], node.output[0]
        bias = stored[node.input[2]] if len(node.input) > 2 else np.zeros(len(weight))
        factor = 10 ** draw.uniform(-1.5, 1.5, len(weight))
        inner = [f"{out}/{step}" for step in ("conv", "tiny", "scaled", "joined")]
        names = [constant(f"{out}/w", weight / factor[:, None, None, None]), constant(f"{out}/f", factor.reshape(1, -1, 1, 1)),
                 constant(f"{out}/b", bias.reshape(1, -1, 1, 1)), constant(f"{out}/k", np.full((1, len(weight), 1, 1), 1e-12))]
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        nodes += [helper.make_node("Conv", [node.input[0], names[0]], inner[:1], name=node.name, **attributes),
                  helper.make_node("Mul", [inner[0], names[3]], inner[1:2], name=f"{node.name}/tiny"),
                  helper.make_node("Mul", [inner[0], names[1]], inner[2:3], name=f"{node.name}/mul"),
                  helper.make_node("Add", [inner[2], inner[1]], inner[3:4], name=f"{node.name}/join"),
                  helper.make_node("Add", [inner[3], names[2]], [out], name=f"{node.name}/add")]
    del graph.node[:]
    graph.node.extend(nodes)
    path = folder / "unfolded.onnx"
    onnx.save(model, path)
    return path


def middle_op(sandbox, model):
    """The name of the op in the middle of those that compute in int8."""
    ops = [op["op"]["name"] for op in sandbox.json("inspect", model)["ops"]
           if op["quantized"] and op["kind"] in ("conv", "matmul", "gemm")]
    return ops[len(ops) // 2]


def run_one(sandbox, options, model, data, metric, recipe, strategy):
    command = [options.program, "tune", model, "--data", data, "--metric", metric, "--recipe", json.dumps(recipe), "--strategy",
               strategy, "--limit", options.limit, "--max-loss", options.max_loss, "--timeout", options.timeout, "--max-trials",
               options.max_trials, "-o", sandbox.path / "tuned.onnx", "--output", "json", "--quiet"]
    start = time.monotonic()
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=sandbox.environment, check=False,
                              timeout=3 * options.timeout + 60)
    except subprocess.TimeoutExpired:
        return {"seconds": time.monotonic() - start, "failure": "was ended"}
    row = {"seconds": time.monotonic() - start}
    if done.returncode not in (0, 3):
        return row | {"failure": done.stderr.strip().splitlines()[-1:]}
    result = json.loads(done.stdout)
    return row | {key: result[key] for key in ("reached", "evaluations", "int8_share", "ops_quantized", "loss")} | {
        "run": sum(1 for trial in result["trials"] if trial["same_as"] is None),
        "first_is_enough": bool(result["trials"]) and result["trials"][0]["reached"],
        "course": course_of(result)}


def course_of(result):
    """[trials, share in int8] of each model within the goal that had more in int8 than those before it."""
    reached = [(number + 1, trial["multiply_adds_quantized"]) for number, trial in enumerate(result["trials"])
               if trial["reached"] and trial["multiply_adds_quantized"] is not None]
    most = max((work for _, work in reached), default=0)
    course, best = [], -1
    for number, work in reached:
        if work > best:
            course.append([number, result["int8_share"] * work / most if most else 0])
            best = work
    return course


def trials_to(row, share):
    """After how many trials the best model within the goal had at least this share; all of them where none had."""
    return next((number for number, had in row.get("course", []) if had >= share - 1e-9), row["evaluations"])


def rows_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def measure(options):
    sandbox = harness.Sandbox()
    have = {(row["model"], row["start"], row["strategy"]): row for row in rows_of(options.results)}
    begin = time.monotonic()
    for name in options.models:
        model, document, metric = MODELS[name]
        if not harness.TESTDATA.is_dir() and name != "demo":
            print(f"{name}: left out, the test data are absent")
            continue
        model = model or unfolded(sandbox.path)
        data, op = document(sandbox), middle_op(sandbox, model)
        for start in options.recipes:
            for strategy in options.strategies:
                key = (name, start, strategy)
                first = have.get((name, start, "auto"), {})
                if key in have or (first.get("first_is_enough") and strategy not in FROM_BELOW):
                    continue
                if time.monotonic() - begin > 60 * options.minutes:
                    return
                row = {"model": name, "start": start, "strategy": strategy, "limit": options.limit, "max_loss": options.max_loss,
                       "timeout": options.timeout, "max_trials": options.max_trials}
                row |= run_one(sandbox, options, model, data, metric, RECIPES[start](op), strategy)
                have[key] = row
                with options.results.open("a") as out:
                    out.write(json.dumps(row) + "\n")
                print(*key, cell(row), flush=True)


def cell(row):
    """"97.3 %, 5, 12 s"; a missed goal has no share."""
    if row is None:
        return ""
    if "failure" in row:
        return f"failed, {row['seconds']:.0f} s"
    share = f"{100 * row['int8_share']:.1f} %" if row["reached"] and row["int8_share"] is not None else "missed"
    return f"{share}, {row['evaluations']}, {row['seconds']:.0f} s"


def table(path):
    """Markdown; and how `auto` stands against the others."""
    have = {(row["model"], row["start"], row["strategy"]): row for row in rows_of(path)}
    print("| model | recipe |", " | ".join(STRATEGIES), "|\n| --- | --- |" + " --- |" * len(STRATEGIES))
    cases = sorted({key[:2] for key in have}, key=lambda one: (list(MODELS).index(one[0]), list(RECIPES).index(one[1])))
    less, costly, later, judged = [], [], [], 0
    for case in cases:
        rows = {strategy: have.get((*case, strategy)) for strategy in STRATEGIES}
        print(f"| {case[0]} | {case[1]} |", " | ".join(cell(rows[strategy]) for strategy in STRATEGIES), "|")
        auto = rows["auto"]
        others = [row for strategy, row in rows.items() if strategy != "auto" and row and row.get("reached")]
        if not auto or not others:
            continue
        judged += 1
        share = (auto.get("int8_share") or 0) if auto.get("reached") else -1
        most = max(row["int8_share"] or 0 for row in others)
        bound = 4 / 3 * min(row["evaluations"] for row in others) + 1e-9
        if share < most - 1e-9:
            less.append(case)
        if "evaluations" in auto and trials_to(auto, most) > bound:
            costly.append(case)
        if auto.get("evaluations", 0) > bound:
            later.append(case)
    for what, found in (("less in int8", less),
                        ("has what the best of them has after over a third more trials than the cheapest takes", costly),
                        ("ends after more than that, since it looks for more in int8", later)):
        print(f"\nauto against those that reached the goal, {judged} starts: {what} in {len(found)}",
              " ".join("/".join(one) for one in found))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--max-loss", type=float, default=0.01)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--max-trials", type=int, default=40)
    parser.add_argument("--minutes", type=float, default=1e9)
    for name, known in (("models", MODELS), ("recipes", RECIPES), ("strategies", STRATEGIES)):
        parser.add_argument(f"--{name}", type=lambda text: text.split(","), default=list(known))
    options = parser.parse_args()
    if not options.table:
        os.environ["QUANTLENS_PROGRAM"] = options.program = str(pathlib.Path(options.program).resolve())
        measure(options)
    table(options.results)


main()
